package typeset

import (
	"slices"
	"unicode"

	"github.com/go-text/typesetting/harfbuzz"
)

// cluster is the smallest piece of shaped text that has a place of its own.
type cluster struct {
	start, end int // characters of the paragraph
	glyphs     []Glyph
	advance    float64
	item       *item
}

// shape returns the clusters of a paragraph in logical order. Glyphs within a cluster are in
// visual order.
func (p *paragraph) shape(items []item, size float64) ([]cluster, error) {
	var all []cluster
	for i := range items {
		clusters, err := p.shapeItem(&items[i], size)
		if err != nil {
			return nil, err
		}
		all = append(all, clusters...)
	}
	return all, nil
}

func (p *paragraph) shapeItem(it *item, size float64) ([]cluster, error) {
	f := it.font
	f.shaping.Lock()
	defer f.shaping.Unlock()
	if err := f.load(); err != nil {
		return nil, err
	}
	b := f.buffer
	err := guard("shape with "+f.path, func() error {
		b.Clear()
		b.ClusterLevel = harfbuzz.Characters // so that clusters are as small as can be
		b.Flags = harfbuzz.RemoveDefaultIgnorables | harfbuzz.DoNotinsertDottedCircle
		b.Props = harfbuzz.SegmentProperties{Script: it.script, Direction: harfbuzz.LeftToRight}
		if it.rtl() {
			b.Props.Direction = harfbuzz.RightToLeft
		}
		b.AddRunes(p.text, it.start, it.end-it.start)
		b.Shape(f.shaper, nil)
		return nil
	})
	if err != nil {
		f.loaded = false // its buffer may be in any state
		return nil, err
	}
	return p.clusters(it, size)
}

// rtl reports whether the item is written from right to left.
func (it *item) rtl() bool { return it.level%2 == 1 }

// clusters divides the glyphs in the buffer wherever all glyphs before belong to text before
// a grapheme cluster, and all glyphs after to text after it.
func (p *paragraph) clusters(it *item, size float64) ([]cluster, error) {
	glyphs := slices.DeleteFunc(it.font.glyphs(size), func(g Glyph) bool {
		return g.ID == 0 && invisible(p.text[g.first])
	})
	if it.rtl() {
		slices.Reverse(glyphs)
	}
	var all []cluster
	for _, part := range p.divide(glyphs) {
		c := cluster{glyphs: part, item: it, start: part[0].first}
		for _, g := range part {
			c.start = min(c.start, g.first)
			c.advance += g.Advance
		}
		all = append(all, c)
	}
	for i := range all {
		c := &all[i]
		c.end = it.end
		if i == 0 {
			c.start = it.start
		}
		if i+1 < len(all) {
			c.end = all[i+1].start
		}
		p.finish(c)
		if err := p.checkGlyphs(c); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// finish puts the glyphs of a cluster into visual order, and gives the first its text.
func (p *paragraph) finish(c *cluster) {
	if c.item.rtl() {
		slices.Reverse(c.glyphs)
	}
	pen := 0
	for i := range c.glyphs {
		g := &c.glyphs[i]
		g.x += pen
		pen += g.advance
		g.rtl = c.item.rtl()
	}
	c.glyphs[0].Text = string(p.text[c.start:c.end])
}

// glyphs returns what is in the buffer.
func (f *Font) glyphs(size float64) []Glyph {
	glyphs := make([]Glyph, len(f.buffer.Info))
	for i, pos := range f.buffer.Pos[:len(glyphs)] {
		glyphs[i] = Glyph{
			ID:      uint16(f.buffer.Info[i].Glyph),
			Advance: f.points(int(pos.XAdvance), size),
			OffsetX: f.points(int(pos.XOffset), size),
			OffsetY: f.points(int(pos.YOffset), size),
			first:   f.buffer.Info[i].Cluster,
			advance: int(pos.XAdvance),
			x:       int(pos.XOffset),
			y:       int(pos.YOffset),
		}
	}
	return glyphs
}

// divide divides glyphs in logical order into those of clusters.
func (p *paragraph) divide(glyphs []Glyph) [][]Glyph {
	var parts [][]Glyph
	after := make([]int, len(glyphs)+1) // lowest character of the glyphs from here on
	after[len(glyphs)] = len(p.text) + 1
	for i := len(glyphs) - 1; i >= 0; i-- {
		after[i] = min(after[i+1], glyphs[i].first)
	}
	start, highest := 0, -1
	for i, g := range glyphs {
		if i > start && highest < after[i] && p.boundaries[after[i]] {
			parts = append(parts, glyphs[start:i:i])
			start = i
		}
		highest = max(highest, g.first)
	}
	if start < len(glyphs) {
		parts = append(parts, glyphs[start:])
	}
	return parts
}

// checkGlyphs makes sure that no box is drawn in place of a character.
func (p *paragraph) checkGlyphs(c *cluster) error {
	for _, g := range c.glyphs {
		if g.ID != 0 {
			continue
		}
		for _, r := range p.text[c.start:c.end] {
			if !invisible(r) {
				return &MissingError{Rune: r}
			}
		}
		return &MissingError{Rune: p.text[c.start]}
	}
	return nil
}

// space reports whether a cluster is white space, which hangs at the end of lines.
func (p *paragraph) space(c *cluster) bool {
	for _, r := range p.text[c.start:c.end] {
		if !invisible(r) && (!unicode.Is(unicode.Zs, r) || r == 0xA0 || r == 0x202F) {
			return false
		}
	}
	return true
}
