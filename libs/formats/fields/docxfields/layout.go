package docxfields

import (
	"maps"
	"slices"
	"unicode"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// layout is where the text of a paragraph stands, as far as its tabs depend on it.
// Lengths are in twentieths of a point.
type layout struct {
	// stops are the tab stops by their positions. They are never changed.
	stops map[int]tabStop
	// left is where lines begin, and first where the first one does.
	left, first int
	// size is that of the font, in half-points.
	size int
}

// tabStop is where a tab leads to, and how.
type tabStop struct {
	pos int
	// align is how what follows the tab stands at the stop: "left", "right",
	// "center" and so on.
	align string
	// leader is what the tab is filled with, "" for nothing.
	leader string
}

// Lengths of Word where a document has none, in twentieths of a point.
const (
	defaultStop = 720
	defaultLine = 9360
	defaultSize = 20
)

// with returns the layout with what the properties of a paragraph change.
func (l layout) with(properties *etree.Element) layout {
	if properties == nil {
		return l
	}
	if indent := wml.Child(properties, "ind"); indent != nil {
		from := l.first - l.left
		l.left = lengthOf(indent, l.left, "left", "start")
		l.first = l.left + from
		if first, ok := wml.Attr(indent, "firstLine"); ok {
			l.first = l.left + wml.Count(first)
		}
		if hanging, ok := wml.Attr(indent, "hanging"); ok {
			l.first = l.left - wml.Count(hanging)
		}
	}
	if tabs := wml.Child(properties, "tabs"); tabs != nil {
		l.stops = maps.Clone(l.stops)
		if l.stops == nil {
			l.stops = map[int]tabStop{}
		}
		for _, e := range tabs.ChildElements() {
			l.setStop(e)
		}
	}
	return l
}

// maxStops is how many tab stops a paragraph has at most: Word has no more.
const maxStops = 64

// setStop adds the stop of a w:tab, or removes the one that it clears.
func (l layout) setStop(e *etree.Element) {
	v, _ := wml.Attr(e, "pos")
	s := tabStop{pos: wml.Count(v), align: wml.Val(e)}
	switch s.leader, _ = wml.Attr(e, "leader"); {
	case !wml.Is(e, "tab") || s.align == "bar":
	case s.align == "clear":
		delete(l.stops, s.pos)
	case len(l.stops) < maxStops:
		if s.leader == "none" {
			s.leader = ""
		}
		l.stops[s.pos] = s
	}
}

// sized returns the layout with the size of the font in the properties of a run.
func (l layout) sized(properties *etree.Element) layout {
	if n := wml.Count(wml.Val(wml.Child(properties, "sz"))); n > 0 {
		l.size = n
	}
	return l
}

// lengthOf returns the first of the attributes that e has, otherwise what was
// known.
func lengthOf(e *etree.Element, known int, keys ...string) int {
	for _, key := range keys {
		if v, ok := wml.Attr(e, key); ok {
			return wml.Count(v)
		}
	}
	return known
}

// leads reports whether a tab of the layout can be filled with anything.
func (l layout) leads() bool {
	for _, s := range l.stops {
		if s.leader != "" {
			return true
		}
	}
	return false
}

// pen is where the next character of a paragraph would stand. It knows no fonts:
// widths are estimated, which is enough to tell which tab stop comes next.
type pen struct {
	layout
	order []int
	// x is the place. What follows a stop that aligns it otherwise than left began
	// at from and is width wide.
	x, from, width int
	at             tabStop
}

// newPen returns a pen at the start of the paragraph.
func newPen(l layout) *pen {
	return &pen{layout: l, order: slices.Sorted(maps.Keys(l.stops)), x: l.first}
}

// line goes to the next line.
func (p *pen) line() { p.x, p.at = p.left, tabStop{} }

// write moves the pen behind text of the size, in half-points.
func (p *pen) write(text string, size int) {
	width := 0
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			width += size * 5 / 2
		case unicode.IsUpper(r):
			width += size * 13 / 2
		default:
			width += size * 9 / 2
		}
	}
	p.width += width
	switch p.at.align {
	case "right", "end", "decimal":
		p.x = max(p.at.pos, p.from+p.width)
	case "center":
		p.x = max(p.at.pos+p.width/2, p.from+p.width)
	default:
		p.x += width
	}
	if end := p.end(); p.x > end && end > p.left {
		p.x = p.left + (p.x-p.left)%(end-p.left)
	}
}

// end returns where lines end at the latest.
func (p *pen) end() int {
	if n := len(p.order); n > 0 {
		return max(defaultLine, p.order[n-1])
	}
	return defaultLine
}

// tab moves the pen to the next tab stop, and returns that.
func (p *pen) tab() tabStop {
	next := tabStop{pos: (p.x/defaultStop + 1) * defaultStop}
	for _, pos := range p.order {
		if pos > p.x {
			next = p.stops[pos]
			break
		}
	}
	// A hanging indent is a stop as well.
	if p.x < p.left && p.left < next.pos {
		next = tabStop{pos: p.left}
	}
	p.from, p.width, p.at, p.x = p.x, 0, next, next.pos
	return next
}
