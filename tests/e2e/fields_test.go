package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// field is a field as the API returns it.
type field struct {
	FieldID   string `json:"field_id"`
	Type      string `json:"type"`
	FieldType string `json:"field_type"`
	Label     *string
	Required  bool
	Options   []string
	Min, Max  *int
	Multiple  *bool
	Source    string
	Value     any
	XMLPath   string `json:"xml_path"`
	// PageNumber and BoundingBox are the place on a page.
	PageNumber  *int               `json:"page_number"`
	BoundingBox map[string]float64 `json:"bounding_box"`
	ReadOnly    bool               `json:"read_only"`
}

type fieldList struct{ Items []field }

// putFields sets the fields of a document.
func putFields(c *harness.Client, id string, body any) *harness.Answer {
	return c.Do(harness.Request{Method: http.MethodPut, Path: "/documents/" + id + "/fields", Body: body})
}

// described returns a field in one line: its id, types, label, options, source and value.
func (f field) described() string {
	label := "-"
	if f.Label != nil {
		label = *f.Label
	}
	return fmt.Sprintf("%s %s %s %q %v %s %v", strings.TrimPrefix(f.FieldID, "agreementinput-"), f.Type, f.FieldType, label, f.Options, f.Source, f.Value)
}

// TestFieldsOfTheContract checks all fields of the sample contract, before and after it
// is filled.
func TestFieldsOfTheContract(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "contract.docx", testdata(t, "contract.docx"))
	var list fieldList
	a := c.Get("/documents/" + d.ID + "/fields").OK(&list)
	want := []string{
		`company company COMPANYNAMETEXTINPUT "Company" [] content_control <nil>`,
		`client-name name NAMETEXTINPUT "Name of the client" [] content_control <nil>`,
		`start-date date DATEINPUT "Start date" [] content_control <nil>`,
		`services checkbox CHECKTEXTINPUT "The Client orders the services that are ticked here" [Advice Training] content_control <nil>`,
		`fee number NUMBERTEXTINPUT "Fee for an hour" [] content_control <nil>`,
		`payment-term dropdown DROPDOWNINPUT "Payment term" [on receipt within 14 days within 30 days] content_control <nil>`,
		`invoice-email email EMAILTEXTINPUT "E-mail address for invoices" [] text_tag <nil>`,
		`signature signature SIGNATUREINPUT "Signature of the client" [] content_control <nil>`,
	}
	if len(list.Items) != len(want) || len(want) != len(harness.ContractFields) {
		t.Fatalf("the fields are %s", a.Body)
	}
	for i, f := range list.Items {
		if got := f.described(); got != want[i] || f.FieldID != harness.ContractFields[i] {
			t.Errorf("field %d is %s\nwant %s", i, got, want[i])
		}
		if !strings.HasPrefix(f.XMLPath, "word/document.xml#/w:document[1]/w:body[1]/") || (f.Options == nil) != (f.Type != "checkbox" && f.Type != "dropdown") {
			t.Errorf("%s: path %q, options %v", f.FieldID, f.XMLPath, f.Options)
		}
	}
	var got converted
	c.Post("/documents/"+d.ID+"/annotate", contractValues(t)).OK(&got)
	filled := upload(t, c, "filled.docx", download(t, c, got.DownloadURL))
	c.Get("/documents/" + filled.ID + "/fields").OK(&list)
	values := map[string]string{}
	for _, f := range list.Items {
		values[strings.TrimPrefix(f.FieldID, "agreementinput-")] = fmt.Sprint(f.Value)
	}
	for name, want := range map[string]string{
		"company": "Lindqvist & Söhne AB", "client-name": "Zoë Ünal 🙂", "services": "[Training]", "fee": "120.50", "payment-term": "within 30 days",
	} {
		if values[name] != want {
			t.Errorf("the value of %s is %q, want %q", name, values[name], want)
		}
	}
}

// TestDetectedFields fills blanks that the author has not named.
func TestDetectedFields(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "blanks.docx", harness.DOCX(
		harness.Paragraph{Text: "This agreement is made with [Full legal name of the client]."},
		harness.Paragraph{Text: "Date: ____________"}, harness.Paragraph{Text: "☐ The client wants a copy."},
	))
	var list fieldList
	a := c.Get("/documents/" + d.ID + "/fields").OK(&list)
	if len(list.Items) != 3 {
		t.Fatalf("the fields are %s", a.Body)
	}
	var pairs []any
	for _, f := range list.Items {
		if f.Source != "detected" || f.XMLPath == "" {
			t.Errorf("unexpected field %+v", f)
		}
		value := any("2026-03-01")
		switch {
		case f.Type == "checkbox":
			value = f.Options
		case f.Type != "date":
			value = "Zoë Ünal"
		}
		pairs = append(pairs, strings.TrimPrefix(f.FieldID, "agreementinput-"), value)
	}
	var got converted
	c.Post("/documents/"+d.ID+"/annotate", values(pairs...)).OK(&got)
	says(t, docxText(t, download(t, c, got.DownloadURL)), "made with Zoë Ünal.", "Date: 2026-03-01", "☒ The client")
	c.Get("/documents/" + d.ID + "/fields").OK(&list)
	if again := list.Items[0].FieldID; !strings.Contains(fmt.Sprint(pairs...), strings.TrimPrefix(again, "agreementinput-")) {
		t.Errorf("the id has changed to %s", again)
	}
}

