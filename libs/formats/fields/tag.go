package fields

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxTag bounds the tags that are read, in bytes.
	maxTag = 16 << 10
	// MaxLabel is how many characters a label may have.
	MaxLabel = 500
)

// Tag is what the tag of a content control says of its field.
type Tag struct {
	FieldID string
	// Type is "" if the tag names none that is known.
	Type Type
	// Label is "" if the tag has none.
	Label string
	// Options are the choices that the tag lists, nil if it has none.
	Options []Option
	// Multiple is nil if the tag does not say whether it takes several images.
	Multiple *bool
}

// ParseTag reads a tag that is a JSON object with fieldId, fieldType,
// fieldTypeShort, displayLabel, fieldMultipleImage and options. It reports false for
// anything else, and where fieldId is no ValidID. Values are strings or
// booleans, and options is an array of strings, or a string that "|" parts; other
// members, and members of other kinds, say nothing. Of members
// that stand there twice the first counts. FieldType is stronger than
// fieldTypeShort.
func ParseTag(tag string) (Tag, bool) {
	tag = strings.TrimSpace(tag)
	if len(tag) > maxTag || !strings.HasPrefix(tag, "{") {
		return Tag{}, false
	}
	members, ok := tagMembers(tag)
	id := strings.TrimSpace(members["fieldId"])
	if !ok || !ValidID(id) {
		return Tag{}, false
	}
	t, known := ParseType(members["fieldType"])
	if !known {
		t, _ = ParseType(members["fieldTypeShort"])
	}
	return Tag{
		FieldID:  id,
		Type:     t,
		Label:    CleanLabel(members["displayLabel"]),
		Options:  tagOptions(members["options"]),
		Multiple: parseBool(members["fieldMultipleImage"]),
	}, true
}

// tagMembers returns the strings and booleans of a JSON object.
func tagMembers(tag string) (map[string]string, bool) {
	d := jsontext.NewDecoder(bytes.NewBufferString(tag), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	members := map[string]string{}
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, ok := tagValue(d, key == "options")
		if !ok {
			return nil, false
		}
		if _, twice := members[key]; !twice {
			members[key] = value
		}
	}
	if _, err := d.ReadToken(); err != nil { // the closing brace
		return nil, false
	}
	_, err := d.ReadToken()
	return members, errors.Is(err, io.EOF)
}

// tagValue reads the value of a member, "" for one that is no string or boolean,
// nor, if list is set, an array.
func tagValue(d *jsontext.Decoder, list bool) (string, bool) {
	switch kind := d.PeekKind(); {
	case kind == '[' && list:
		return tagList(d)
	case kind == '"', kind == 't', kind == 'f':
		value, err := d.ReadToken()
		if err != nil {
			return "", false
		}
		return value.String(), true
	default:
		return "", d.SkipValue() == nil
	}
}

// tagList reads an array of strings and returns them parted by "|"; items of other
// kinds say nothing.
func tagList(d *jsontext.Decoder) (string, bool) {
	if _, err := d.ReadToken(); err != nil {
		return "", false
	}
	var items []string
	for d.PeekKind() != ']' {
		if d.PeekKind() != '"' {
			if d.SkipValue() != nil {
				return "", false
			}
			continue
		}
		item, err := d.ReadToken()
		if err != nil {
			return "", false
		}
		items = append(items, strings.ReplaceAll(item.String(), "|", " "))
	}
	_, err := d.ReadToken()
	return strings.Join(items, "|"), err == nil
}

// tagOptions returns the options of a tag, each once.
func tagOptions(list string) []Option {
	var options []Option
	for item := range strings.SplitSeq(list, "|") {
		option := Option{Display: CleanLabel(item)}
		if option.Display != "" && !slices.Contains(options, option) {
			options = append(options, option)
		}
	}
	return options
}

// parseBool returns nil for what is neither true nor false.
func parseBool(s string) *bool {
	yes := strings.EqualFold(s, "true")
	if !yes && !strings.EqualFold(s, "false") {
		return nil
	}
	return &yes
}

// CleanLabel returns a label of a file as it is shown: on one line, without
// control characters, cut to MaxLabel characters.
func CleanLabel(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	s = strings.ToValidUTF8(s, "")
	n := 0
	for i := range s {
		if n == MaxLabel {
			return strings.TrimSpace(s[:i])
		}
		n++
	}
	return s
}
