// Package texttag reads the text tags of documents: fields that are written into
// running text as {{agreementinput-<id>;type=date;label=Date of birth}}.
package texttag

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/fields"
)

// Bounds of tags. What exceeds one is no tag, or is cut.
const (
	// maxTag is how long a tag is, in bytes.
	maxTag = 16 << 10
	// maxOptions is how many options it has.
	maxOptions = 1000
	// maxText bounds labels and options, in characters.
	maxText = 200
	// maxCount bounds min and max.
	maxCount = 1_000_000
)

// Tag is a text tag: the range of the text that it takes, in bytes, and the
// field that it defines.
type Tag struct {
	Start, End int
	// Valid says that it defines a field. Others were meant to, as what they begin
	// with shows, so that their text is no blank either.
	Valid bool
	Field fields.Field
}

// opening is what every tag begins with, but for white space.
const opening = "{{"

// Find returns the tags of the text, in order.
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
		f, valid := parse(inner)
		found = append(found, Tag{Start: start, End: end, Valid: valid, Field: f})
		at = end
	}
}

// parse reads what is between the braces. It reports false if the id is none, or
// an attribute contradicts itself.
func parse(inner string) (fields.Field, bool) {
	id, attributes, _ := strings.Cut(inner, ";")
	f := fields.Field{ID: strings.TrimSpace(id), Type: fields.Text, Source: fields.TextTag}
	if !fields.ValidID(f.ID) {
		return fields.Field{}, false
	}
	valid := true
	for attribute := range strings.SplitSeq(attributes, ";") {
		key, value, _ := strings.Cut(attribute, "=")
		valid = set(&f, strings.ToLower(strings.TrimSpace(key)), unquote(value)) && valid
	}
	if f.Min != nil && f.Max != nil && *f.Min > *f.Max {
		valid = false
	}
	return f, valid
}

// set sets an attribute of the field. Attributes that are not known say nothing,
// and so do unknown types; it reports false for bounds that are no numbers.
func set(f *fields.Field, key, value string) bool {
	switch key {
	case "type":
		if t, ok := fields.ParseType(value); ok {
			f.Type = t
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

// isYes reports whether a switch is on; one without a value is.
func isYes(value string) bool {
	switch strings.ToLower(value) {
	case "", "true", "yes", "1", "on":
		return true
	}
	return false
}

// count reads a bound, and reports false if it is none.
func count(into **int, value string) bool {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > maxCount {
		return false
	}
	*into = &n
	return true
}

// optionsOf reads options that bars separate; empty and repeated ones are left
// out.
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

// unquote returns s without white space and quotes around it: straight ones, and
// those that Word makes of them.
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

// cut returns s in one line, up to the bound of texts.
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
