package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// controls are characters that names and ids must not contain. The first five are
// control characters, which values must not contain either.
var controls = []string{"\x00", "\x07", "\x1f", "\x7f", "\u0080", "\t", "\n", "\u2028", "\u202e", "\u2066"}

// TestControlCharactersInNames sends controls in document names, file names and user
// ids, in every request that has them.
func TestControlCharactersInNames(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, valid())
	path := "/documents/" + d.ID
	patch := func(body any) *harness.Answer {
		return c.Do(harness.Request{Method: http.MethodPatch, Path: path, Body: body})
	}
	for _, r := range controls {
		bad := "a" + r + "b"
		p := c.Post("/documents", object{"name": bad, "files": []object{{"name": bad + ".docx", "type": docxType}}, "created_by": bad, "updated_by": bad}).
			FailsWith(3001, "name invalid_characters", "files.0.name invalid_file_name", "created_by invalid_characters", "updated_by invalid_characters")
		if e := p.Errors[0]; e.Value != bad || !strings.Contains(e.Message, fmt.Sprintf("%U", []rune(r)[0])) {
			t.Errorf("%q: the entry is %+v", bad, e)
		}
		patch(object{"name": bad, "updated_by": bad}).FailsWith(3001, "name invalid_characters", "updated_by invalid_characters")
		c.Post(path+"/versions", object{"files": []object{{"name": bad + ".docx", "type": docxType}}, "updated_by": bad}).
			FailsWith(3001, "files.0.name invalid_file_name", "updated_by invalid_characters")
		c.Post("/documents/convert", inlineBody(bad+".docx", []byte("x"))).FailsWith(3001, "filename invalid_file_name")
	}
	var list struct{ Items []document }
	if c.Get("/documents").OK(&list); len(list.Items) != 1 || list.Items[0].Name != d.Name || list.Items[0].UpdatedAt != d.UpdatedAt {
		t.Errorf("the documents are %+v", list.Items)
	}
	var got document
	for _, name := range []string{"שלום\u200f", "می\u200cخواهم", "👩\u200d💻", "日本\u3000語", "a\u00a0b"} {
		if patch(object{"name": " \t" + name + "\n", "updated_by": name}).OK(&got); got.Name != name || got.UpdatedBy.ID != name {
			t.Errorf("%q becomes %q, by %q", name, got.Name, got.UpdatedBy.ID)
		}
	}
}

// TestControlCharactersInValues sends control characters in fields of each type. They
// are refused, not silently dropped.
func TestControlCharactersInValues(t *testing.T) {
	c := shared.NewClient(t)
	path := form(t, c)
	texts := map[string]string{
		"text": "abc", "name": "Zoë", "company": "Acme", "address": "Street 1", "signature": "Zoë", "phone": "5550109", "email": "a@b.co",
		"url": "https://a.example", "number": "12", "ssn": "123456789", "date": "2026-01-31",
	}
	for _, r := range append(controls[:5:5], "\v", "\f", "\u0085", "\u001b") {
		for name, text := range texts {
			bad := text[:1] + r + text[1:]
			p := c.Post(path, values(name, bad)).FailsWith(3001, at(name, "invalid_characters"))
			if e := p.Errors[0]; e.Value != bad || !strings.Contains(e.Message, fmt.Sprintf("%U at position 2", []rune(r)[0])) {
				t.Errorf("%s %q: the entry is %+v", name, bad, e)
			}
		}
		c.Post(path+"?dry_run=true", values("dropdown", "A"+r, "gender", r, "checkbox", []string{"A" + r}, "image", r, "name", r)).
			FailsWith(3001, at("dropdown", "dropdown_invalid_option"), at("gender", "gender_invalid_option"), at("checkbox", "checkbox_invalid_option"),
				at("image", "image_invalid_header"), at("name", "invalid_characters"))
	}
	var job accepted
	c.Do(harness.Request{Method: http.MethodPost, Path: path, Body: values("name", "\x00"), Header: map[string]string{"Prefer": "respond-async"}}).Accepted(&job)
	if done := ended(t, c, job.ID); done.Error == nil || len(done.Error.Errors) != 1 || done.Error.Errors[0].Code != "invalid_characters" {
		t.Errorf("the job ended as %+v", done)
	}
	var got converted
	c.Post(path, values("address", "1\tx\n2\r\n3\r4\u20285", "name", "\u200fשלום\u2068a\u2069")).OK(&got)
	filled := download(t, c, got.DownloadURL)
	says(t, docxText(t, filled), "address: 1x2345.", "name: \u200fשלום\u2068a\u2069.") // docxText omits tabs and line breaks
	if xml := parts(t, filled)["word/document.xml"]; strings.Count(xml, "<w:br/>") != 4 || strings.Count(xml, "<w:tab/>") != 1 {
		t.Errorf("tabs or line breaks are missing:\n%s", xml)
	}
}