// TestPutFields defines properties of fields that the file does not have, and checks that
// annotate applies them.
func TestPutFields(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.docx", harness.DOCX(harness.Paragraph{Text: "{{agreementinput-a;label=First}} and {{agreementinput-b;type=checkbox;options=X|Y}}"}))
	path := "/documents/" + d.ID
	var list fieldList
	putFields(c, d.ID, object{"fields": []object{
		{"field_id": "agreementinput-b", "type": "checkbox", "min": 1, "max": 1, "required": true}, {"field_id": "agreementinput-c", "type": "image", "multiple": false, "label": "Elsewhere"},
		{"field_id": "agreementinput-a", "type": "dropdown", "options": []string{"one", "two"}},
	}}).OK(&list)
	want := []string{
		`a dropdown DROPDOWNINPUT "First" [one two] registry <nil>`, `b checkbox CHECKTEXTINPUT "-" [X Y] registry <nil>`, `c image IMAGEINPUT "Elsewhere" [] registry <nil>`,
	}
	if len(list.Items) != len(want) {
		t.Fatalf("the fields are %+v", list.Items)
	}
	for i, f := range list.Items {
		if f.described() != want[i] {
			t.Errorf("field %d is %s\nwant %s", i, f.described(), want[i])
		}
	}
	if f := list.Items[1]; f.Min == nil || *f.Min != 1 || f.Max == nil || *f.Max != 1 || !f.Required {
		t.Errorf("b is %+v", f)
	}
	if f := list.Items[2]; f.XMLPath != "" || f.Multiple == nil || *f.Multiple {
		t.Errorf("c is %+v", f)
	}
	var same fieldList
	if c.Get(path + "/fields").OK(&same); fmt.Sprint(len(same.Items)) != fmt.Sprint(len(list.Items)) {
		t.Errorf("GET returns %+v", same)
	}
	c.Post(path+"/annotate", values("a", "three", "b", []string{})).FailsWith(3001, at("a", "dropdown_invalid_option"), at("b", "checkbox_min_selected"))
	c.Post(path+"/annotate", values("a", "two", "b", []string{"X", "Y"})).FailsWith(3001, at("b", "checkbox_max_selected"))
	c.Post(path+"/annotate", values("a", "two", "c", dataURL("image/png", testdata(t, "signature.png")))).FailsWith(3001, at("c", "field_not_found")) // the file has no place for it
	var got converted
	c.Post(path+"/annotate", values("a", "two", "b", []string{"Y"})).OK(&got)
	says(t, docxText(t, download(t, c, got.DownloadURL)), "two and ")
	// The registry applies to all versions of the document. An empty list clears it.
	putFields(c, d.ID, object{"fields": []object{}}).OK(&list)
	if len(list.Items) != 2 || list.Items[0].Type != "text" || list.Items[0].Source != "text_tag" {
		t.Errorf("the fields are %+v", list.Items)
	}
	c.Post(path+"/annotate", values("a", "three")).OK(nil)
}

// TestPutFieldsOfBoxes renames the options of a file's check boxes. Definitions that do
// not match the check boxes are refused.
func TestPutFieldsOfBoxes(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "contract.docx", testdata(t, "contract.docx"))
	services := func(kind string, options ...string) object {
		return object{"fields": []object{{"field_id": "agreementinput-services", "type": kind, "options": options}}}
	}
	putFields(c, d.ID, services("checkbox", "A", "B", "C")).FailsWith(3001, "fields.0.options out_of_range")
	putFields(c, d.ID, services("number", "A")).FailsWith(3001, "fields.0.type invalid_enum", "fields.0.options out_of_range")
	path := "/documents/" + d.ID + "/annotate"
	for _, tc := range []struct {
		kind    string
		value   any
		refused string
	}{{"checkbox", []string{"Schulung"}, "checkbox_invalid_option"}, {"dropdown", "Schulung", "dropdown_invalid_option"}} {
		putFields(c, d.ID, services(tc.kind, "Beratung", "Schulung")).OK(nil)
		wrong := any("Training")
		if tc.kind == "checkbox" {
			wrong = []string{"Training"}
		}
		c.Post(path, values("services", wrong)).FailsWith(3001, at("services", tc.refused))
		var got converted
		c.Post(path, values("services", tc.value)).OK(&got)
		says(t, docxText(t, download(t, c, got.DownloadURL)), "☐ Advice", "☒ Training")
	}
	// A field without check boxes accepts any options and shows the selected ones.
	putFields(c, d.ID, object{"fields": []object{{"field_id": "agreementinput-client-name", "type": "checkbox", "options": []string{"Ann", "Bob", "Cy"}, "min": 1}}}).OK(nil)
	c.Post(path, values("client-name", []string{})).FailsWith(3001, at("client-name", "checkbox_min_selected"))
	var got converted
	c.Post(path, values("client-name", []string{"Ann", "Cy"})).OK(&got)
	says(t, docxText(t, download(t, c, got.DownloadURL)), "represented by Ann, Cy")
}

