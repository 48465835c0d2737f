package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
	"github.com/rectohq/recto/tests/harness"
)

// TestAnnotateAsPDF fills documents of each kind and asks for the result as PDF: one
// request, one file and, asynchronously, one job.
func TestAnnotateAsPDF(t *testing.T) {
	forms(t, func(t *testing.T, c *harness.Client, _ fillable, path string) {
		body := values("name", "Zoë", "company", "Söhne GmbH")
		check := func(url string) {
			t.Helper()
			a := c.Raw(http.MethodGet, url, nil, nil)
			if a.Header.Get("Content-Disposition") != `attachment; filename="form.pdf"` || !bytes.HasPrefix(a.Body, []byte("%PDF-")) {
				t.Fatalf("the download is %s, %.20q", a.Header.Get("Content-Disposition"), a.Body)
			}
			says(t, filledText(t, a.Body), "Zoë", "SöhneGmbH")
		}
		var got converted
		c.Post(path+"?format=PDF&dry_run=true", body).OK(nil)
		if files := derived(t, c); len(files) > 0 {
			t.Errorf("a dry run has stored %v", files)
		}
		c.Post(path+"?format=PDF", body).OK(&got)
		check(got.DownloadURL)
		if files := derived(t, c); shared.Dir != "" && len(files) != 1 {
			t.Errorf("the filled files are %v, want 1", files)
		}
		var job accepted
		c.Do(harness.Request{Method: http.MethodPost, Path: path + "?format=pdf", Body: body, Header: map[string]string{"Prefer": "respond-async"}}).Accepted(&job)
		if j := ended(t, c, job.ID); j.State != "succeeded" {
			t.Fatalf("the job ended as %+v", j)
		} else {
			check(j.Result.DownloadURL)
		}
		var jobs jobList
		if c.Get("/jobs").OK(&jobs); len(jobs.Items) != 1 {
			t.Errorf("the jobs are %+v, want 1", jobs.Items)
		}
		c.Post(path+"?format=docx", values("ssn", "x")).FailsWith(3001, "format format_unsupported", at("ssn", "ssn_invalid"))
		shared.NewClient(t).Post(path+"?format=pdf", body).Fails(404, 4001)
	})
}

// formFields returns the values of the fields of a PDF that are form fields, and whether
// they are read-only, by their ids.
func formFields(t *testing.T, c *harness.Client, file []byte) map[string]string {
	t.Helper()
	var list fieldList
	c.Get("/documents/" + upload(t, c, "filled.pdf", file).ID + "/fields").OK(&list)
	found := map[string]string{}
	for _, field := range list.Items {
		if field.Source == "acroform" {
			found[strings.TrimPrefix(field.FieldID, "agreementinput-")] = fmt.Sprint(field.Value, " ", field.ReadOnly)
		}
	}
	return found
}

// TestAnnotateFlatten fills a PDF form, which stays a form unless it is flattened.
func TestAnnotateFlatten(t *testing.T) {
	c := shared.NewClient(t)
	f := fillables()[2]
	path := f.add(t, c)
	for query, stays := range map[string]bool{"": true, "?flatten=false": true, "?flatten=true": false, "?flatten=true&format=pdf": false} {
		var got converted
		c.Post(path+query, values("name", "Zoë", "checkbox", []string{"B"}, "dropdown", "B")).OK(&got)
		filled := download(t, c, got.DownloadURL)
		says(t, filledText(t, filled), "Zoë")
		found := formFields(t, c, filled)
		if !stays && len(found) > 0 {
			t.Errorf("%s: the file is still a form: %v", query, found)
		}
		if stays && (found["name"] != "Zoë true" || found["checkbox"] != "[B] true" || found["dropdown"] != "B true" || found["ssn"] != "<nil> false") {
			t.Errorf("%s: the fields are %v", query, found)
		}
	}
}

