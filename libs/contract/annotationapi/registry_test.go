package annotationapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
)

func TestPutFields(t *testing.T) {
	long := strings.Repeat("x", 501)
	for body, want := range map[string]string{
		`{"fields":[]}`: "<nil>",
		`{"fields":[{"field_id":"agreementinput-a","type":"checkbox","label":"L","required":true,"options":["A","B"],"min":0,"max":2,"multiple":false}]}`: "<nil>",
		`{"fields":[{"field_id":"agreementinput-a","type":"text","label":null,"required":null,"options":null,"min":null,"max":1e2,"multiple":null}]}`:     "<nil>",
		`{}`:               "3002 fields:required",
		`{"fields":{}}`:    "3003 fields:invalid_type",
		`{"fields":[{}]}`:  "3002 fields.0.field_id:required fields.0.type:required",
		`{"fields":["x"]}`: "3003 fields.0:invalid_type",
		`{"fields":[{"field_id":"a","type":"NAMETEXTINPUT"}]}`:                                                                            "3001 fields.0.field_id:field_key_invalid fields.0.type:invalid_enum",
		`{"fields":[{"field_id":"agreementinput-a","type":"text"},{"field_id":"agreementinput-a","type":"text"}],"x":1}`:                  "3001 fields.1.field_id:field_duplicate x:unrecognized_key",
		`{"fields":[{"field_id":"agreementinput-a","type":"checkbox","min":3,"max":2}]}`:                                                  "3001 fields.0.min:out_of_range",
		`{"fields":[{"field_id":"agreementinput-a","type":"checkbox","options":["A","B"],"min":3}]}`:                                      "3001 fields.0.min:out_of_range",
		`{"fields":[{"field_id":"agreementinput-a","type":"text","min":0}]}`:                                                              "3001 fields.0.min:forbidden_field",
		`{"fields":[{"field_id":"agreementinput-a","type":"date","min":3,"max":2}]}`:                                                      "3001 fields.0.min:forbidden_field fields.0.max:forbidden_field",
		`{"fields":[{"field_id":"agreementinput-a","type":"email","max":80},{"field_id":"agreementinput-b","type":"name","max":80}]}`:     "<nil>",
		`{"fields":[{"field_id":"agreementinput-a","type":"text","min":-1,"max":1e99,"required":"true","multiple":1,"label":7}]}`:         "3001 fields.0.label:invalid_type fields.0.required:invalid_type fields.0.min:out_of_range fields.0.max:out_of_range fields.0.multiple:invalid_type",
		`{"fields":[{"field_id":"agreementinput-a","type":"checkbox","options":["A","A"],"min":3,"max":0}]}`:                              "3001 fields.0.options.1:checkbox_duplicate_option fields.0.max:out_of_range fields.0.min:out_of_range",
		`{"fields":[{"field_id":"agreementinput-a","type":"dropdown","options":[],"min":0,"max":1}]}`:                                     "3001 fields.0.options:too_short fields.0.min:forbidden_field fields.0.max:forbidden_field",
		`{"fields":[{"field_id":"agreementinput-a","type":"text","min":1.5,"max":"2"}]}`:                                                  "3003 fields.0.min:invalid_type fields.0.max:invalid_type",
		`{"fields":[{"field_id":"agreementinput-a","type":"text","options":["","A","A",1],"label":"` + long + `","y":"x"}]}`:              "3001 fields.0.label:too_long fields.0.options.0:too_short fields.0.options.2:dropdown_invalid_option fields.0.options.3:invalid_type fields.0.y:unrecognized_key",
		`{"fields":[{"field_id":"agreementinput-a","type":"text","options":["` + long + `"]}]}`:                                           "3001 fields.0.options.0:too_long",
		`{"fields":[{"field_id":"agreementinput-a","type":"text","options":[` + strings.TrimSuffix(numbered(`"o%d",`, 501), ",") + `]}]}`: "3001 fields.0.options:too_long",
		`{"fields":[` + strings.TrimSuffix(numbered(`{"field_id":"agreementinput-%d","type":"text"},`, 1001), ",") + `]}`:                 "3001 fields:too_long",
	} {
		r, err := annotationapi.ParsePutFields("doc", []byte(body))
		if got := entries(t, err); got != want {
			t.Errorf("%.150s: got %s, want %s", body, got, want)
		}
		if err == nil && (r.Validate() != nil || r.DocumentID != "doc" || r.Fields == nil) {
			t.Errorf("%.100s: got %+v, %v", body, r, r.Validate())
		}
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestValidatePutFields(t *testing.T) {
	long := strings.Repeat("é", 501)
	r := annotationapi.PutFieldsRequest{Fields: []annotationapi.Definition{
		{FieldID: "a", Type: "x", Label: &long, Options: []string{"", long, "A", "A"}, Min: num(-1), Max: num(-2)},
		{FieldID: "agreementinput-a", Type: "text"}, {FieldID: "agreementinput-a", Type: "text"},
	}}
	want := "3001 fields.0.field_id:field_key_invalid fields.0.type:invalid_enum fields.0.label:too_long fields.0.options.0:too_short" +
		" fields.0.options.1:too_long fields.0.options.3:dropdown_invalid_option fields.0.min:out_of_range fields.0.min:out_of_range" +
		" fields.0.max:out_of_range fields.2.field_id:field_duplicate"
	if got := entries(t, r.Validate()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMerge(t *testing.T) {
	yes, no, label := true, false, "Registry"
	found := []fields.Field{
		{ID: "agreementinput-a", Type: fields.Dropdown, Label: "File", Required: true, Options: []fields.Option{{Display: "A", Value: "1"}}, Source: fields.ContentControl, Text: "A", XMLPath: "p"},
		{ID: "agreementinput-b", Type: fields.Text, Source: fields.TextTag},
		{ID: "agreementinput-c", Type: fields.Checkbox, Options: []fields.Option{{Display: "A", Value: "1"}}, Min: num(1), Source: fields.ContentControl},
		{ID: "agreementinput-d", Type: fields.Dropdown, Options: []fields.Option{{Display: "A"}}, Source: fields.ContentControl},
		{ID: "agreementinput-e", Type: fields.Checkbox, Options: []fields.Option{{Display: "A"}}, Min: num(1), Max: num(1), Source: fields.TextTag},
	}
	got := annotationapi.Merge(found, []annotationapi.Definition{
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
		t.Errorf("got %d fields, and what was found is %+v", len(got), found[0])
	}
}

// TestBoxes gives the boxes of a file other names, some of their own, and what
// they cannot be.
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
		found := []fields.Field{tc.found}
		got := ""
		if err := r.CheckAgainst(found); err != nil {
			got = entries(t, err)
		}
		shown := annotationapi.Show(annotationapi.Merge(found, r.Fields)[0])
		options, _ := json.Marshal(shown.Options)
		value, _ := json.Marshal(shown.Value)
		if got != tc.refused || string(options) != tc.options || string(value) != tc.value {
			t.Errorf("%+v: got %q, options %s, value %s", tc.sent, got, options, value)
		}
	}
}

// TestChoicesNeedOptions has fields to choose from that are in the file, in another
// file, and in none.
func TestChoicesNeedOptions(t *testing.T) {
	r := annotationapi.PutFieldsRequest{Fields: []annotationapi.Definition{
		{FieldID: "agreementinput-a", Type: "dropdown"}, {FieldID: "agreementinput-b", Type: "dropdown"}, {FieldID: "agreementinput-c", Type: "checkbox"},
		{FieldID: "agreementinput-d", Type: "gender"}, {FieldID: "agreementinput-e", Type: "dropdown", Options: []string{"A"}},
	}}
	found := []fields.Field{{ID: "agreementinput-a", Type: fields.Dropdown, Options: []fields.Option{{Display: "A"}}}}
	if got, want := entries(t, r.CheckAgainst(found)), "3002 fields.1.options:required fields.2.options:required"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := entries(t, r.CheckAgainst(nil)), "3002 fields.0.options:required fields.1.options:required fields.2.options:required"; got != want {
		t.Errorf("without a file: got %s, want %s", got, want)
	}
}

func TestShow(t *testing.T) {
	no := false
	for want, f := range map[string]fields.Field{
		`{"field_id":"agreementinput-a","type":"name","field_type":"NAMETEXTINPUT","label":"L","required":true,"options":null,"min":null,"max":3,"multiple":null,"source":"text_tag","value":"V","page_number":null,"bounding_box":null,"xml_path":"p"}`: {
			ID: "agreementinput-a", Type: fields.Name, Label: "L", Required: true, Max: num(3), Multiple: &no, Source: fields.TextTag, Text: "V", XMLPath: "p",
		},
		`{"field_id":"b","type":"checkbox","field_type":"CHECKTEXTINPUT","label":null,"required":false,"options":["A","B"],"min":1,"max":null,"multiple":null,"source":"acroform","value":["A"],"page_number":null,"bounding_box":null,"xml_path":""}`: {
			ID: "b", Type: fields.Checkbox, Options: []fields.Option{{Display: "A", Value: "1"}, {Display: "B"}}, Min: num(1), Source: fields.AcroForm, Selected: []string{"A"},
		},
		`{"field_id":"c","type":"gender","field_type":"GENDERINPUT","label":null,"required":false,"options":["Male","Female","Non-binary","Other","Prefer not to say"],"min":null,"max":null,"multiple":null,"source":"detected","value":null,"page_number":null,"bounding_box":null,"xml_path":""}`: {
			ID: "c", Type: fields.Gender, Source: fields.Detected,
		},
		`{"field_id":"d","type":"image","field_type":"IMAGEINPUT","label":null,"required":false,"options":null,"min":null,"max":null,"multiple":false,"source":"registry","value":null,"page_number":null,"bounding_box":null,"xml_path":""}`: {
			ID: "d", Type: fields.Image, Multiple: &no, Source: fields.Registry,
		},
	} {
		if got, err := json.Marshal(annotationapi.Show(f)); err != nil || string(got) != want {
			t.Errorf("got  %s\nwant %s, %v", got, want, err)
		}
	}
}
