package tabstop

import (
	"maps"
	"slices"
	"unicode"
)

// Pen is where the next character of a paragraph would stand. It knows no fonts:
// widths are estimated, which is enough to tell which tab stop comes next.
type Pen struct {
	Layout
	order []int
	// x is the place. What follows a stop that aligns it otherwise than left began
	// at from and is width wide.
	x, from, width int
	at             Stop
}

// NewPen returns a pen at the start of the paragraph.
func NewPen(l Layout) *Pen {
	return &Pen{Layout: l, order: slices.Sorted(maps.Keys(l.stops)), x: l.first}
}

// Line goes to the next line.
func (p *Pen) Line() { p.x, p.at = p.left, Stop{} }

// Write moves the pen behind text of the size, in half-points.
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

// end returns where lines end at the latest.
func (p *Pen) end() int {
	if n := len(p.order); n > 0 {
		return max(defaultLine, p.order[n-1])
	}
	return defaultLine
}

// Tab moves the pen to the next tab stop, and returns that.
func (p *Pen) Tab() Stop {
	next := Stop{Pos: (p.x/defaultStop + 1) * defaultStop}
	for _, pos := range p.order {
		if pos > p.x {
			next = p.stops[pos]
			break
		}
	}
	// A hanging indent is a stop as well.
	if p.x < p.left && p.left < next.Pos {
		next = Stop{Pos: p.left}
	}
	p.from, p.width, p.at, p.x = p.x, 0, next, next.Pos
	return next
}
