// Package passage defines how rules read a document: passages on one line and in lower
// case, the text and the label around them, and which sentences can contain an agreed
// term.
package passage

import (
	"sort"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// MaxSentence is the maximum number of bytes read of a sentence.
const MaxSentence = structure.MaxSentence

// Text returns the text of a span on one line, truncated to MaxSentence bytes.
func Text(d *structure.Document, s layout.Span) string {
	return OneLine(d.Quote(Cut(d.Text, s)))
}

// Cut truncates a span to MaxSentence bytes without splitting a character.
func Cut(text string, s layout.Span) layout.Span { return structure.Cut(text, s) }

// SentenceAt returns the index of the sentence that contains offset, or -1 if there is
// none.
func SentenceAt(d *structure.Document, offset int) int {
	i := sort.Search(len(d.Sentences), func(i int) bool { return d.Sentences[i].End > offset })
	if i == len(d.Sentences) || d.Sentences[i].Start > offset {
		return -1
	}
	return i
}

// paragraphAt returns the index of the paragraph that contains offset, or of the next
// paragraph, or -1 if there is neither.
func paragraphAt(d *structure.Document, offset int) int {
	i := sort.Search(len(d.Paragraphs), func(i int) bool { return d.Paragraphs[i].End > offset })
	if i == len(d.Paragraphs) {
		return -1
	}
	return i
}

// InBody reports whether offset is in a paragraph that is not part of a running header or
// footer.
func InBody(d *structure.Document, offset int) bool {
	i := paragraphAt(d, offset)
	return i >= 0 && d.Paragraphs[i].Start <= offset && d.Paragraphs[i].Kind != structure.Margin
}

// SectionTitle returns the title of a paragraph's section, or of the nearest enclosing
// section with a title, "" for none.
func SectionTitle(d *structure.Document, paragraph int) string {
	if paragraph < 0 {
		return ""
	}
	for i := d.Paragraphs[paragraph].Section; i >= 0; i = d.Sections[i].Parent {
		if t := OneLine(d.Sections[i].Title); t != "" {
			return t
		}
	}
	return ""
}

// Around returns the text of the sentence before and after a span, on one line and in
// lower case, each at most reach bytes. A span in two sentences joins them. If the span is
// not in a sentence, the surrounding text is used as it is.
func Around(d *structure.Document, s layout.Span, reach int) (before, after string) {
	from, to := max(0, s.Start-reach), min(len(d.Text), s.End+reach)
	if i := SentenceAt(d, s.Start); i >= 0 {
		last := max(i, SentenceAt(d, max(s.Start, s.End-1)))
		from, to = max(from, d.Sentences[i].Start), min(to, max(s.End, d.Sentences[last].End))
	}
	return Lower(d.Text[from:s.Start]), Lower(d.Text[s.End:to])
}

// LowerText returns the text of a span as Lower does, truncated to MaxSentence bytes.
func LowerText(d *structure.Document, s layout.Span) string {
	return Lower(d.Quote(Cut(d.Text, s)))
}
