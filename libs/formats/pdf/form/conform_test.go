package form

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// conforming returns the objects of a PDF that conforms to PDF/A-2b and PDF/UA: the catalog,
// the pages, a page, a composite font, its descendant, a descriptor, a font file, the metadata,
// and a color profile.
func conforming() []string {
	const metadata = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"><pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance></rdf:Description>` +
		`<rdf:Description rdf:about="" xmlns:ua="http://www.aiim.org/pdfua/ns/id/" ua:part="1"/>` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">A title</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`
	return []string{
		"<</Type/Catalog/Pages 2 0 R/Metadata 8 0 R/OutputIntents[<</Type/OutputIntent/S/GTS_PDFA1/DestOutputProfile 9 0 R>>]/MarkInfo<</Marked true>>/StructTreeRoot<</Type/StructTreeRoot>>/Lang(en-US)/ViewerPreferences<</DisplayDocTitle true>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Resources<</Font<</F1 4 0 R>>>>>>",
		"<</Type/Font/Subtype/Type0/BaseFont/F/DescendantFonts[5 0 R]>>",
		"<</Type/Font/Subtype/CIDFontType2/BaseFont/F/FontDescriptor 6 0 R>>",
		"<</Type/FontDescriptor/FontName/F/FontFile2 7 0 R>>",
		streamObject("", "a font"),
		streamObject("/Type/Metadata/Subtype/XML", metadata),
		streamObject("/N 3", "a profile"),
	}
}

func TestFlaws(t *testing.T) {
	for _, profile := range []string{PDFA2b, PDFUA} {
		if flaws, err := Flaws(build(conforming()...), profile); err != nil || len(flaws) > 0 {
			t.Errorf("%s: %q, %v", profile, flaws, err)
		}
	}
	for _, c := range []struct{ profile, old, new, want string }{
		{PDFA2b, "<pdfaid:part>2", "<pdfaid:part>1", "its metadata does not name the profile"},
		{PDFA3b, "", "", "its metadata does not name the profile"},
		{PDFA2b, "/Metadata 8 0 R", "", "its metadata does not name the profile"},
		{PDFA2b, "</rdf:RDF>", "</rdf:", ""}, // what precedes the flaw is read
		{PDFA2b, "/DestOutputProfile 9 0 R", "", "it has no output intent"},
		{PDFA2b, "/FontFile2 7 0 R", "", "a font is not embedded"},
		{PDFA2b, "/Lang(en-US)", "/OpenAction<</S/JavaScript/JS(x)>>", "it has JavaScript"},
		{PDFA2b, "/Lang(en-US)", "/Names<</JavaScript<<>>>>", "it has JavaScript"},
		{PDFUA, `ua:part="1"`, `ua:part="2"`, "its metadata does not name the profile"},
		{PDFUA, "A title", "", "it has no title; set one in the properties of the document"},
		{PDFUA, "/DisplayDocTitle true", "", "it has no title; set one in the properties of the document"},
		{PDFUA, "/Marked true", "/Marked false", "it is not tagged"},
		{PDFUA, "/StructTreeRoot<</Type/StructTreeRoot>>", "", "it is not tagged"},
		{PDFUA, "/Lang(en-US)", "", "it has no language"},
	} {
		objects := conforming()
		for i := range objects {
			objects[i] = strings.ReplaceAll(objects[i], c.old, c.new)
			if _, content, ok := strings.Cut(objects[i], "\nstream\n"); ok && c.old != "" { // its length has changed
				entries, _, _ := strings.Cut(objects[i], "/Length")
				objects[i] = streamObject(strings.TrimPrefix(entries, "<<"), strings.TrimSuffix(content, "\nendstream"))
			}
		}
		want := []string{c.want}
		if c.want == "" {
			want = nil
		}
		if flaws, err := Flaws(build(objects...), c.profile); err != nil || !slices.Equal(flaws, want) {
			t.Errorf("%s without %q: got %q, %v; want %q", c.profile, c.old, flaws, err, want)
		}
	}
	if _, err := Flaws(build(conforming()...), "pdf/x"); err == nil {
		t.Error("no error for a profile that does not exist")
	}
	if _, err := Flaws([]byte("no PDF"), PDFA2b); fmt.Sprint(err) != fmt.Sprint(Damaged) {
		t.Errorf("not a PDF: %v", err)
	}
}
