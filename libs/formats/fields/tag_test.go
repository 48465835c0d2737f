package fields_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields"
)

// tagString formats a tag for use in a table.
func tagString(tag fields.Tag) string {
	multiple := "nil"
	if tag.Multiple != nil {
		multiple = fmt.Sprint(*tag.Multiple)
	}
	return fmt.Sprintf("%s|%s|%s|%s", tag.FieldID, tag.Type, tag.Label, multiple)
}

var tags = map[string]string{
	`{"fieldId":"agreementinput-a-1","fieldType":"NAMETEXTINPUT","displayLabel":"Full name"}`:                                      "agreementinput-a-1|name|Full name|nil",
	`{"fieldTypeShort":"image","fieldMultipleImage":true,"fieldId":"agreementinput-a"}`:                                            "agreementinput-a|image||true",
	`{"fieldId":"agreementinput-a","fieldType":"what","fieldTypeShort":"SSN","fieldMultipleImage":"False"}`:                        "agreementinput-a|ssn||false",
	`{"fieldId":"agreementinput-a","fieldType":"date","fieldTypeShort":"SSN","fieldMultipleImage":1}`:                              "agreementinput-a|date||nil",
	` {"fieldId":"agreementinput-a","fieldId":"agreementinput-b","x":[{"fieldId":"y"}],"displayLabel":" A\n \t\u0000line \u00e9"}`: "agreementinput-a||A line é|nil",
	`{"fieldId":"agreementinput-a","displayLabel":null}`:                                                                           "agreementinput-a|||nil",
	`{"fieldId":"a"}`:                     "",
	`{"fieldType":"name"}`:                "",
	`{"fieldId":["agreementinput-a"]}`:    "",
	`{"fieldId":"agreementinput-a"} x`:    "",
	`{"fieldId":"agreementinput-a"`:       "",
	`{"fieldId":"agreementinput-a","x":}`: "",
	`agreementinput-a`:                    "",
	`["fieldId","agreementinput-a"]`:      "",
	``:                                    "",
	`{}`:                                  "",
	`{"fieldId":"agreementinput-a","x":"\ud800"}`: "agreementinput-a|||nil",
}

func TestParseTag(t *testing.T) {
	for s, want := range tags {
		tag, ok := fields.ParseTag(s)
		if !ok && want == "" {
			continue
		}
		if got := tagString(tag); got != want || !ok {
			t.Errorf("%s: got %s, %v, want %s", s, got, ok, want)
		}
	}
	long := `{"fieldId":"agreementinput-a","displayLabel":"` + strings.Repeat("é", 5000) + `"}`
	if tag, ok := fields.ParseTag(long); !ok || utf8.RuneCountInString(tag.Label) != fields.MaxLabel {
		t.Errorf("a long label: %v, %d bytes", ok, len(tag.Label))
	}
	if _, ok := fields.ParseTag(`{"fieldId":"agreementinput-a","x":"` + strings.Repeat("x", 1<<15) + `"}`); ok {
		t.Error("a tag that is too large was accepted")
	}
}

func FuzzParseTag(f *testing.F) {
	for s := range tags {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tag, ok := fields.ParseTag(s)
		if !ok {
			return
		}
		_, known := fields.ParseType(string(tag.Type))
		if !fields.ValidID(tag.FieldID) || tag.Type != "" && !known || !utf8.ValidString(tag.Label) || utf8.RuneCountInString(tag.Label) > fields.MaxLabel {
			t.Errorf("%q: got %+v", s, tag)
		}
	})
}
