package registry_test

import (
	"encoding/json"
	"testing"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem/problemtest"
	"github.com/rectohq/recto/services/annotation/internal/registry"
)

func TestMerge(t *testing.T) {
	yes, no, label := true, false, "Registry"
	found := []fields.Field{
		{ID: "agreementinput-a", Type: fields.Dropdown, Label: "File", Required: true, Options: []fields.Option{{Display: "A", Value: "1"}}, Source: fields.ContentControl, Text: "A", XMLPath: "p"},
		{ID: "agreementinput-b", Type: fields.Text, Source: fields.TextTag},
		{ID: "agreementinput-c", Type: fields.Checkbox, Options: []fields.Option{{Display: "A", Value: "1"}}, Min: num(1), Source: fields.ContentControl},
		{ID: "agreementinput-d", Type: fields.Dropdown, Options: []fields.Option{{Display: "A"}}, Source: fields.ContentControl},
		{ID: "agreementinput-e", Type: fields.Checkbox, Options: []fields.Option{{Display: "A"}}, Min: num(1), Max: num(1), Source: fields.TextTag},
	}
	got := registry.Merge(registry.File{Fields: found}, []annotationapi.Definition{
		{FieldID: "agreementinput-z", Type: "image", Multiple: &yes},
		{FieldID: "agreementinput-a", Type: "gender"},
		{FieldID: "agreementinput-c", Type: "checkbox", Label: &label, Required: &no, Options: []string{"B", "A"}, Max: num(2)},
		{FieldID: "agreementinput-d", Type: "text"},
		{FieldID: "agreementinput-e", Type: "text"},
	})
	for i, want := range []string{
		`{"id":"agreementinput-a","type":"gender","label":"File","required":true,"options":[{"display":"A","value":"1"}],"source":"registry","text":"A","xml_path":"p"}`,
		`{"id":"agreementinput-b","type":"text","source":"text_tag"}`,
		`{"id":"agreementinput-c","type":"checkbox","label":"Registry","options":[{"display":"B"},{"display":"A","value":"1"}],"written":true,"min":1,"max":2,"source":"registry"}`,
		`{"id":"agreementinput-d","type":"text","source":"registry"}`,
		`{"id":"agreementinput-e","type":"text","source":"registry"}`,
		`{"id":"agreementinput-z","type":"image","multiple":true,"source":"registry"}`,
	} {
		if text, _ := json.Marshal(got[i]); string(text) != want {
			t.Errorf("got  %s\nwant %s", text, want)
		}
	}
	if len(got) != 6 || found[0].Source != fields.ContentControl {
		t.Errorf("got %d fields; the input is now %+v", len(got), found[0])
	}
}

// TestBoxes defines new names for the boxes of a file, subsets of their names, and
// invalid types and options.
func TestBoxes(t *testing.T) {
	box := fields.Field{
		ID: "agreementinput-a", Type: fields.Checkbox, Source: fields.ContentControl, Boxes: true, Selected: []string{"Two"},
		Options: []fields.Option{{Display: "One"}, {Display: "Two"}},
	}
	tag := fields.Field{ID: "agreementinput-t", Type: fields.Checkbox, Source: fields.TextTag, Options: box.Options}
	mark := fields.Field{ID: "agreementinput-m", Type: fields.Checkbox, Source: fields.ContentControl, Options: []fields.Option{{Display: "Yes"}}}
	list := fields.Field{ID: "agreementinput-l", Type: fields.Text, Source: fields.ContentControl}
	for _, tc := range []struct {
		found            fields.Field
		sent             annotationapi.Definition
		refused, options string
		value            string
	}{
		{box, annotationapi.Definition{Type: "checkbox"}, "", `["One","Two"]`, `["Two"]`},
		{box, annotationapi.Definition{Type: "checkbox", Options: []string{"Eins", "Zwei"}}, "", `["Eins","Zwei"]`, `["Zwei"]`},
		{box, annotationapi.Definition{Type: "dropdown", Options: []string{"Two", "One"}}, "", `["Two","One"]`, `null`},
		{box, annotationapi.Definition{Type: "checkbox", Options: []string{"Two"}}, "", `["Two"]`, `["Two"]`},
		{box, annotationapi.Definition{Type: "checkbox", Options: []string{"A", "B", "C"}}, "3001 fields.0.options:out_of_range", `["One","Two"]`, `["Two"]`},
		{box, annotationapi.Definition{Type: "text"}, "3001 fields.0.type:invalid_enum", `["One","Two"]`, `["Two"]`},
		{tag, annotationapi.Definition{Type: "checkbox", Options: []string{"A", "B", "C"}}, "", `["A","B","C"]`, `null`},
		{mark, annotationapi.Definition{Type: "checkbox", Options: []string{"A", "B", "C"}}, "", `["A","B","C"]`, `null`},
		{mark, annotationapi.Definition{Type: "text"}, "", `null`, `null`},
		{list, annotationapi.Definition{Type: "dropdown"}, "3002 fields.0.options:required", `null`, `null`},
		{list, annotationapi.Definition{Type: "dropdown", Options: []string{"A"}}, "", `["A"]`, `null`},
	} {
		tc.sent.FieldID = tc.found.ID
		r := annotationapi.PutFieldsRequest{Fields: []annotationapi.Definition{tc.sent, {FieldID: "agreementinput-other", Type: "gender"}}}
		found := registry.File{Fields: []fields.Field{tc.found}}
		got := ""
		if err := registry.Check(r, found); err != nil {
			got = problemtest.Entries(t, err)
		}
		shown := annotationapi.Show(registry.Merge(found, r.Fields)[0])
		options, _ := json.Marshal(shown.Options)
		value, _ := json.Marshal(shown.Value)
		if got != tc.refused || string(options) != tc.options || string(value) != tc.value {
			t.Errorf("%+v: got %q, options %s, value %s", tc.sent, got, options, value)
		}
	}
}

// TestChoicesNeedOptions checks choice fields whose options are in the file, in the
// request, and in neither.
func TestChoicesNeedOptions(t *testing.T) {
	r := annotationapi.PutFieldsRequest{Fields: []annotationapi.Definition{
		{FieldID: "agreementinput-a", Type: "dropdown"}, {FieldID: "agreementinput-b", Type: "dropdown"}, {FieldID: "agreementinput-c", Type: "checkbox"},
		{FieldID: "agreementinput-d", Type: "gender"}, {FieldID: "agreementinput-e", Type: "dropdown", Options: []string{"A"}},
	}}
	found := registry.File{Fields: []fields.Field{{ID: "agreementinput-a", Type: fields.Dropdown, Options: []fields.Option{{Display: "A"}}}}}
	if got, want := problemtest.Entries(t, registry.Check(r, found)), "3002 fields.1.options:required fields.2.options:required"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := problemtest.Entries(t, registry.Check(r, registry.File{})), "3002 fields.0.options:required fields.1.options:required fields.2.options:required"; got != want {
		t.Errorf("without a file: got %s, want %s", got, want)
	}
}

func num(n int) *int { return &n }
