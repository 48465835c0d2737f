package texttag

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
)

func number(n int) *int  { return &n }
func yesNo(b bool) *bool { return &b }

func TestFind(t *testing.T) {
	field := func(change func(*fields.Field)) *fields.Field {
		f := &fields.Field{ID: "agreementinput-a", Type: fields.Text, Source: fields.TextTag}
		change(f)
		return f
	}
	for text, want := range map[string]*fields.Field{
		"{{agreementinput-a}}":                           field(func(*fields.Field) {}),
		"x {{ agreementinput-a ; type = ssn }} y":        field(func(f *fields.Field) { f.Type = fields.SSN }),
		"{{agreementinput-a;type=what;colour=red}}":      field(func(*fields.Field) {}),
		"{{agreementinput-a;type=DATEINPUT}}":            field(func(f *fields.Field) { f.Type = fields.Date }),
		"{{agreementinput-a;label=“Your  name”}}":        field(func(f *fields.Field) { f.Label = "Your name" }),
		"{{agreementinput-a;label=a=b;required}}":        field(func(f *fields.Field) { f.Label, f.Required = "a=b", true }),
		"{{agreementinput-a;required=false;multiple}}":   field(func(f *fields.Field) { f.Multiple = yesNo(true) }),
		"{{agreementinput-a;type=image;multiple=no}}":    field(func(f *fields.Field) { f.Type, f.Multiple = fields.Image, yesNo(false) }),
		"{{agreementinput-a;type=checkbox;min=1;max=2}}": field(func(f *fields.Field) { f.Type, f.Min, f.Max = fields.Checkbox, number(1), number(2) }),
		"{{agreementinput-a;type=dropdown;options=A| B |A||“C”}}": field(func(f *fields.Field) {
			f.Type = fields.Dropdown
			f.Options = []fields.Option{{Display: "A"}, {Display: "B"}, {Display: "C"}}
		}),
		"{{agreementinput-a;\n\ttype=url}}": field(func(f *fields.Field) { f.Type = fields.URL }),
		"{{{agreementinput-a}}}":            field(func(*fields.Field) {}),

		"{{agreementinput-}}":                                 nil,
		"{{agreementinput-a b}}":                              nil,
		"{{agreementinput-ä}}":                                nil,
		"{{agreementinput-a;min=x}}":                          nil,
		"{{agreementinput-a;min=-1}}":                         nil,
		"{{agreementinput-a;min=3;max=2}}":                    nil,
		"{{agreementinput-a":                                  nil,
		"{{agreementinput-a {{b}}":                            nil,
		"{agreementinput-a}":                                  nil,
		"{{name}}":                                            nil,
		"{{agreementinput-" + strings.Repeat("a", 300) + "}}": nil,
	} {
		var got *fields.Field
		for _, tag := range Find(text) {
			if tag.Valid {
				got = &tag.Field
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n is %+v\nwant %+v", text, got, want)
		}
	}
}

func TestRanges(t *testing.T) {
	text := "a {{agreementinput-x}}{{ agreementinput-y;min=z }} {{agreementinput-z}}"
	var got []string
	for _, tag := range Find(text) {
		got = append(got, text[tag.Start:tag.End])
	}
	want := []string{"{{agreementinput-x}}", "{{ agreementinput-y;min=z }}", "{{agreementinput-z}}"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func FuzzFind(f *testing.F) {
	f.Add("{{agreementinput-a;type=ssn;options=A|B;min=1}} {{agreementinput-b}}")
	f.Add("{{ agreementinput-a ; label = “x” ;;=; }}")
	f.Add("{{{{agreementinput-}}}}")
	f.Add(strings.Repeat("{{agreementinput-", 50))
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, tag := range Find(text) {
			if tag.Start < end || tag.End > len(text) || !strings.HasSuffix(text[:tag.End], "}}") {
				t.Fatalf("a tag is at %d to %d, but the previous one ends at %d", tag.Start, tag.End, end)
			}
			end = tag.End
			if tag.Valid && !fields.ValidID(tag.Field.ID) {
				t.Fatalf("%q is not a valid ID", tag.Field.ID)
			}
		}
	})
}
