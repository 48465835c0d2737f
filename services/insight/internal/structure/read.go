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
	doc.Tables = tables(d, ps, segs)
	doc.Signatures = signature.Find(d.Text, segs)
	for _, t := range doc.Tables {
		blocks := signature.InTable(d.Text, t.Span, t.Rows)
		if len(blocks) > 0 {
			// The lines to sign on in the table belong to these blocks.
			doc.Signatures = slices.DeleteFunc(doc.Signatures, func(s signature.Block) bool { return s.Name.Len() == 0 && t.Start <= s.Start && s.End <= t.End })
		}
		doc.Signatures = append(doc.Signatures, blocks...)
	}
	slices.SortStableFunc(doc.Signatures, func(a, b signature.Block) int { return a.Start - b.Start })
	doc.Exhibits = place(d.Text, ps, exhibits, doc.Sections)
	return doc
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
