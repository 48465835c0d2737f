// Package texttag finds text tags: fields that are written into the text of a document as
// {{agreementinput-<id>;type=date;label=Date of birth}}.
package texttag

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/fields"
)

// Limits of tags. Text that exceeds one is not a tag, or is cut.
const (
	// maxTag is the maximum length of a tag, in bytes.
	maxTag = 16 << 10
	// maxOptions is the maximum number of options.
	maxOptions = 1000
	// maxText is the maximum length of labels and options, in characters.
	maxText = 200
	// maxCount bounds min and max.
	maxCount = 1_000_000
)

// Tag is a text tag: its range in the text, in bytes, and the field that it defines.
type Tag struct {
	Start, End int
	// Valid reports whether the tag defines a field. An invalid tag was meant as one, as
	// its beginning shows, so its text is not a blank either.
	Valid bool
	// Typed reports whether the tag declares the type of the field. Without, it is Text.
	Typed bool
	Field fields.Field
}

// opening begins every tag; white space may follow.
const opening = "{{"

// Find returns the tags in the text, in order.
func Find(text string) []Tag {
	var found []Tag
	for at := 0; ; {
		next := strings.Index(text[at:], opening)
		if next < 0 {
			return found
		}
		start := at + next
		at = start + 1
		rest := strings.TrimLeftFunc(text[start+len(opening):min(len(text), start+maxTag)], unicode.IsSpace)
		if !strings.HasPrefix(rest, fields.IDPrefix) {
			continue
		}
		inner, _, ok := strings.Cut(rest, "}}")
		if !ok || strings.Contains(inner, opening) {
			continue
		}
		end := start + strings.Index(text[start:], "}}") + len("}}")
		t := Tag{Start: start, End: end}
		t.parse(inner)
		found = append(found, t)
		at = end
	}
}

// parse parses the text between the braces. The tag is invalid if the ID is, or if an
// attribute contradicts another.
func (t *Tag) parse(inner string) {
	id, attributes, _ := strings.Cut(inner, ";")
	f := fields.Field{ID: strings.TrimSpace(id), Type: fields.Text, Source: fields.TextTag}
	if !fields.ValidID(f.ID) {
		return
	}
	t.Field, t.Valid = f, true
	for attribute := range strings.SplitSeq(attributes, ";") {
		key, value, _ := strings.Cut(attribute, "=")
		t.Valid = t.set(strings.ToLower(strings.TrimSpace(key)), unquote(value)) && t.Valid
	}
	if t.Field.Min != nil && t.Field.Max != nil && *t.Field.Min > *t.Field.Max {
		t.Valid = false
	}
}

// set sets an attribute of the field. Unknown attributes and types are ignored. It
// reports false for a bound that is not a number.
func (t *Tag) set(key, value string) bool {
	f := &t.Field
	switch key {
	case "type":
		if known, ok := fields.ParseType(value); ok {
			f.Type, t.Typed = known, true
		}
	case "label":
		f.Label = cut(value)
	case "options":
		f.Options = optionsOf(value)
	case "required":
		f.Required = isYes(value)
	case "multiple":
		multiple := isYes(value)
		f.Multiple = &multiple
	case "min":
		return count(&f.Min, value)
	case "max":
		return count(&f.Max, value)
	}
	return true
}

// isYes reports whether a switch is on. A switch without a value is on.
func isYes(value string) bool {
	switch strings.ToLower(value) {
	case "", "true", "yes", "1", "on":
		return true
	}
	return false
}

// count parses a bound, and reports false if it is invalid.
func count(into **int, value string) bool {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > maxCount {
		return false
	}
	*into = &n
	return true
}

// optionsOf parses options separated by bars. Empty and repeated ones are dropped.
func optionsOf(value string) []fields.Option {
	var options []fields.Option
	seen := make(map[string]bool)
	for o := range strings.SplitSeq(value, "|") {
		o = cut(unquote(o))
		if o == "" || seen[o] || len(options) >= maxOptions {
			continue
		}
		seen[o] = true
		options = append(options, fields.Option{Display: o})
	}
	return options
}

// unquote trims white space and quotes: straight ones, and the typographic ones that Word
// replaces them with.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"„", "“"}, {"”", "”"}, {"‘", "’"}, {"«", "»"}} {
		if inner, ok := strings.CutPrefix(s, q[0]); ok {
			if inner, ok = strings.CutSuffix(inner, q[1]); ok {
				return strings.TrimSpace(inner)
			}
		}
	}
	return s
}

// cut returns s on one line, cut to maxText.
func cut(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for at := range s {
		if n == maxText {
			return strings.TrimSpace(s[:at])
		}
		n++
	}
	return s
}
