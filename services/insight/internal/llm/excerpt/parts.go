package excerpt

import (
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// minSize is the minimum size of a part. Smaller sizes are raised to it.
const minSize = 256

// Parts returns the whole document in parts of at most size bytes, in text order. Each begins
// at most overlap bytes before the end of the one before it, so that what is said at the
// border is in one of them. Parts begin and end at sections, paragraphs or sentences
// where the size permits it, or else at white space, or else between characters. A size
// of less than 256 counts as 256, and overlap is at most a third of the size.
func Parts(d *structure.Document, size, overlap int) []Part {
	size = max(size, minSize)
	overlap = min(max(overlap, 0), size/3)
	c := cutsOf(d)
	var parts []Part
	for start := 0; start < len(d.Text); {
		end := len(d.Text)
		if end-start > size {
			end = c.before(start, start+size)
		}
		parts = append(parts, Part{[]layout.Span{{Start: start, End: end}}})
		if end == len(d.Text) {
			break
		}
		if start = end; overlap > 0 {
			start = c.after(end-overlap, end)
		}
	}
	return parts
}

const (
	// minHalved is the minimum length of a part that is halved.
	minHalved = 1500
	// sharedHalves is the fraction of a part that both halves have, as its divisor.
	sharedHalves = 12
)

// Halves returns two parts that have all of p between them, each shorter than p, for when
// the answer to p was too long. They overlap a little. It returns nil if p is too short to
// be halved.
func (p Part) Halves(d *structure.Document) []Part {
	if p.len() < minHalved {
		return nil
	}
	c, total := cutsOf(d), 0
	for _, s := range p.Spans {
		total += s.Len()
	}
	lap := total / sharedHalves
	from, to := p.offset(total/2-lap), p.offset(total/2+lap)
	end := c.before(from, to)
	start := c.after(max(from, end-lap), end)
	first, second := p.within(layout.Span{End: end}), p.within(layout.Span{Start: start, End: len(d.Text)})
	return []Part{first, second}
}

// offset returns the offset in the document of the nth byte of the passages.
func (p Part) offset(n int) int {
	for _, s := range p.Spans {
		if n < s.Len() {
			return s.Start + n
		}
		n -= s.Len()
	}
	return p.Spans[len(p.Spans)-1].End
}
