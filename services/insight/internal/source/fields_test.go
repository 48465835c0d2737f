package source_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// found returns the fields of a reading.
func found(t *testing.T, r *source.Reading) []source.Field {
	t.Helper()
	all, err := r.Fields(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// label returns the label of a field.
func label(f source.Field) string {
	if f.FieldLabel == nil {
		return ""
	}
	return *f.FieldLabel
}

// TestFormFields shows that widgets with the same name are one field.
func TestFormFields(t *testing.T) {
	s := sourcetest.New(t, "form-fields")
	state := "/AP<</N<</Yes null/Off null>>>>"
	form := sourcetest.PDF{Pages: [][]string{{"Name:", "again:", "agreed", "not agreed", "State:", "Signed", "Phone:", "Send"}}, Widgets: []sourcetest.Widget{
		{Name: "party.name", Entries: "/FT/Tx/V(Ann)/TU(Name of the  party)", Line: 0},
		{Name: "agreementinput-again", Entries: "/FT/Tx", Line: 1},
		{Name: "agreed", Entries: "/FT/Btn/V/Yes/AS/Yes" + state, Line: 2},
		{Name: "refused", Entries: "/FT/Btn/V/Off/AS/Off" + state, Line: 3},
		{Name: "state", Entries: "/FT/Ch/Ff 131072/Opt[(Ohio)(Utah)]/V(Utah)", Line: 4},
		{Name: "sig", Entries: "/FT/Sig", Line: 5},
		{Name: "party.name", Entries: "/FT/Tx/V(Ann)/TU(Name of the  party)", Line: 6},
		{Name: "send", Entries: "/FT/Btn/Ff 65536/A<</S/ResetForm>>", Line: 7},
	}}
	r := read(t, s, s.Fetched("a.pdf", "", form.Bytes()))
	var got []string
	for _, f := range found(t, r) {
		got = append(got, strings.Join([]string{f.FieldID, f.FieldType, label(f), f.FieldValue}, "|"))
		if f.Page != 1 || f.Box == nil || f.Box.Left < .4 || f.Box.Right > .7 || f.XMLPath != "" || f.Confidence != 1 || f.Reasoning == "" {
			t.Errorf("%s is on page %d, %+v", f.FieldID, f.Page, f.Box)
		}
	}
	want := []string{
		fields.IDOf("party.name") + "|NAMETEXTINPUT|Name of the party|Ann",
		"agreementinput-again|FREETEXTINPUT|again|",
		fields.IDOf("agreed") + "|CHECKTEXTINPUT|agreed|Yes",
		fields.IDOf("refused") + "|CHECKTEXTINPUT|refused|",
		fields.IDOf("state") + "|DROPDOWNINPUT|State|Utah",
		fields.IDOf("sig") + "|SIGNATUREINPUT|sig|",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the fields are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFormBoxes shows that each value of boxes with the same name is listed once, even if
// the form has two copies.
func TestFormBoxes(t *testing.T) {
	s := sourcetest.New(t, "form-boxes")
	form := sourcetest.PDF{Pages: [][]string{{"First", "Second", "First again", "Second again"}}}
	for line, state := range []string{"One", "Two", "One", "Two"} {
		form.Widgets = append(form.Widgets, sourcetest.Widget{
			Name: "choice", Line: line, Entries: fmt.Sprintf("/FT/Btn/V/%s/AS/%[1]s/AP<</N<</%[1]s null/Off null>>>>", state),
		})
	}
	all := found(t, read(t, s, s.Fetched("a.pdf", "", form.Bytes())))
	if len(all) != 1 || all[0].FieldValue != "One, Two" {
		t.Errorf("the fields are %+v", all)
	}
}

// TestNoForm shows that a PDF without fields has an empty list, not nil: its blanks were
// already searched for.
func TestNoForm(t *testing.T) {
	s := sourcetest.New(t, "no-form")
	if got := found(t, read(t, s, s.Fetched("a.pdf", "", letter().Bytes()))); got == nil || len(got) > 0 {
		t.Errorf("the fields are %+v", got)
	}
}

// blankForm is a PDF with a text tag and blanks.
func blankForm() []byte {
	return sourcetest.PDF{Pages: [][]string{
		{"Date of birth: ____________", "{{agreementinput-mail;type=email;label=Your e-mail}}"}, {"By: ______________"},
	}}.Bytes()
}

// TestPDFBlanks shows that text tags and blanks of PDFs have places on their pages.
func TestPDFBlanks(t *testing.T) {
	s := sourcetest.New(t, "pdf-blanks")
	all := found(t, read(t, s, s.Fetched("a.pdf", "", blankForm())))
	var got []string
	for _, f := range all {
		got = append(got, fmt.Sprintf("%s|%s|%d|%v", f.FieldType, label(f), f.Page, f.Confidence))
		if f.Box == nil || f.Box.Right <= f.Box.Left || f.Reasoning == "" || f.Span.Start >= 0 {
			t.Errorf("got %+v", f)
		}
	}
	want := []string{"DATEINPUT|Date of birth|1|0.8", "EMAILTEXTINPUT|Your e-mail|1|1", "SIGNATUREINPUT|By|2|0.8"}
	if !slices.Equal(got, want) {
		t.Errorf("the fields are %q, want %q", got, want)
	}
}

// TestStoredPDFFields shows that a stored PDF has the fields that the annotation service
// knows, at their places in the file or, if only the registry knows them, at its places.
func TestStoredPDFFields(t *testing.T) {
	s := sourcetest.New(t, "stored-pdf-fields")
	s.Converted = blankForm()
	r := read(t, s, s.Stored(s.Put("a.pdf", "", blankForm())))
	renamed, page, beyond := "Mail", 2, 3
	box := &annotationapi.BoundingBox{Page: 2, Left: .25, Top: .5, Width: .25, Height: .125}
	s.Known = []annotationapi.Field{
		{FieldID: "agreementinput-mail", FieldType: "FREETEXTINPUT", Label: &renamed, Source: "registry"},
		{FieldID: "agreementinput-placed", FieldType: "DATEINPUT", Source: "registry", PageNumber: &page, BoundingBox: box},
		{FieldID: "agreementinput-beyond", FieldType: "DATEINPUT", Source: "registry", PageNumber: &beyond, BoundingBox: box},
		{FieldID: "agreementinput-nowhere", FieldType: "DATEINPUT", Source: "registry"},
	}
	all := found(t, r)
	if len(all) != 2 || label(all[0]) != "Mail" || all[0].Page != 1 || all[0].Reasoning != "The document has a text tag here." {
		t.Fatalf("the fields are %+v", all)
	}
	if f := all[1]; f.FieldID != "agreementinput-placed" || f.Page != 2 || *f.Box != (layout.Box{Left: .25, Top: .5, Right: .5, Bottom: .625}) || f.Confidence != 1 {
		t.Errorf("the field of the registry is %+v", f)
	}
	s.Unknown = problem.New(problem.InvalidRequest, "The file before it is damaged.")
	if got := found(t, r); len(got) != 3 || label(got[1]) != "Your e-mail" {
		t.Errorf("when the annotation service refuses the version, the fields are %+v", got)
	}
	s.Unknown = problem.New(problem.Unavailable, "Later.")
	if _, err := r.Fields(t.Context()); !problem.Is(err, problem.Unavailable) {
		t.Errorf("got %v", err)
	}
}

// wordForm is a Word document with a filled control, an empty one, and a blank.
func wordForm() []byte {
	return sourcetest.DOCX{Body: sourcetest.Control("Name", "agreementinput-name", "Ann") + sourcetest.Control("Date", "agreementinput-date", "") + sourcetest.Paragraph("", "Address: ____________")}.Bytes()
}

// places returns the text at the place of each field.
func places(r *source.Reading, all []source.Field) string {
	var texts []string
	for _, f := range all {
		at := "nowhere"
		if f.Span.Start >= 0 {
			at = r.Text.Quote(f.Span)
		}
		texts = append(texts, label(f)+"="+f.FieldValue+"@"+at)
	}
	return strings.Join(texts, " ")
}

func TestWordFields(t *testing.T) {
	s := sourcetest.New(t, "word-fields")
	s.Converted = letter().Bytes()
	r := read(t, s, s.Fetched("a.docx", "", wordForm()))
	all := found(t, r)
	if got := places(r, all); got != "Name=Ann@Ann Date=@ Address=@____________" {
		t.Errorf("the fields are %s", got)
	}
	for i, want := range []struct {
		id, path   string
		confidence float64
	}{
		{"agreementinput-name", "w:p[1]/w:sdt[1]", 1}, {"agreementinput-date", "w:p[2]/w:sdt[1]", 1}, {"agreementinput-", "w:p[3]/", .9},
	} {
		if f := all[i]; !strings.HasPrefix(f.FieldID, want.id) || !strings.Contains(f.XMLPath, want.path) || f.Confidence != want.confidence || f.Reasoning == "" {
			t.Errorf("got %+v", f)
		}
	}
	if end := strings.Index(r.Text.Text, "Date ") + len("Date "); all[1].Span.Start != end {
		t.Errorf("an empty control is at %d, want %d", all[1].Span.Start, end)
	}
	if len(s.Asked) > 0 {
		t.Errorf("the annotation service was asked about a file that is not stored: %+v", s.Asked)
	}
}

// TestStoredFields shows that a stored document has the fields that the annotation service
// knows: its registry goes before the file, and fields that are only in the registry are
// left out.
func TestStoredFields(t *testing.T) {
	s := sourcetest.New(t, "stored-fields")
	s.Converted = letter().Bytes()
	r := read(t, s, s.Stored(s.Put("a.docx", "", wordForm())))
	renamed := "Whole name"
	s.Known = []annotationapi.Field{
		{FieldID: "agreementinput-name", FieldType: "COMPANYNAMETEXTINPUT", Label: &renamed, Source: "registry", Value: []any{"Ann", "Zoë"}},
		{FieldID: "agreementinput-nowhere", FieldType: "FREETEXTINPUT", Source: "registry"},
	}
	all := found(t, r)
	if got := places(r, all); got != "Whole name=Ann, Zoë@Ann" || all[0].FieldType != "COMPANYNAMETEXTINPUT" {
		t.Errorf("the fields are %s, %+v", got, all)
	}
	if len(s.Asked) != 1 || s.Asked[0].DocumentID != "doc_1" || s.Asked[0].Version.Number != 2 {
		t.Errorf("asked %+v", s.Asked)
	}
	s.Unknown = problem.New(problem.InvalidRequest, "The file before it is damaged.")
	if got := places(r, found(t, r)); !strings.HasPrefix(got, "Name=Ann@Ann") {
		t.Errorf("when the annotation service refuses the version, the fields are %s", got)
	}
	s.Unknown = problem.New(problem.Unavailable, "Later.")
	if _, err := r.Fields(t.Context()); !problem.Is(err, problem.Unavailable) {
		t.Errorf("got %v", err)
	}
}

// TestNoWordFields shows that a Word document without fields has an empty list, not nil:
// its blanks were already searched for.
func TestNoWordFields(t *testing.T) {
	s := sourcetest.New(t, "no-word-fields")
	s.Converted = letter().Bytes()
	if got := found(t, read(t, s, s.Fetched("a.docx", "", sourcetest.DOCX{Body: sourcetest.Paragraph("", "x")}.Bytes()))); got == nil || len(got) > 0 {
		t.Errorf("the fields are %+v", got)
	}
}
