package appearance

import (
	"slices"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

const (
	// minCell is the width below which a comb has no cells, in points.
	minCell = 1
	// maxCells is the number of cells above which it has none.
	maxCells = 1000
)

// combed reports whether each character of the text has a cell of its own. The flag has a
// meaning only for a single line with a maximum length (ISO 32000-1, table 228).
func (w *widget) combed() bool {
	return w.Comb && !w.Multiline && !w.Password && 0 < w.MaxLength && w.MaxLength <= maxCells && w.cell() >= minCell
}

// cell is the width of a cell.
func (w *widget) cell() float64 { return w.Width / float64(w.MaxLength) }

// dividers draws the lines between cells.
func (w *widget) dividers(c *canvas) {
	if w.BorderWidth == 0 || w.BorderStyle == 'U' || raised(w.BorderStyle) {
		return
	}
	c.op("q")
	if c.strokeColor(w.Border) {
		c.op("w", w.BorderWidth)
		w.dash(c)
		for i := 1; i < w.MaxLength; i++ {
			c.op("m", float64(i)*w.cell(), w.BorderWidth)
			c.op("l", float64(i)*w.cell(), w.Height-w.BorderWidth)
		}
		c.op("S")
	}
	c.op("Q")
}

// comb draws each character in the middle of its cell, all on one baseline. If there are
// more characters than cells, it draws an ordinary line, so that all can be seen.
func (p *Painter) comb(c *canvas, w *widget, text string) error {
	cells, err := p.fitCells(w, text)
	switch {
	case err != nil || len(cells) == 0:
		return err
	case len(cells) > w.MaxLength:
		return p.line(c, w, text)
	}
	rightToLeft := cells[0].RightToLeft
	if rightToLeft {
		reorder(cells)
	}
	first := 0
	switch free := w.MaxLength - len(cells); {
	case w.Align == 1:
		first = free / 2
	case w.Align == 2, w.Align == 0 && rightToLeft:
		first = free
	}
	inside, all := w.inside(), tallest(cells)
	y := inside.y + (inside.h-all.Ascent-all.Descent)/2 + all.Descent
	for i, line := range cells {
		c.Write(p.Writer.Show(line, (float64(first+i)+0.5)*w.cell()-line.Width/2, y))
	}
	return nil
}

// reorder puts the characters of a text that runs from right to left into visual order. The
// digits of a number keep theirs.
func reorder(cells []typeset.Line) {
	slices.Reverse(cells)
	for start := 0; start < len(cells); {
		end := start + 1
		for end < len(cells) && !cells[start].RightToLeft && !cells[end].RightToLeft {
			end++
		}
		slices.Reverse(cells[start:end])
		start = end
	}
}

// tallest returns the largest extents of lines.
func tallest(lines []typeset.Line) (all typeset.Line) {
	for _, line := range lines {
		all.Width, all.Ascent, all.Descent = max(all.Width, line.Width), max(all.Ascent, line.Ascent), max(all.Descent, line.Descent)
	}
	return all
}

// fitCells sets the characters of a comb in the largest size that fits all cells.
func (p *Painter) fitCells(w *widget, text string) ([]typeset.Line, error) {
	size := wantedSize(w.FontSize)
	o := typeset.Options{Style: w.Style, Size: size}
	cells, err := p.Fonts.Cells(text, o)
	if err != nil {
		return nil, err
	}
	all := tallest(cells)
	between := max(w.cell()-w.BorderWidth-0.5, w.cell()/2) // the dividers
	scale := min(1, between/max(all.Width, 1), w.inside().h/max(room(all, size, w.FontSize > 0), 1))
	if scale == 1 {
		return cells, nil
	}
	o.Size = max(size*scale, min(size, leastSize))
	p.shrunk(size, o.Size)
	return p.Fonts.Cells(text, o)
}
