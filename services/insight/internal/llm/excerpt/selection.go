package excerpt

import (
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// selection is a choice of passages up to a size.
type selection struct {
	d *structure.Document
	// spans holds the passages with the numbers of their paragraphs, and paragraphs the
	// index of the paragraph of each.
	spans      []layout.Span
	paragraphs []int
	taken      []bool
	// size is the maximum number of bytes, and left those that are left.
	size, left int
}

func newSelection(d *structure.Document, all []rules.Passage, size int) *selection {
	s := &selection{d: d, taken: make([]bool, len(all)), size: size, left: size}
	for i, p := range all {
		span := p.Span
		if i == 0 || all[i-1].Paragraph != p.Paragraph {
			span.Start = d.Paragraphs[p.Paragraph].Start
		}
		s.spans, s.paragraphs = append(s.spans, span), append(s.paragraphs, p.Paragraph)
	}
	return s
}

// begin takes the beginning of the document, up to n bytes.
func (s *selection) begin(n int) {
	for i := 0; i < len(s.spans) && s.spans[i].End <= n; i++ {
		s.take(i)
	}
}

// take takes a passage. It reports false if i is -1, or the passage is taken, or too long
// for what is left.
func (s *selection) take(i int) bool {
	if i < 0 || s.taken[i] {
		return false
	}
	cost := s.spans[i].Len() + gapLen + s.joint(i-1, i) + s.joint(i, i+1)
	if cost > s.left {
		return false
	}
	s.left -= cost
	s.taken[i] = true
	return true
}

// takeCheap takes a passage of at most n bytes, if half of the size is left.
func (s *selection) takeCheap(i, n int) {
	if s.spans[i].Len() <= n && s.left > s.size/2 {
		s.take(i)
	}
}

// joint returns what it costs to take the text between two passages instead of a gap, if
// one of them is taken and the other one is about to be.
func (s *selection) joint(a, b int) int {
	if !s.joined(a, b) || !s.taken[a] && !s.taken[b] {
		return 0
	}
	return s.spans[b].Start - s.spans[a].End - gapLen
}

// maxJoint is the maximum length of the text between passages that is taken with them, such
// as white space, the number of a page or a header.
const maxJoint = 80

// joined reports whether the text between two passages is taken if both are.
func (s *selection) joined(a, b int) bool {
	return a >= 0 && b < len(s.spans) && s.spans[b].Start-s.spans[a].End <= maxJoint
}

// lead returns the passage that leads to the list with an item, such as "The Tenant
// shall:", or -1.
func (s *selection) lead(i int) int {
	item := s.d.Paragraphs[s.paragraphs[i]]
	if item.Kind != structure.Item {
		return -1
	}
	for k := i - 1; k >= max(0, i-maxLead); k-- {
		if s.d.Text[s.spans[k].End-1] == ':' && s.d.Paragraphs[s.paragraphs[k]].Level < item.Level {
			return k
		}
	}
	return -1
}

// part returns the selection.
func (s *selection) part() Part {
	var p Part
	for i, span := range s.spans {
		switch {
		case !s.taken[i]:
		case i > 0 && s.taken[i-1] && s.joined(i-1, i):
			p.Spans[len(p.Spans)-1].End = span.End
		default:
			p.Spans = append(p.Spans, span)
		}
	}
	return p
}
