package formtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// handmade returns a page of 200 by 100 points with this content, without a form. The font F
// has the letters A to C, which stand for Hebrew ones if hebrew is set. Nothing of it comes
// from the packages that are tested.
func handmade(content string, hebrew bool) []byte {
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def " +
		"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <41> <43> <05D0> endbfrange endcmap end end"
	font := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding"
	if hebrew {
		font += "/ToUnicode 6 0 R"
	}
	stream := func(s string) string { return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(s), s) }
	return pdfforms.Assemble("/Root 1 0 R",
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>",
		stream(content), font+">>", stream(cmap))
}

// knowsActualText reports whether MuPDF extracts the text that a page gives for its glyphs
// (/ActualText: ISO 32000-1, 14.9.4), which scripts like Devanagari need. MuPDF 1.21 does not.
func knowsActualText(t testing.TB) bool {
	return strings.Contains(extracted(t, actual(), 1)["MuPDF"], "xyz")
}

// actual returns a page with the glyphs ABC and the text xyz.
func actual() []byte {
	return handmade("/Span<</ActualText(xyz)>>BDC BT /F 12 Tf 20 50 Td (ABC) Tj ET EMC", false)
}

// knowsDirections reports whether MuPDF extracts Hebrew letters from right to left. MuPDF 1.21
// gives them as they stand, from left to right.
func knowsDirections(t testing.TB) bool {
	return strings.Contains(extracted(t, hebrew(), 1)["MuPDF"], "אבג")
}

// hebrew returns a page with three Hebrew letters, the first on the right.
func hebrew() []byte { return handmade("BT /F 12 Tf 20 50 Td (CBA) Tj ET", true) }

// TestLimitations checks pages that one of the programs cannot read. They are well-formed:
// another program reads them.
func TestLimitations(t *testing.T) {
	if got := extracted(t, actual(), 1); !strings.Contains(got["poppler"], "xyz") || !strings.ContainsAny(got["MuPDF"], "xA") {
		t.Errorf("with ActualText: %q", got)
	}
	if got := extracted(t, hebrew(), 1); !strings.Contains(got["poppler"], "אבג") || !strings.Contains(got["MuPDF"], "ב") {
		t.Errorf("Hebrew: %q", got)
	}
	t.Logf("MuPDF knows ActualText: %v, directions: %v", knowsActualText(t), knowsDirections(t))
}

// TestFlags checks that withoutFlags changes only what MuPDF draws: poppler draws a signature
// field and a button alike. (PDFium draws a button without a state in its own way.)
func TestFlags(t *testing.T) {
	r := newReader(t, 1<<30)
	file := pdfforms.EveryKind()
	v := text(r.field(r.read(file), "signature"), "")
	v.Pictures = []int{0}
	o := order(v)
	o.Pictures = []fields.Picture{drawing(t, "image/png", 300, 80)}
	filled, _ := r.fill(file, o)
	changed := withoutFlags(filled)
	if len(changed) != len(filled) || bytes.Equal(changed, filled) {
		t.Fatal("the signature field is still one")
	}
	before, after := pictures(r, filled, 1, width), pictures(r, changed, 1, width)
	if mean, largest := difference(inkOf(before["poppler"]), inkOf(after["poppler"])); mean != 0 || largest != 0 {
		t.Errorf("poppler draws a button differently: by %.4f, and by %.2f in one cell", mean, largest)
	}
}
