package excerpt

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// cuts are the offsets where a document may be cut, in text order for each kind.
type cuts struct {
	text string
	// kinds holds where sections, subsections, paragraphs and sentences begin, the best kind
	// first.
	kinds [4][]int
}

// cutsOf returns the cuts of a document.
func cutsOf(d *structure.Document) *cuts {
	c := &cuts{text: d.Text}
	for _, s := range d.Sections {
		if s.Level <= 2 {
			c.kinds[s.Level-1] = append(c.kinds[s.Level-1], s.Start)
		}
	}
	for _, p := range d.Paragraphs {
		c.kinds[2] = append(c.kinds[2], p.Start)
	}
	for _, s := range d.Sentences {
		c.kinds[3] = append(c.kinds[3], s.Start)
	}
	return c
}

// before returns the best offset to end a part: after from, and at most to. The better the
// kind of a cut, the more room may be left. to-from must be at least utf8.UTFMax.
func (c *cuts) before(from, to int) int {
	for i, kind := range c.kinds {
		if at := lastIn(kind, to-(to-from)/(2+i), to); at > from {
			return at
		}
	}
	if i := strings.LastIndexFunc(c.text[to-(to-from)/3:to], space.Is); i >= 0 {
		at := to - (to-from)/3 + i
		_, size := utf8.DecodeRuneInString(c.text[at:])
		return min(at+size, to)
	}
	return c.border(to)
}

// after returns the best offset to begin a part: at least from, and before to.
func (c *cuts) after(from, to int) int {
	for _, kind := range c.kinds[2:] {
		if i := sort.SearchInts(kind, from); i < len(kind) && kind[i] < to {
			return kind[i]
		}
	}
	if i := strings.IndexFunc(c.text[c.border(from):to], space.Is); i >= 0 {
		return c.border(from) + i
	}
	return c.border(from)
}

// lastIn returns the last of the offsets after from and at most to, or -1.
func lastIn(offsets []int, from, to int) int {
	i := sort.SearchInts(offsets, to+1) - 1
	if i < 0 || offsets[i] <= from {
		return -1
	}
	return offsets[i]
}

// border returns the last offset up to at that does not cut a character.
func (c *cuts) border(at int) int {
	for i := at; i > at-utf8.UTFMax && i > 0 && i < len(c.text); i-- {
		if utf8.RuneStart(c.text[i]) {
			return i
		}
	}
	return at
}
