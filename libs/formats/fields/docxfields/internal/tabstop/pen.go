package tabstop

import (
	"maps"
	"slices"
	"unicode"
)

// Pen is the position of the next character of a paragraph. It has no font data: widths
// are estimates, which suffice to determine the next tab stop.
type Pen struct {
	Layout
	order []int
	// x is the position. Text after a tab stop that is not left-aligned began at from and
	// has the given width.
	x, from, width int
	at             Stop
}

// NewPen returns a pen at the start of the paragraph.
func NewPen(l Layout) *Pen {
	return &Pen{Layout: l, order: slices.Sorted(maps.Keys(l.stops)), x: l.first}
}

// Line moves the pen to the next line.
func (p *Pen) Line() { p.x, p.at = p.left, Stop{} }

// Write moves the pen past text of the size, in half-points.
func (p *Pen) Write(text string, size int) {
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
	switch p.at.Align {
	case "right", "end", "decimal":
		p.x = max(p.at.Pos, p.from+p.width)
	case "center":
		p.x = max(p.at.Pos+p.width/2, p.from+p.width)
	default:
		p.x += width
	}
	if end := p.end(); p.x > end && end > p.left {
		p.x = p.left + (p.x-p.left)%(end-p.left)
	}
}

// end returns the rightmost position of a line.
func (p *Pen) end() int {
	if n := len(p.order); n > 0 {
		return max(defaultLine, p.order[n-1])
	}
	return defaultLine
}

// Tab moves the pen to the next tab stop and returns it.
func (p *Pen) Tab() Stop {
	next := Stop{Pos: (p.x/defaultStop + 1) * defaultStop}
	for _, pos := range p.order {
		if pos > p.x {
			next = p.stops[pos]
			break
		}
	}
	// A hanging indent acts as a tab stop.
	if p.x < p.left && p.left < next.Pos {
		next = Stop{Pos: p.left}
	}
	p.from, p.width, p.at, p.x = p.x, 0, next, next.Pos
	return next
}
