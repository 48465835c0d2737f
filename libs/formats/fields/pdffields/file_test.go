package pdffields_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/pdffields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

func TestMain(m *testing.M) { pdftest.Main(m) }

// reader reads and fills real files.
type reader struct {
	*pdf.Reader
	t *testing.T
}

func newReader(t *testing.T) reader {
	t.Helper()
	return reader{pdftest.NewReader(t, pdftest.Config()), t}
}

// find reads a file and returns its fields.
func (r reader) find(file []byte) (*pdf.File, []fields.Field) {
	r.t.Helper()
	f, err := r.ReadForm(r.t.Context(), bytes.NewReader(file), int64(len(file)))
	if err != nil {
		r.t.Fatal(err)
	}
	return f, pdffields.Find(f)
}

// fill writes the values into a file.
func (r reader) fill(file []byte, found []fields.Field, values map[string]fields.Filling) []byte {
	r.t.Helper()
	order, pictures, err := pdffields.Order(found, values)
	if err != nil {
		r.t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := r.Fill(r.t.Context(), bytes.NewReader(file), int64(len(file)), pdf.Filling{Order: order, Pictures: pictures}, &out); err != nil {
		r.t.Fatal(err)
	}
	return out.Bytes()
}

// example returns a value for a field, and what the field shows afterwards.
func example(f fields.Field) (v fields.Filling, want string) {
	v.Type = f.Type
	last := fields.Option{}
	if n := len(f.Options); n > 0 {
		last = f.Options[n-1]
	}
	switch f.Type {
	case fields.Image:
		return v, ""
	case fields.Checkbox:
		v.Selected, v.Written = []string{last.InFile()}, f.Written
		return v, last.Display
	case fields.Dropdown:
		v.Text, v.Value, v.Selected = last.Display, last.Display, []string{last.InFile()}
		if last.Value != "" {
			v.Value = last.Value
		}
	case fields.Date:
		v.Text = "2024-02-29"
	case fields.Number:
		v.Text = "12.50"
	case fields.SSN:
		v.Text = "123-45-6789"
	case fields.Phone:
		v.Text = "555 0100"
	default:
		v.Text = "Zoë"
	}
	return v, v.Text
}

// TestFillEveryKind fills a field of every kind, and finds the values again.
func TestFillEveryKind(t *testing.T) {
	r := newReader(t)
	file := pdfforms.EveryKind()
	_, found := r.find(file)
	values, want := map[string]fields.Filling{}, map[string]string{}
	for _, f := range found {
		values[f.ID], want[f.ID] = example(f)
	}
	filled := r.fill(file, found, values)
	_, again := r.find(filled)
	if len(again) != len(found) {
		t.Errorf("%d fields became %d", len(found), len(again))
	}
	for _, f := range again {
		got := f.Text + strings.Join(f.Selected, ", ")
		// Passwords and signature boxes are not read back.
		if hidden := f.ID == fields.IDOf("text_password") || f.Type == fields.Signature; got != want[f.ID] && !hidden {
			t.Errorf("%s (%s) shows %q, want %q", f.ID, f.Type, got, want[f.ID])
		}
	}
}

// TestFillBlanks fills the blanks of a page that has no form. The values are in the text
// afterwards.
func TestFillBlanks(t *testing.T) {
	r := newReader(t)
	file := pdfforms.Blanks()
	_, found := r.find(file)
	want := "detected name \"Name\"\ndetected date \"Date\"\ndetected company \"Company\"\ndetected address \"Address\"\ndetected checkbox \"\"|Yes|No"
	if got := shown(found); got != want {
		t.Fatalf("the fields are\n%s\nwant\n%s", got, want)
	}
	values := map[string]fields.Filling{
		found[0].ID: {Type: fields.Name, Text: "Zoë-Ångström"}, found[1].ID: {Type: fields.Date, Text: "2024-02-29"},
		found[2].ID: {Type: fields.Company, Text: "Łódź-GmbH"}, found[3].ID: {Type: fields.Address, Text: "Straße-9"},
		found[4].ID: {Type: fields.Checkbox, Selected: []string{"No"}},
	}
	f, _ := r.find(r.fill(file, found, values))
	for _, text := range []string{"Zoë-Ångström", "2024-02-29", "Łódź-GmbH", "Straße-9"} {
		if !strings.Contains(f.Text, text) {
			t.Errorf("%q is not in the text %q", text, f.Text)
		}
	}
}

// TestForms finds the fields of every form of the test kit.
func TestForms(t *testing.T) {
	r := newReader(t)
	for _, n := range pdfforms.All() {
		if n.Text == "" {
			continue // there is no form
		}
		_, found := r.find(n.File)
		if !slices.ContainsFunc(found, func(f fields.Field) bool { return f.ID == fields.IDOf(n.Text) && f.Source == fields.AcroForm }) {
			t.Errorf("%s has no field %s among %d", n.Name, n.Text, len(found))
		}
	}
}

// TestUnknownWidgets fills fields that PDFium does not know in the original file: those that
// inherit their type, or have no name. Afterwards they have the same IDs and their values.
func TestUnknownWidgets(t *testing.T) {
	r := newReader(t)
	for name, tt := range map[string]struct {
		file []byte
		want string
	}{
		"inherited": {pdfforms.Inherited(), `acroform name "party.name" max 40
acroform text "party.address.city" max 40
acroform text "party.address.zip"=12345 max 5
acroform dropdown "order.paint.color"=Green|Red|Green|Blue:B
acroform checkbox "terms.privacy.accepted"|Yes`},
		"nameless": {pdfforms.Nameless(), `acroform text ""
acroform text ""=old
acroform dropdown ""|small|large`},
		"no AcroForm": {pdfforms.WithoutAcroForm(), `acroform text "field_1"
acroform text "field_2"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, found := r.find(tt.file)
			if got := shown(found); got != tt.want {
				t.Fatalf("the fields are\n%s\nwant\n%s", got, tt.want)
			}
			values, want := map[string]fields.Filling{}, map[string]string{}
			for _, f := range found {
				values[f.ID], want[f.ID] = example(f)
			}
			_, again := r.find(r.fill(tt.file, found, values))
			for _, f := range again {
				if got := f.Text + strings.Join(f.Selected, ", "); got != want[f.ID] {
					t.Errorf("%s shows %q, want %q", f.Label, got, want[f.ID])
				}
			}
			if len(again) != len(found) {
				t.Errorf("%d fields became %d", len(found), len(again))
			}
		})
	}
}

// TestForeignFiles checks the fields of third-party contracts, which have no forms: each has
// an ID of its own that stays, and places on pages.
func TestForeignFiles(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpus.Folder(t, "contracts", "pdf"), "*.[pP][dD][fF]"))
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t)
	kinds := map[fields.Type]int{}
	for _, path := range paths {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := r.Read(t.Context(), bytes.NewReader(file), int64(len(file)))
		if err != nil {
			continue // package pdf tests what it refuses
		}
		found := pdffields.Find(f)
		ids := map[string]bool{}
		for _, x := range found {
			ids[x.ID] = true
			kinds[x.Type]++
			checkPlaces(t, filepath.Base(path), f, x)
		}
		if len(ids) != len(found) || !reflect.DeepEqual(found, pdffields.Find(f)) {
			t.Errorf("%s: %d fields have %d IDs, or others are found again", filepath.Base(path), len(found), len(ids))
		}
	}
	total := 0
	for n := range maps.Values(kinds) {
		total += n
	}
	t.Logf("%d files have %d blanks: %v", len(paths), total, kinds)
	if total < len(paths) {
		t.Errorf("found only %d blanks in %d files", total, len(paths))
	}
}

// checkPlaces checks that the places of a field are on their pages.
func checkPlaces(t *testing.T, name string, f *pdf.File, x fields.Field) {
	t.Helper()
	if len(x.Places) == 0 || !fields.ValidID(x.ID) {
		t.Errorf("%s: got %+v", name, x)
	}
	for _, p := range x.Places {
		b := p.Box
		if p.Page < 1 || p.Page > len(f.Pages) || b.Left < 0 || b.Top < 0 || b.Right > 1 || b.Bottom > 1 || b.Left >= b.Right || b.Top >= b.Bottom {
			t.Errorf("%s: %s is at %+v", name, x.ID, p)
		}
	}
}
