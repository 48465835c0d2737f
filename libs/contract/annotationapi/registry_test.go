package annotationapi_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/problem/problemtest"
)

func TestPutFields(t *testing.T) {
	long := strings.Repeat("x", 501)
	for body, want := range map[string]string{
		`{"fields":[]}`: "<nil>",
		`{"fields":[{"field_id":"agreementinput-a","type":"checkbox","label":"L","required":true,"options":["A","B"],"min":0,"max":2,"multiple":false}]}`: "<nil>",
		`{"fields":[{"field_id":"agreementinput-a","type":"text","label":null,"required":null,"options":null,"min":null,"max":1e2,"multiple":null}]}`:     "<nil>",
		placed(`"page_number":2,"bounding_box":{"left":0,"top":0.5,"width":1,"height":5e-1}`):                                                             "<nil>",
		placed(`"page_number":2,"bounding_box":{"page":2,"left":0.1,"top":0.5,"width":0.3,"height":0.1}`):                                                 "<nil>",
		placed(`"page_number":null,"bounding_box":null`):                                                                                                  "<nil>",
		placed(`"page_number":2`): "3002 fields.0.bounding_box:required",
		placed(`"bounding_box":{"page":2,"left":0.1,"top":0.5,"width":0.3,"height":0.1}`):                 "3002 fields.0.page_number:required",
		placed(`"page_number":0,"bounding_box":{"left":0.1,"top":0.5,"width":0.3,"height":0.1}`):          "3001 fields.0.page_number:out_of_range",
		placed(`"page_number":"1","bounding_box":[]`):                                                     "3003 fields.0.page_number:invalid_type fields.0.bounding_box:invalid_type",
		placed(`"page_number":1,"bounding_box":{"page":2,"left":0.1,"top":0.5,"width":0.3,"height":0.1}`): "3001 fields.0.bounding_box:invalid_box",
		placed(`"page_number":1,"bounding_box":{}`):                                                       "3002 fields.0.bounding_box.left:required fields.0.bounding_box.top:required fields.0.bounding_box.width:required fields.0.bounding_box.height:required",
		placed(`"page_number":1,"bounding_box":{"left":"0","top":true,"width":1,"height":0.1,"right":1}`): "3001 fields.0.bounding_box.left:invalid_type fields.0.bounding_box.top:invalid_type fields.0.bounding_box.right:unrecognized_key",
		placed(`"page_number":1,"bounding_box":{"left":0.8,"top":0.5,"width":0.3,"height":0.1}`):          "3001 fields.0.bounding_box:invalid_box",
		placed(`"page_number":1,"bounding_box":{"left":-0.1,"top":0.5,"width":0.3,"height":0.1}`):         "3001 fields.0.bounding_box:invalid_box",
		placed(`"page_number":1,"bounding_box":{"left":0.1,"top":0.95,"width":0.3,"height":0.1}`):         "3001 fields.0.bounding_box:invalid_box",
		placed(`"page_number":1,"bounding_box":{"left":0.1,"top":-1,"width":0.3,"height":0.1}`):           "3001 fields.0.bounding_box:invalid_box",
		placed(`"page_number":1,"bounding_box":{"left":0.1,"top":0.5,"width":0,"height":0.1}`):            "3001 fields.0.bounding_box:invalid_box",
		placed(`"page_number":1,"bounding_box":{"left":0.1,"top":0.5,"width":0.1,"height":-0.1}`):         "3001 fields.0.bounding_box:invalid_box",
		placed(`"page_number":1,"bounding_box":{"left":-1e999,"top":0.5,"width":1e999,"height":0.1}`):     "3001 fields.0.bounding_box:invalid_box",
		placed(`"page_number":3000000000,"bounding_box":{"left":0,"top":0.5,"width":1,"height":0.1}`):     "3001 fields.0.page_number:out_of_range",
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
		if got := problemtest.Entries(t, err); got != want {
			t.Errorf("%.150s: got %s, want %s", body, got, want)
		}
		if err == nil && (r.Validate() != nil || r.DocumentID != "doc" || r.Fields == nil) {
			t.Errorf("%.100s: got %+v, %v", body, r, r.Validate())
		}
	}
}

// placed returns a body with a field that has these members.
func placed(members string) string {
	return `{"fields":[{"field_id":"agreementinput-a","type":"text",` + members + `}]}`
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
	box := annotationapi.BoundingBox{Page: 1, Width: 1, Height: 1}
	nowhere := annotationapi.BoundingBox{Page: 1, Left: math.NaN(), Width: 1, Height: 1}
	r := annotationapi.PutFieldsRequest{Fields: []annotationapi.Definition{
		{FieldID: "a", Type: "x", Label: &long, Options: []string{"", long, "A", "A"}, Min: num(-1), Max: num(-2)},
		{FieldID: "agreementinput-a", Type: "text"}, {FieldID: "agreementinput-a", Type: "text"},
		{FieldID: "agreementinput-b", Type: "text", PageNumber: num(0)}, {FieldID: "agreementinput-c", Type: "text", BoundingBox: &box},
		{FieldID: "agreementinput-d", Type: "text", PageNumber: num(2), BoundingBox: &box},
		{FieldID: "agreementinput-e", Type: "text", PageNumber: num(1), BoundingBox: &nowhere},
	}}
	want := "3001 fields.0.field_id:field_key_invalid fields.0.type:invalid_enum fields.0.label:too_long fields.0.options.0:too_short" +
		" fields.0.options.1:too_long fields.0.options.3:dropdown_invalid_option fields.0.min:out_of_range fields.0.min:out_of_range" +
		" fields.0.max:out_of_range fields.2.field_id:field_duplicate fields.3.page_number:out_of_range fields.3.bounding_box:required" +
		" fields.4.page_number:required fields.5.bounding_box:invalid_box fields.6.bounding_box:invalid_box"
	if got := problemtest.Entries(t, r.Validate()); got != want {
		t.Errorf("got %s, want %s", got, want)
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

func num(n int) *int { return &n }

// TestShowPDF checks what the response says about fields of a PDF: their first place, cut
// off at the edges of the page, and what only a form has.
func TestShowPDF(t *testing.T) {
	widget := 3
	f := fields.Field{
		ID: "a", Type: fields.Text, Max: num(9), Source: fields.AcroForm, ReadOnly: true,
		Places: []fields.Place{{Page: 2, Box: layout.Box{Left: 0.25, Top: -0.5, Right: 1.5, Bottom: 0.5}, Widget: &widget}, {Page: 1}},
	}
	want := `{"field_id":"a","type":"text","field_type":"FREETEXTINPUT","label":null,"required":false,"options":null,"min":null,"max":9,"multiple":null,"source":"acroform","value":null,` +
		`"page_number":2,"bounding_box":{"page":2,"left":0.25,"top":0,"width":0.75,"height":0.5},"xml_path":"","read_only":true,"max_length":9}`
	got, err := json.Marshal(annotationapi.ShowPDF(f))
	if err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s, %v", got, want, err)
	}
	var back annotationapi.Field
	if err := json.Unmarshal(got, &back); err != nil || back.FormProperties == nil || *back.MaxLength != 9 {
		t.Errorf("decoded: %+v, %v", back, err)
	}
	f = fields.Field{ID: "b", Type: fields.Checkbox, Max: num(2), Source: fields.Registry}
	if shown := annotationapi.ShowPDF(f); shown.MaxLength != nil || shown.ReadOnly || shown.PageNumber != nil || shown.BoundingBox != nil {
		t.Errorf("got %+v", shown)
	}
}
