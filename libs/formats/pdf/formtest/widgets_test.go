package formtest

import (
	"bytes"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// listed returns what a reader tells about the fields of a file, one per line.
func listed(f *pdf.File) string {
	var b strings.Builder
	for _, w := range f.Fields {
		fmt.Fprintf(&b, "%d %s %q", w.Annotation, w.Type, w.Name)
		switch {
		case w.Type == pdf.Checkbox || w.Type == pdf.Radio:
			fmt.Fprintf(&b, " %s=%v", w.Value, w.Checked)
		case w.Value != "":
			fmt.Fprintf(&b, "=%s", w.Value)
		}
		if w.Required {
			b.WriteString(" required")
		}
		if w.Details.MaxLength > 0 {
			fmt.Fprintf(&b, " max %d", w.Details.MaxLength)
		}
		if len(w.Options) > 0 {
			fmt.Fprintf(&b, " of %q", w.Options)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestInherited fills fields whose attributes are those of their parents' parents.
func TestInherited(t *testing.T) {
	r := newReader(t, 1<<30)
	file := pdfforms.Inherited()
	before := r.read(file)
	if got, want := listed(before), `0 text "party.name" required max 40
1 text "party.address.city" required max 40
2 text "party.address.zip"=12345 required max 5
3 choice "order.paint.color"=Green of ["Red" "Green" "Blue"]
4 checkbox "terms.privacy.accepted" Yes=false
`; got != want {
		t.Errorf("the fields are\n%swant\n%s", got, want)
	}
	color, accepted := text(r.field(before, "order.paint.color"), "Blue"), text(r.field(before, "terms.privacy.accepted"), "")
	color.Export, color.Shown = []string{"B"}, []string{"Blue"}
	accepted.Widgets[0].On = true
	filled, _ := r.fill(file, order(text(r.field(before, "party.name"), "Zoë"), text(r.field(before, "party.address.city"), "Łódź"), color, accepted))
	pdfforms.Check(t, filled)
	after := r.read(filled)
	if got, want := listed(after), `0 text "party.name"=Zoë required max 40
1 text "party.address.city"=Łódź required max 40
2 text "party.address.zip"=12345 required max 5
3 choice "order.paint.color"=B of ["Red" "Green" "Blue"]
4 checkbox "terms.privacy.accepted" Yes=true
`; got != want {
		t.Errorf("the filled fields are\n%swant\n%s", got, want)
	}
	if w := r.field(after, "order.paint.color")[0]; !slices.Equal(w.Selected, []string{"Blue"}) {
		t.Errorf("%q is selected", w.Selected)
	}
	agree(t, pictures(r, filled, 1, width), boxes(after)...)
}

// boxes returns the boxes of the widgets of a file.
func boxes(f *pdf.File) (all []layout.Box) {
	for _, w := range f.Fields {
		all = append(all, w.Box)
	}
	return all
}

// TestNameless fills fields without a name.
func TestNameless(t *testing.T) {
	r := newReader(t, 1<<30)
	file := pdfforms.Nameless()
	before := r.read(file)
	if got, want := listed(before), `0 text ""
1 text ""=old
2 radio "" small=false
3 radio "" large=false
`; got != want {
		t.Fatalf("the fields are\n%swant\n%s", got, want)
	}
	if first := before.Fields[3].Details.First; first != ref(before.Fields[2]) || before.Fields[2].Details.First != (form.Ref{}) || before.Fields[1].Details.First != (form.Ref{}) {
		t.Errorf("the first radio button of the second one's field is %+v", first)
	}
	size := text(before.Fields[2:4], "")
	size.Widgets[1].On = true
	filled, _ := r.fill(file, order(text(before.Fields[:1], "Zoë"), text(before.Fields[1:2], "Łódź"), size))
	pdfforms.Check(t, filled)
	after := r.read(filled)
	if got, want := listed(after), `0 text ""=Zoë
1 text ""=Łódź
2 radio "" small=false
3 radio "" large=true
`; got != want {
		t.Errorf("the filled fields are\n%swant\n%s", got, want)
	}
	agree(t, pictures(r, filled, 1, width), boxes(after)...)
	readable(r, filled, script{"Latin", "Zoë"}, script{"Latin", "Łódź"})
}

// TestWithoutAcroForm fills a file whose widgets stand on the page only.
func TestWithoutAcroForm(t *testing.T) {
	r := newReader(t, 1<<30)
	file := pdfforms.WithoutAcroForm()
	before := r.read(file)
	if got, want := listed(before), "0 text \"field_1\"\n1 text \"field_2\"\n"; got != want {
		t.Fatalf("the fields are\n%swant\n%s", got, want)
	}
	filled, _ := r.fill(file, order(text(before.Fields[1:], "Zoë")))
	pdfforms.Check(t, filled)
	after := r.read(filled)
	if got, want := listed(after), "0 text \"field_1\"\n1 text \"field_2\"=Zoë\n"; got != want {
		t.Errorf("the filled fields are\n%swant\n%s", got, want)
	}
	agree(t, pictures(r, filled, 1, width), after.Fields[1].Box)
}

// TestNeedAppearances draws a filled form that is signed, so that its request for new
// appearances has to stay. PDFium keeps the appearances of filled fields, and makes the
// missing ones. Poppler replaces all, so it is no judge here.
func TestNeedAppearances(t *testing.T) {
	r := newReader(t, 1<<30)
	file := pdfforms.Sign(t, pdfforms.WithoutAppearances())
	before := r.read(file)
	drawn := append(r.field(before, "field_1"), r.field(before, "field_2")...)
	hebrew, latin := scripts[4], scripts[0]
	filled, _ := r.fill(file, order(text(drawn[:1], hebrew.text), text(drawn[1:], latin.text)))
	pdfforms.Check(t, filled)
	pdfforms.CheckSignatures(t, filled)
	if !bytes.Contains(filled, []byte("/NeedAppearances true")) {
		t.Fatal("the form does not ask for appearances")
	}
	old := r.field(before, "field_20")
	plain, _ := r.fill(pdfforms.Form(20), order(text(drawn[:1], hebrew.text), text(drawn[1:], latin.text), text(old, old[0].Value)))
	signed, unsigned := pictures(r, filled, 1, width), pictures(r, plain, 1, width)
	agree(t, map[string]image.Image{"PDFium": signed["PDFium"], "MuPDF": signed["MuPDF"], "PDFium of an unsigned form": unsigned["PDFium"]},
		drawn[0].Box, drawn[1].Box, old[0].Box)
	words, err := r.Words(t.Context(), bytes.NewReader(filled), int64(len(filled)), 1)
	if err != nil {
		t.Fatal(err)
	}
	for by, text := range map[string]string{"Read": r.read(filled).Text, "Words": words.Text} {
		for _, want := range []string{"שלום", "Ångström", "Old"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s finds no %q in %q", by, want, text)
			}
		}
	}
}
