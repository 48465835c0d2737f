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
	// maxTag is the maximum size of a tag, in bytes; larger ones are not read.
	maxTag = 16 << 10
	// MaxLabel is the maximum length of a label in characters.
	MaxLabel = 500
)

// Tag is the field definition in the tag of a content control.
type Tag struct {
	FieldID string
	// Type is "" if the tag names no known type.
	Type Type
	// Label is "" if the tag has none.
	Label string
	// Options are the choices in the tag, or nil if it has none.
	Options []Option
	// Multiple is nil if the tag does not specify whether the field takes several images.
	Multiple *bool
}

// ParseTag parses a tag that is a JSON object with fieldId, fieldType, fieldTypeShort,
// displayLabel, fieldMultipleImage and options. It reports false for anything else, and
// if fieldId is not a ValidID. Values are strings or booleans, and options is an array of
// strings or a string separated by "|". Unknown members and members of other kinds are
// ignored. If a member is repeated, the first one counts. fieldType takes precedence over
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

// tagMembers returns the string and boolean members of a JSON object.
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

// tagValue reads the value of a member. It returns "" unless the value is a string, a
// boolean or, if list is set, an array.
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

// tagList reads an array of strings and returns them separated by "|". Items of other
// kinds are ignored.
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

// tagOptions returns the options of a tag without duplicates.
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

// parseBool returns nil for anything but true and false.
func parseBool(s string) *bool {
	yes := strings.EqualFold(s, "true")
	if !yes && !strings.EqualFold(s, "false") {
		return nil
	}
	return &yes
}

// CleanLabel returns a label from a file in the form shown to users: on one line, without
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
