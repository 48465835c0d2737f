package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// valueFor returns a valid value for a field.
func valueFor(f field) any {
	option := func() string {
		if len(f.Options) > 0 {
			return f.Options[0]
		}
		return ""
	}
	switch f.Type {
	case "checkbox":
		least := 0
		if f.Min != nil {
			least = *f.Min
		}
		return append([]string{}, f.Options[:min(least, len(f.Options))]...)
	case "dropdown", "gender":
		return option()
	case "number":
		return "12"
	case "ssn":
		return "123-45-6789"
	case "date":
		return "2026-03-01"
	case "email":
		return "a@example.com"
	case "url":
		return "https://example.com"
	case "phone":
		return "+49 40 1234567"
	case "image":
		return []string{}
	}
	return "Zoë"
}

// fieldsInsight returns document_fields of a document, or false if the document cannot be
// read.
func fieldsInsight(c *harness.Client, id string) ([]placedItem, bool) {
	var found struct {
		Fields []placedItem `json:"document_fields"`
	}
	a := c.Post("/insights", object{"document_id": id, "insights": []object{{"type": "document_fields"}, {"type": "document_fields_pages"}}})
	if a.Status == 400 {
		return nil, false
	}
	a.OK(&found)
	return found.Fields, true
}

// checkAccepted counts whether the fields of document_fields are those of the document,
// and whether annotate accepts them.
func checkAccepted(c *harness.Client, s *shares, name string, d document, found []placedItem) {
	var list fieldList
	c.Get("/documents/" + d.ID + "/fields").OK(&list)
	known := map[string]field{}
	for _, f := range list.Items {
		known[f.FieldID] = f
	}
	values := object{}
	for _, f := range found {
		k, there := known[f.FieldID]
		s.count("the field belongs to the document", there && k.FieldType == f.FieldType, "%s: %s %s, %+v", name, f.FieldID, f.FieldType, k)
		values[f.FieldID] = object{"value": valueFor(k)}
	}
	s.count("each field is listed once", len(values) == len(found), "%s: %d of %d", name, len(values), len(found))
	a := c.Post("/documents/"+d.ID+"/annotate?dry_run=true", object{"field_values": values})
	s.count("annotate accepts the fields", a.Status == 200, "%s: %.600s", name, a.Body)
}

// TestInsightFieldsAreWhereValuesGo fills single fields, and checks in the PDF of the
// result that the value appears where the bounding box was.
func TestInsightFieldsAreWhereValuesGo(t *testing.T) {
	const perDocument = 6
	c := shared.NewClient(t)
	s := newShares()
	for i, file := range foreign(t, "docx-templates/*.docx") {
		if i%3 != 0 {
			continue
		}
		content := readForeign(t, file)
		d := upload(t, c, "a.docx", content)
		found, ok := fieldsInsight(c, d.ID)
		if !ok {
			t.Errorf("%s cannot be read", file)
			continue
		}
		found = slices.DeleteFunc(found, func(f placedItem) bool {
			return f.BoundingBox == nil || !slices.Contains([]string{"NAMETEXTINPUT", "COMPANYNAMETEXTINPUT", "ADDRESSTEXTINPUT", "FREETEXTINPUT"}, f.FieldType)
		})
		for n := range min(perDocument, len(found)) {
			checkFilled(t, c, s, d, found[n*len(found)/min(perDocument, len(found))], filepath.Base(file))
		}
	}
	s.report(t, map[string]float64{"the value is where the box was": 0.95})
}

// checkFilled fills a field with one word and counts whether the word is in the box.
func checkFilled(t *testing.T, c *harness.Client, s *shares, d document, f placedItem, name string) {
	t.Helper()
	const word = "Zqxjv"
	var filled converted
	c.Post("/documents/"+d.ID+"/annotate", object{"field_values": object{f.FieldID: object{"value": word}}}).OK(&filled)
	var pdf converted
	other := upload(t, c, "filled.docx", download(t, c, filled.DownloadURL))
	c.Post("/documents/"+other.ID+"/convert", nil).OK(&pdf)
	view, ok := lookAt(t, download(t, c, pdf.DownloadURL))
	if !ok {
		t.Fatal("pdftotext cannot read the converted document")
	}
	var at []string
	right := false
	for i, page := range view.pages {
		for _, w := range page.words {
			if strings.Contains(w.letters, strings.ToLower(word)) {
				at = append(at, fmt.Sprintf("page %d, %.3f %.3f", i+1, w.left, w.top))
				right = right || i+1 == f.BoundingBox.Page && f.BoundingBox.about(w)
			}
		}
	}
	box, _ := json.Marshal(f.BoundingBox)
	s.count("the value is on a page", len(at) > 0, "%s %s %.60q", name, f.FieldID, f.Quote)
	s.count("the value is where the box was", right || len(at) == 0, "%s %s %.60q: the box is %s, the value at %v", name, f.FieldID, f.Quote, box, at)
}

// about reports whether a word begins in the box or close to it: filling a field can move
// the text a little sideways or by one line.
func (b placeBox) about(w seenWord) bool {
	const across, down = 0.03, 0.02
	middle := (w.top + w.bottom) / 2
	return w.left >= b.Left-across && w.left <= math.Max(b.Left+b.Width, b.Left)+across && middle >= b.Top-down && middle <= b.Top+b.Height+down
}
