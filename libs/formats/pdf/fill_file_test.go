package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// fill fills a valid file.
func fill(t testing.TB, r *pdf.Reader, b []byte, o pdf.Filling) []byte {
	t.Helper()
	var out bytes.Buffer
	filled, err := r.Fill(t.Context(), bytes.NewReader(b), int64(len(b)), o, &out)
	if err != nil {
		t.Fatal(err)
	}
	if filled.Size != int64(out.Len()) {
		t.Errorf("the file has %d bytes, not %d", out.Len(), filled.Size)
	}
	return out.Bytes()
}

// widgetOf returns the place of the field with the name.
func widgetOf(t testing.TB, f *pdf.File, name string) form.Widget {
	t.Helper()
	for _, field := range f.Fields {
		if field.Name == name {
			return form.Widget{Ref: form.Ref{Page: field.Page, Annotation: field.Annotation}, On: true}
		}
	}
	t.Fatalf("there is no field %q", name)
	return form.Widget{}
}

// values returns an order that fills a text and a checkbox of the form, and writes onto its
// page.
func values(t testing.TB, f *pdf.File) pdf.Filling {
	o := stamped("Stamped")
	o.Values = append(o.Values,
		form.Value{Widgets: []form.Widget{widgetOf(t, f, "drawn")}, Text: "Żółć Ω Жук"},
		form.Value{Widgets: []form.Widget{widgetOf(t, f, "refused")}})
	return o
}

// TestFill checks that values are in the file and on its page, that the file itself stays as
// it is, and that only flattening removes the form.
func TestFill(t *testing.T) {
	r := traced(t, pdftest.Config())
	original := formFile()
	o := values(t, read(t, r, original))
	filled := fill(t, r, original, o)
	if !bytes.HasPrefix(filled, original) {
		t.Error("the file does not begin with the original")
	}
	f := read(t, r, filled)
	for _, field := range f.Fields {
		if field.Name == "drawn" && (field.Value != "Żółć Ω Жук" || !field.ReadOnly) || field.Name == "refused" && !field.Checked {
			t.Errorf("a field is %+v", field)
		}
	}
	o.Flatten = true
	flat := read(t, r, fill(t, r, original, o))
	if len(flat.Fields) != 0 {
		t.Errorf("the flattened file has the fields %+v", flat.Fields)
	}
	for name, text := range map[string]string{"filled": f.Text, "flattened": flat.Text} {
		if !strings.Contains(text, "Żółć Ω Жук") || !strings.Contains(text, "Stamped") || !strings.Contains(text, "Acme Corp") {
			t.Errorf("the text of the %s file is %q", name, text)
		}
	}
}

// TestFillPicture checks that a picture arrives on the page.
func TestFillPicture(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil { // all black
		t.Fatal(err)
	}
	plain := newBuilder()
	plain.page(lines(72, 720, "x"), "")
	o := stamped("")
	o.Values[0].Pictures = []int{0}
	o.Pictures = []fields.Picture{{MediaType: "image/png", Width: 40, Height: 20, Orientation: 1, Size: int64(b.Len()), Open: func() io.Reader { return bytes.NewReader(b.Bytes()) }}}
	before, after := plain.bytes(), fill(t, r, plain.bytes(), o)
	_, _, _, _, without := ink(render(t, r, before, 1, 612))
	if _, _, _, _, pixels := ink(render(t, r, after, 1, 612)); pixels < without+700 || pixels > without+900 { // 40 by 20
		t.Errorf("the picture has %d pixels", pixels-without)
	}
}

// TestFillErrors checks the errors of files and values that cannot be filled.
func TestFillErrors(t *testing.T) {
	r := pdftest.NewReader(t, pdftest.Config())
	missing := stamped("x")
	missing.Values[0].Stamps[0].Page = 2
	for name, tc := range map[string]struct {
		file []byte
		o    pdf.Filling
		want string
	}{
		"encrypted":    {encryptedFile(), stamped("x"), "the file is encrypted; remove its password first"},
		"not a PDF":    {[]byte("Dear Sirs,\n"), stamped("x"), "the file is damaged or not a PDF"},
		"empty":        {nil, stamped("x"), "the file is empty"},
		"no such page": {manyPages(1), missing, "the file has no such page or form field; "},
	} {
		_, err := r.Fill(t.Context(), bytes.NewReader(tc.file), int64(len(tc.file)), tc.o, io.Discard)
		fails(t, name, err, tc.want)
	}
	b := manyPages(1)
	var unknown *typeset.MissingError
	_, err := r.Fill(t.Context(), bytes.NewReader(b), int64(len(b)), stamped("a\U000F1234"), io.Discard)
	if !errors.As(err, &unknown) || unknown.Rune != '\U000F1234' {
		t.Errorf("a character that no font has: %v", err)
	}
}

