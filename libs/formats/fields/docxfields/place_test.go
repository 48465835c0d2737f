package docxfields

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/testkit/corpus"
)

// shownIn returns the text in the places of each field of a file, keyed by the labels of
// the fields or, for fields without one, by their IDs.
func shownIn(t *testing.T, file []byte) map[string][]string {
	t.Helper()
	pkg, err := docx.Open(bytes.NewReader(file), int64(len(file)), docx.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, file)
	found := map[string][]string{}
	for _, f := range d.Fields() {
		doc, spans, err := docxtext.ReadPlaces(t.Context(), pkg, d.Places(f.ID))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range spans {
			if s == docxtext.Nowhere() {
				t.Fatalf("the field %s has no place", f.ID)
			}
			name := f.ID
			if f.Source == fields.Detected {
				name = f.Label
			}
			line := doc.Text[strings.LastIndexByte(doc.Text[:s.Start], '\n')+1 : s.Start]
			found[name] = append(found[name], line+"<"+doc.Quote(s)+">")
		}
	}
	return found
}

func TestPlacesShow(t *testing.T) {
	c := func(id, properties, content string) string { return sdt("agreementinput-"+id, properties, content) }
	cell := func(s string) string { return `<w:tc>` + p(s) + `</w:tc>` }
	for name, test := range map[string]struct {
		content string
		want    map[string][]string
	}{
		"a control":            {p(r("A ") + c("a", "", r("one")+r(" two")) + r(" B")), map[string][]string{"agreementinput-a": {"A <one two>"}}},
		"a placeholder":        {p(r("A ") + c("a", placeholder, prompt)), map[string][]string{"agreementinput-a": {"A <Click here>"}}},
		"an empty control":     {p(r("A ") + c("a", "", "") + r("B")), map[string][]string{"agreementinput-a": {"A <>"}}},
		"paragraphs":           {c("a", "", p(r("one"))+p(r("two"))) + p(r("B")), map[string][]string{"agreementinput-a": {"<one\ntwo>"}}},
		"a cell":               {`<w:tbl><w:tr>` + cell(r("A")) + c("a", "", cell(r("one"))) + `</w:tr></w:tbl>`, map[string][]string{"agreementinput-a": {"<one>"}}},
		"two places":           {p(c("a", "", r("one"))) + p(c("a", "", r("two"))), map[string][]string{"agreementinput-a": {"<one>", "<two>"}}},
		"a text tag":           {p(r("A {{agreementinput-") + r("a;type=name}} B")), map[string][]string{"agreementinput-a": {"A <{{agreementinput-a;type=name}}>"}}},
		"a line":               {p(r("Company: ____") + r("____ and")), map[string][]string{"Company": {"Company: <________>"}}},
		"a prompt":             {p(r("by [Full legal") + r(" name] of")), map[string][]string{"Full legal name": {"by <[Full legal name]>"}}},
		"after a label":        {p(r("Name:")) + p(r("Title:")), map[string][]string{"Name": {"Name:<>"}, "Title": {"Title:<>"}}},
		"an empty cell":        {`<w:tbl><w:tr>` + cell(r("Company")) + cell("") + `</w:tr><w:tr>` + cell(r("Title")) + cell("") + `</w:tr></w:tbl>`, map[string][]string{"Company": {"<>"}, "Title": {"<>"}}},
		"after deleted text":   {p(`<w:del>` + `<w:r><w:delText>gone</w:delText></w:r></w:del>` + r("Company: ________")), map[string][]string{"Company": {"Company: <________>"}}},
		"text after a drawing": {p(`<w:r><w:drawing/></w:r>` + r("Company: ________")), map[string][]string{"Company": {"Company: <________>"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := shownIn(t, document(t, body(test.content)))
			for field, want := range test.want {
				if !slices.Equal(got[field], want) {
					t.Errorf("%s is at %q, want %q (all: %q)", field, got[field], want, got)
				}
			}
		})
	}
}

// TestForeignPlaces finds the places of the fields of third-party documents. Each must
// exist and show the value of its field.
func TestForeignPlaces(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus.Folder(t), "*", "*.do[ct][xm]"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pkg, err := docx.Open(bytes.NewReader(file), int64(len(file)), docx.DefaultLimits())
		if err != nil {
			continue
		}
		d, err := Open(t.Context(), pkg)
		if refusal := new(docx.Error); errors.As(err, &refusal) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		count += checkPlaces(t, filepath.Base(name), d, pkg)
	}
	if t.Logf("%d places", count); count == 0 {
		t.Error("no field was found")
	}
}

// checkPlaces checks the places of all fields, and returns their number.
func checkPlaces(t *testing.T, name string, d *Document, pkg *docx.Package) int {
	t.Helper()
	var all []docxtext.Place
	var of []fields.Field
	for _, f := range d.Fields() {
		places := d.Places(f.ID)
		if len(places) == 0 {
			t.Errorf("%s: %s has no place", name, f.ID)
		}
		for _, p := range places {
			all, of = append(all, p), append(of, f)
		}
	}
	doc, spans, err := docxtext.ReadPlaces(t.Context(), pkg, all)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range spans {
		if s == docxtext.Nowhere() {
			t.Errorf("%s: %s has no position: %+v", name, of[i].ID, all[i])
			continue
		}
		if of[i].Source != fields.ContentControl && len(of[i].Options) == 0 && of[i].Text != "" && !strings.Contains(doc.Quote(s), of[i].Text) {
			t.Errorf("%s: %s shows %q, want %q", name, of[i].ID, doc.Quote(s), of[i].Text)
		}
	}
	return len(spans)
}
