// Package excerpt decides what of a document is sent to a language model: all of it, in
// parts that overlap, or the passages that matter for one question.
package excerpt

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Part is a passage, or several, that is sent as one document.
type Part struct {
	// Spans are in text order. They neither overlap nor touch.
	Spans []layout.Span
}

// Gap is the line that Text writes for what is left out.
const Gap = "[…]"

// Text returns the passages. A line with Gap is between them, and nothing else is added.
func (p Part) Text(d *structure.Document) string {
	var b strings.Builder
	for i, s := range p.Spans {
		if i > 0 {
			b.WriteString("\n" + Gap + "\n")
		}
		b.WriteString(d.Quote(s))
	}
	return b.String()
}

// gapLen is the number of bytes that Text writes for a gap.
const gapLen = len("\n" + Gap + "\n")

// len returns the length of Text.
func (p Part) len() int {
	n := max(0, len(p.Spans)-1) * gapLen
	for _, s := range p.Spans {
		n += s.Len()
	}
	return n
}

// within returns the part of p that is within a span.
func (p Part) within(in layout.Span) Part {
	var out Part
	for _, s := range p.Spans {
		s.Start, s.End = max(s.Start, in.Start), min(s.End, in.End)
		if s.Start < s.End {
			out.Spans = append(out.Spans, s)
		}
	}
	return out
}
