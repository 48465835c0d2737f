package structure

import (
	"slices"
	"sort"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// Read finds the structure of a document. The result is deterministic. Time and memory are
// linear in the length of the text. Read panics if a span of the document is outside its
// text.
func Read(d *layout.Document) *Document {
	ps, margins := pieces(d)
	doc := &Document{Document: d, Margins: margins}
	exhibits := exhibitsOf(d.Text, ps)
	doc.Paragraphs, doc.Sections = outline(d.Text, ps, exhibits)
	doc.Sentences = sentences(d.Text, doc.Paragraphs, doc.Sections)
	doc.Definitions = definitions(d.Text, doc.Sentences)
	segs := segments(d, ps)
	doc.Tables, doc.segments = tables(d, ps, segs), segs
	doc.Signatures = signature.Find(d.Text, segs)
	doc.addTableSignatures()
	slices.SortStableFunc(doc.Signatures, func(a, b signature.Block) int { return a.Start - b.Start })
	doc.Exhibits = place(d.Text, ps, exhibits, doc.Sections)
	return doc
}

// addTableSignatures adds the signature blocks in tables. The lines to sign on in such a table
// belong to these blocks rather than to blocks of their own.
func (d *Document) addTableSignatures() {
	var signed []layout.Span
	var blocks []signature.Block
	for _, t := range d.Tables {
		if found := signature.InTable(d.Text, t.Span, t.Rows); len(found) > 0 {
			signed, blocks = append(signed, t.Span), append(blocks, found...)
		}
	}
	d.Signatures = slices.DeleteFunc(d.Signatures, func(s signature.Block) bool {
		for len(signed) > 0 && signed[0].End <= s.Start {
			signed = signed[1:]
		}
		return len(signed) > 0 && s.Name.Len() == 0 && signed[0].Start <= s.Start && s.End <= signed[0].End
	})
	d.Signatures = append(d.Signatures, blocks...)
}

// Plain returns the text of a span on one line, without margins. Use it for the meaning of
// the text, and Quote for its exact characters.
func (d *Document) Plain(s layout.Span) string {
	var b strings.Builder
	for _, m := range overlapping(d.Margins, s) {
		if m.Start > s.Start {
			b.WriteString(d.Text[s.Start:m.Start] + " ")
		}
		s.Start = min(max(s.Start, m.End), s.End)
	}
	b.WriteString(d.Text[s.Start:s.End])
	return wording.OneLine(b.String())
}

// overlapping returns the spans that overlap s. spans must be in order and must not overlap.
func overlapping(spans []layout.Span, s layout.Span) []layout.Span {
	from := sort.Search(len(spans), func(i int) bool { return spans[i].End > s.Start })
	to := from + sort.Search(len(spans)-from, func(i int) bool { return spans[from+i].Start >= s.End })
	return spans[from:to]
}