// TestAnnotateFlattenWord fills a Word document: flatten applies to the PDF that it becomes,
// and has no effect without one.
func TestAnnotateFlattenWord(t *testing.T) {
	c := shared.NewClient(t)
	path := "/documents/" + upload(t, c, "form.docx", formDOCX()).ID + "/annotate"
	fill := func(query string, async bool) []byte {
		t.Helper()
		r := harness.Request{Method: http.MethodPost, Path: path + query, Body: values("name", "Zoë", "dropdown", "B")}
		var got converted
		if !async {
			c.Do(r).OK(&got)
			return download(t, c, got.DownloadURL)
		}
		r.Header = map[string]string{"Prefer": "respond-async"}
		var job accepted
		c.Do(r).Accepted(&job)
		return download(t, c, ended(t, c, job.ID).Result.DownloadURL)
	}
	for _, async := range []bool{false, true} {
		flat := fill("?format=pdf&flatten=true", async)
		says(t, filledText(t, flat), "Zoë")
		if found := formFields(t, c, flat); len(found) > 0 {
			t.Errorf("async %t: the file is still a form: %v", async, found)
		}
	}
	if word := fill("?flatten=true", false); !strings.Contains(docxText(t, word), "Zoë") {
		t.Error("without format=pdf, the result is no filled Word document")
	}
}

// TestAnnotateUnsupportedCharacter sends a character that no font has. Whoever opens a Word
// document brings fonts along.
func TestAnnotateUnsupportedCharacter(t *testing.T) {
	forms(t, func(t *testing.T, c *harness.Client, f fillable, path string) {
		for _, query := range []string{"", "?dry_run=true"} {
			a := c.Post(path+query, values("name", "a\uE123b"))
			if f.name == "form.docx" {
				a.OK(nil)
				continue
			}
			if p := a.FailsWith(3001, at("name", "unsupported_character")); !strings.Contains(p.Errors[0].Message, "U+E123") {
				t.Errorf("the message is %s", p.Errors[0].Message)
			}
		}
	})
}

// TestAnnotateCalculations fills a form whose scripts calculate a field, synchronously and
// by a job.
func TestAnnotateCalculations(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "form.pdf", pdfforms.EveryKind())
	var list fieldList
	c.Get("/documents/" + d.ID + "/fields").OK(&list)
	for _, f := range list.Items {
		name := strings.TrimPrefix(f.FieldID, "agreementinput-")
		if strings.HasPrefix(name, "amount") {
			a := c.Post("/documents/"+d.ID+"/annotate", values(name, "12.50")).OK(nil)
			says(t, string(a.Body), `"warnings":[{"code":"calculation_not_run","message":"`)
			return
		}
	}
	t.Fatalf("the form has no amount: %+v", list.Items)
}

// TestAnnotateFormRules breaks the rules that a PDF form itself sets, without definitions, and
// then follows them, with the fields that are read-only in the form among them.
func TestAnnotateFormRules(t *testing.T) {
	c := shared.NewClient(t)
	path := "/documents/" + upload(t, c, "form.pdf", pdfforms.EveryKind()).ID
	var list fieldList
	c.Get(path + "/fields").OK(&list)
	id := func(name string) string {
		t.Helper()
		for _, f := range list.Items {
			if short := strings.TrimPrefix(f.FieldID, "agreementinput-"); short == name || strings.HasPrefix(short, name+"-") {
				return short
			}
		}
		t.Fatalf("the form has no field %s", name)
		return ""
	}
	png := testdata(t, "signature.png")
	var pairs []any
	var want []string
	for _, tc := range []struct {
		name  string
		value any
		codes string
	}{
		{"text_limited", "12345678901", "text_too_long"}, {"drop_plain", "Pink", "dropdown_invalid_option"}, {"drop_pairs", "Spain", "dropdown_invalid_option"},
		{"list_single", []string{"One"}, "invalid_type"}, {"list_multiple", []string{"One", "Four", "One"}, "checkbox_invalid_option checkbox_duplicate_option"},
		{"radio_opt", "Spain", "dropdown_invalid_option"}, {"date_us", "12/31/2026", "invalid_date_format"}, {"date_de", "2026-02-30", "invalid_date_format"},
		{"amount", "1,5", "number_invalid"}, {"ssn", "12-3", "ssn_invalid"}, {"phone", "12", "phone_invalid"}, {"picture", "a text", "image_invalid_header"},
		{"signature", dataURL("image/webp", png), "image_unsupported_type"}, {"text_left", nil, "required"},
	} {
		pairs = append(pairs, id(tc.name), tc.value)
		for _, code := range strings.Fields(tc.codes) {
			want = append(want, at(id(tc.name), code))
		}
	}
	for _, e := range c.Post(path+"/annotate", values(pairs...)).FailsWith(3001, want...).Errors {
		if e.Message == "" || e.InternalMessage == "" || e.Resolution == "" {
			t.Errorf("the entry lacks a text: %+v", e)
		}
	}
	var got converted
	c.Post(path+"/annotate", values(id("text_limited"), "1234567890", id("drop_pairs"), "Germany", id("list_multiple"), []string{"Two"}, id("date_us"), "2026-12-31",
		id("amount"), "1.5", id("ssn"), "123-45-6789", id("total"), "7", id("picture"), dataURL("image/png", png), id("signature"), "Zoë")).OK(&got)
	found := formFields(t, c, download(t, c, got.DownloadURL))
	for name, value := range map[string]string{
		"text_limited": "1234567890", "drop_pairs": "Germany", "list_multiple": "[Two]", "date_us": "2026-12-31", "total": "7",
	} {
		if found[id(name)] != value+" true" {
			t.Errorf("%s has the value %s, want %s", name, found[id(name)], value)
		}
	}
}

