package docxtext_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
)

// FuzzRead checks that nothing panics, that every refusal has a reason, that spans are in
// order, and that paths resolve to their text.
func FuzzRead(f *testing.F) {
	lists := root("numbering", abstract(1, level(0, "decimal", "%1.", "")+level(1, "lowerLetter", "%1.%2", ""))+num(1, 1, ""))
	f.Add(body(p(r("one"))+numbered(1, 0)+numbered(1, 1)), root("styles", styles), lists, root("hdr", p(r("two"))))
	f.Add(body(`<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:tcPr><w:vMerge/><w:gridSpan w:val="3"/></w:tcPr>`+p("")+`</w:tc></w:tr></w:tbl>`), "", "", "")
	f.Add(body(p(`<w:r><w:fldChar w:fldCharType="begin"/><mc:AlternateContent><mc:Choice><w:t>a</w:t></mc:Choice><mc:Fallback><w:t>b</w:t></mc:Fallback></mc:AlternateContent></w:r>`)), "", "", "")
	f.Add(body(p(`<w:r><w:pict><w:txbxContent>`+p(r("a"))+`</w:txbxContent></w:pict><w:sym w:font="Wingdings" w:char="F0A8"/></w:r>`)), "", "", "")
	f.Fuzz(func(t *testing.T, main, styles, lists, header string) {
		b := file(t, main, entry{"word/styles.xml", styles}, entry{"word/numbering.xml", lists}, entry{"word/header1.xml", header})
		pkg, err := docx.Open(bytes.NewReader(b), int64(len(b)), docx.DefaultLimits())
		if err != nil {
			return
		}
		places := []docxtext.Place{docxtext.Whole("word/document.xml#/w:document[1]/w:body[1]/w:p[1]"), docxtext.Whole("word/header1.xml#/w:hdr[1]/w:p[1]")}
		doc, spans, err := docxtext.ReadPlaces(context.Background(), pkg, places)
		if refusal := new(docx.Error); err != nil {
			if !errors.As(err, &refusal) || refusal.Reason == "" {
				t.Errorf("refused without a reason: %v", err)
			}
			return
		}
		inOrder(t, doc)
		resolves(t, pkg, doc)
		for _, s := range spans {
			if s != docxtext.Nowhere() && (s.Start < 0 || s.End < s.Start || s.End > len(doc.Text)) {
				t.Errorf("a place is at %+v of %d", s, len(doc.Text))
			}
		}
		if _, err := docxtext.ReadProperties(context.Background(), pkg); err != nil {
			t.Error(err)
		}
	})
}