// TestFieldsWithoutContent defines the fields of a document before its file is uploaded.
func TestFieldsWithoutContent(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, valid())
	var list fieldList
	if putFields(c, d.ID, object{"fields": []object{{"field_id": "agreementinput-a", "type": "ssn"}}}).OK(&list); len(list.Items) != 1 || list.Items[0].FieldType != "SSNTEXTINPUT" {
		t.Errorf("the fields are %+v", list.Items)
	}
	put(t, c, d.Files[0].UploadURL, harness.DOCX(harness.Paragraph{Text: "{{agreementinput-a}} {{agreementinput-b}}"}))
	if c.Get("/documents/" + d.ID + "/fields").OK(&list); len(list.Items) != 2 || list.Items[0].Source != "registry" || list.Items[0].XMLPath == "" {
		t.Errorf("the fields are %+v", list.Items)
	}
	c.Post("/documents/"+d.ID+"/annotate", values("a", "x")).FailsWith(3001, at("a", "ssn_invalid"))
}

// TestPutFieldsRefusals breaks every validation rule of field definitions.
func TestPutFieldsRefusals(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, valid())
	one := func(name string, value any) object {
		f := object{"field_id": "agreementinput-a", "type": "checkbox"}
		f[name] = value
		return object{"fields": []object{f}}
	}
	for _, tc := range []struct {
		body    any
		code    int
		entries []string
	}{
		{object{}, 3002, []string{"fields required"}}, {object{"fields": nil}, 3002, []string{"fields required"}}, {object{"fields": object{}}, 3003, []string{"fields invalid_type"}},
		{object{"fields": []object{}, "x": 1}, 3001, []string{"x unrecognized_key"}}, {object{"fields": []any{1}}, 3003, []string{"fields.0 invalid_type"}},
		{object{"fields": []object{{}}}, 3002, []string{"fields.0.field_id required", "fields.0.type required"}},
		{one("field_id", "a"), 3001, []string{"fields.0.field_id field_key_invalid"}}, {one("field_id", 1), 3003, []string{"fields.0.field_id invalid_type"}},
		{one("type", "colour"), 3001, []string{"fields.0.type invalid_enum"}}, {one("label", strings.Repeat("x", 501)), 3001, []string{"fields.0.label too_long"}},
		{one("required", "yes"), 3003, []string{"fields.0.required invalid_type"}}, {one("options", "A"), 3003, []string{"fields.0.options invalid_type"}},
		{one("min", -1), 3001, []string{"fields.0.min out_of_range"}}, {one("multiple", 1), 3003, []string{"fields.0.multiple invalid_type"}},
		{one("x", 1), 3001, []string{"fields.0.x unrecognized_key"}},
		{object{"fields": []object{{"field_id": "agreementinput-a", "type": "text"}, {"field_id": "agreementinput-a", "type": "text"}}}, 3001, []string{"fields.1.field_id field_duplicate"}},
	} {
		putFields(c, d.ID, tc.body).FailsWith(tc.code, tc.entries...)
	}
	defined := func(member string, value any, kind string) *harness.Answer {
		return putFields(c, d.ID, object{"fields": []object{{"field_id": "agreementinput-a", "type": kind, member: value}}})
	}
	defined("label", "A", "dropdown").FailsWith(3002, "fields.0.options required")
	defined("label", "A", "checkbox").FailsWith(3002, "fields.0.options required")
	defined("min", 1, "text").FailsWith(3001, "fields.0.min forbidden_field")
	defined("max", 1, "image").FailsWith(3001, "fields.0.max forbidden_field")
	p := putFields(c, d.ID, object{"fields": []object{{"field_id": "agreementinput-a", "type": "checkbox", "min": 2, "max": 1}}}).Fails(400, 3001)
	if len(p.Errors) != 1 || p.Errors[0].Code != "out_of_range" {
		t.Errorf("min above max: %+v", p)
	}
	putFields(c, "doc_01h455vb4pex5vsknk084sn02q", object{"fields": []object{}}).Fails(404, 4001)
	var list fieldList
	if a := c.Get("/documents/" + d.ID + "/fields").OK(&list); len(list.Items) != 0 {
		t.Errorf("a refused request has defined fields: %s", a.Body)
	}
	shared.NewClient(t, "--scopes", "documents:read").Do(harness.Request{Method: "PUT", Path: "/documents/" + d.ID + "/fields", Body: object{"fields": []object{}}}).Fails(403, 2004)
	shared.NewClient(t, "--scopes", "documents:write").Get("/documents/"+d.ID+"/fields").Fails(403, 2004)
}