// TestPlacedFields places fields on the pages of a PDF, and checks the rules of boxes.
func TestPlacedFields(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "a.pdf", textPDF("{{agreementinput-own}}"))
	box := object{"left": 0.25, "top": 0.5, "width": 0.5, "height": 0.05}
	placed := func(name string, page, box any) object {
		return object{"fields": []object{{"field_id": "agreementinput-" + name, "type": "text", "page_number": page, "bounding_box": box}}}
	}
	var list fieldList
	putFields(c, d.ID, placed("x", 1, box)).OK(&list)
	if len(list.Items) != 2 || list.Items[1].PageNumber == nil || *list.Items[1].PageNumber != 1 || list.Items[1].BoundingBox["left"] != 0.25 || list.Items[1].BoundingBox["height"] < 0.049 {
		t.Fatalf("the fields are %+v", list.Items)
	}
	// What GET returned can be sent back. The file has the field, so the box is ignored.
	putFields(c, d.ID, placed("own", *list.Items[0].PageNumber, list.Items[0].BoundingBox)).OK(nil)
	putFields(c, d.ID, placed("own", 7, box)).OK(nil)
	for _, tc := range []struct {
		page, box any
		code      int
		entry     string
	}{
		{2, box, 3001, "fields.0.page_number invalid_box"}, {0, box, 3001, "fields.0.page_number out_of_range"}, {1, nil, 3002, "fields.0.bounding_box required"},
		{nil, box, 3002, "fields.0.page_number required"}, {"1", box, 3003, "fields.0.page_number invalid_type"}, {1, "box", 3003, "fields.0.bounding_box invalid_type"},
		{1, object{"left": 0.75, "top": 0.5, "width": 0.5, "height": 0.05}, 3001, "fields.0.bounding_box invalid_box"},
		{1, object{"left": 0.1, "top": 0.5, "width": 0.5, "height": 0}, 3001, "fields.0.bounding_box invalid_box"},
		{1, object{"left": 0.1, "top": 0.5, "width": -0.1, "height": 0.1}, 3001, "fields.0.bounding_box invalid_box"},
		{1, object{"left": 0.1, "top": 0.5, "width": 0.008, "height": 0.1}, 3001, "fields.0.bounding_box invalid_box"},
		{1, object{"left": 0.1, "top": 0.5, "width": 0.5, "height": 0.005}, 3001, "fields.0.bounding_box invalid_box"},
		{1, object{"left": 0.1, "top": 0.5, "width": 1e-300, "height": 1e-300}, 3001, "fields.0.bounding_box invalid_box"},
		{1, object{"left": -0.1, "top": 0.5, "width": 0.5, "height": 0.1}, 3001, "fields.0.bounding_box invalid_box"},
		{1, object{"page": 2, "left": 0.1, "top": 0.5, "width": 0.5, "height": 0.1}, 3001, "fields.0.bounding_box invalid_box"},
	} {
		putFields(c, d.ID, placed("x", tc.page, tc.box)).FailsWith(tc.code, tc.entry)
	}
	word := upload(t, c, "a.docx", formDOCX())
	putFields(c, word.ID, placed("x", 1, box)).FailsWith(3001, "fields.0.bounding_box invalid_box")
	putFields(c, word.ID, placed("name", 1, box)).OK(nil) // the file has it
	later := create(t, c, valid())
	putFields(c, later.ID, placed("x", 1, box)).OK(nil) // before the upload, its pages are unknown
	scan := upload(t, c, "scan.pdf", pdfforms.Scan())
	putFields(c, scan.ID, placed("x", 1, box)).OK(nil)
	var got converted
	c.Post("/documents/"+scan.ID+"/annotate", values("x", "Zoë Ünal")).OK(&got)
	says(t, filledText(t, download(t, c, got.DownloadURL)), "ZoëÜnal")
}