// TestFillDamaged fills a file whose objects only PDFium can read. The process that is to
// fill it has no PDFium, so another one does.
func TestFillDamaged(t *testing.T) {
	r := traced(t, pdftest.Config())
	b := bytes.ReplaceAll(formFile(), []byte("endstream"), []byte("endstrxxm"))
	o := stamped("Stamped")
	if _, err := form.Fill(b, o.Order, nil, typeset.NewFonts("/usr/share/fonts")); !errors.Is(err, form.Damaged) {
		t.Fatalf("package form says %v", err)
	}
	filled := fill(t, r, b, o)
	if f := read(t, r, filled); !strings.Contains(f.Text, "Stamped") || !strings.Contains(f.Text, "Acme") {
		t.Errorf("the text is %q", f.Text)
	}
}

// TestHostileFill checks that no file costs more than the bounds of a process.
func TestHostileFill(t *testing.T) {
	if !pdf.Bounded() {
		t.Skip("SKIPPED: the race detector removes the memory bound")
	}
	cfg := pdftest.Config()
	cfg.Memory = 256 << 20
	r := pdftest.NewReader(t, cfg)
	files := hostile()
	files["cut off"] = formFile()[:1500]
	files["a broken xref"] = bytes.Replace(formFile(), []byte("xref\n0"), []byte("xfer\n9"), 1)
	for name, b := range files {
		for _, flatten := range []bool{false, true} {
			o, most := stamped("x"), peak(t)
			o.Flatten = flatten
			_, err := r.Fill(t.Context(), bytes.NewReader(b), int64(len(b)), o, io.Discard)
			taken := most()
			if bound := cfg.Memory + 64<<20; taken > bound {
				t.Errorf("%s: it used %d of %d bytes", name, taken, bound)
			}
			var refused *pdf.Error
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("%s: not an *Error: %v", name, err)
			}
			t.Logf("%s, flatten %t: %d MiB, %.150v", name, flatten, taken>>20, err)
		}
	}
}

// TestLargestFill fills and flattens a file of the maximum size. Most of it is a picture that
// cannot be compressed.
func TestLargestFill(t *testing.T) {
	if !pdf.Bounded() {
		t.Skip("SKIPPED: the race detector removes the memory bound")
	}
	cfg := pdftest.Config()
	cfg.Memory = 256 << 20
	r := pdftest.NewReader(t, cfg)
	for _, flatten := range []bool{false, true} {
		noise := make([]byte, int(cfg.Memory/8)-512<<10)
		if _, err := rand.NewChaCha8([32]byte{}).Read(noise); err != nil {
			t.Fatal(err)
		}
		b := newBuilder()
		picture := b.stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width 1024/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray", len(noise)/1024), string(noise))
		w := b.widget("w", "/FT/Tx/V(x)"+b.appearance("Widget", 100, 16), [4]int{200, 696, 300, 712})
		b.catalog = "/AcroForm<</Fields[" + ref(w) + "]>>"
		b.pages = "/Resources<</XObject<</X " + ref(picture) + ">>>>"
		bare(b, "100 0 0 100 300 300 cm /X Do")
		b.objects[b.kids[0]-1] = strings.Replace(b.objects[b.kids[0]-1], "/Page/", "/Page/Annots["+ref(w)+"]/", 1)
		o, most := stamped("Stamped"), peak(t)
		o.Flatten = flatten
		filled := fill(t, r, b.bytes(), o)
		if len(filled) < len(noise) {
			t.Errorf("flatten %t: the file has %d bytes, but the picture %d", flatten, len(filled), len(noise))
		}
		t.Logf("flatten %t: %d bytes, %d MiB", flatten, len(filled), most()>>20)
	}
}
