package pdffields

import (
	"cmp"
	"math"
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
)

// Sizes of drawn lines and boxes, in points.
const (
	// thin is the maximum height of a line, and leastRule its minimum width.
	thin, leastRule = 3.0, 20.0
	// widest is the maximum width of a line that stands alone above its caption. Longer lines
	// separate parts of a page.
	widest = 330.0
	// leastBox and mostBox bound the sides of a box to tick.
	leastBox, mostBox = 4.5, 18.0
	// touching is the distance of lines that touch each other.
	touching = 2.0
)

// drawing is a line or a box on a page, in points.
type drawing struct{ layout.Box }

func (d drawing) width() float64  { return d.Right - d.Left }
func (d drawing) height() float64 { return d.Bottom - d.Top }

// drawings are the lines and boxes of a page by their shapes.
type drawings struct {
	horizontal, squares []drawing
	// columns are the vertical lines, and the sides of frames. lines are the horizontal
	// ones.
	columns, lines *grid
}

// drawingsOf sorts the rules of a page by their shapes. Lines that continue each other are
// joined.
func drawingsOf(p *page) drawings {
	d := drawings{columns: newGrid(), lines: newGrid()}
	for _, r := range p.rules {
		b := drawing{p.points(r.Box)}
		switch w, h := b.width(), b.height(); {
		case h <= thin && w >= leastRule:
			d.horizontal = append(d.horizontal, b)
		case w <= thin && h > thin:
			d.columns.add(b.Box)
		case !r.Filled && min(w, h) >= leastBox && max(w, h) <= mostBox && max(w, h) <= 1.5*min(w, h):
			d.squares = append(d.squares, b)
		case !r.Filled && min(w, h) > mostBox: // the sides of a frame
			d.columns.add(layout.Box{Left: b.Left, Top: b.Top, Right: b.Left, Bottom: b.Bottom})
			d.columns.add(layout.Box{Left: b.Right, Top: b.Top, Right: b.Right, Bottom: b.Bottom})
		}
	}
	d.horizontal = joined(d.horizontal)
	for _, l := range d.horizontal {
		d.lines.add(l.Box)
	}
	d.squares = single(d.squares)
	return d
}

// joined returns horizontal lines sorted from top to bottom. Lines at the same height that
// touch are one.
func joined(lines []drawing) []drawing {
	slices.SortFunc(lines, func(a, b drawing) int {
		return cmp.Or(compare(math.Round(a.Bottom), math.Round(b.Bottom)), compare(a.Left, b.Left))
	})
	out := lines[:0]
	for _, l := range lines {
		if n := len(out); n > 0 && math.Abs(out[n-1].Bottom-l.Bottom) < touching && l.Left <= out[n-1].Right+touching {
			out[n-1].Box = out[n-1].Union(l.Box)
			continue
		}
		out = append(out, l)
	}
	return out
}

// single returns squares without those that touch another one in their row: such squares
// are the cells of a comb or a table.
func single(squares []drawing) []drawing {
	slices.SortFunc(squares, func(a, b drawing) int {
		return cmp.Or(compare(math.Round(a.Top), math.Round(b.Top)), compare(a.Left, b.Left))
	})
	out := make([]drawing, 0, len(squares))
	next := func(i int) (touches, same bool) {
		if i < 0 || i+1 >= len(squares) {
			return false, false
		}
		a, b := squares[i], squares[i+1]
		level := math.Abs(a.Top-b.Top) < touching
		same = level && math.Abs(a.Left-b.Left) < touching
		return !same && level && b.Left-a.Right < touching/2 && b.Left > a.Left, same
	}
	for i, s := range squares {
		left, again := next(i - 1)
		right, _ := next(i)
		if !left && !right && !again {
			out = append(out, s)
		}
	}
	return out
}

// crossed reports whether a vertical line touches the horizontal one, as in a table.
func (d *drawings) crossed(l drawing) bool {
	return d.columns.touch(grown(l.Box, touching), func(layout.Box) bool { return true })
}
