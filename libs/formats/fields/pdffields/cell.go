package pdffields

import (
	"math"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Sizes of the empty cells of forms, in points.
const (
	// leastCell is the minimum width of a cell to write in. leastRow and mostRow bound its
	// height.
	leastCell         = 36.0
	leastRow, mostRow = 9.0, 72.0
	// nearCell is the maximum distance of a label from the line that ends its cell, and
	// widestCell the maximum width of the cell to write in.
	nearCell, widestCell = 250.0, 450.0
	// cellPadding is the distance of a value from the sides of its cell.
	cellPadding = 4.0
)

// addCells adds the empty cells of forms that are drawn as tables: those to the right of a
// cell with the label of a value, such as "Name" or "Account:".
func (s *survey) addCells() {
	if s.columns.kept == 0 {
		return
	}
	seen := map[layout.Box]bool{}
	for _, w := range s.words {
		label := word{w, s.points(w.Box)}
		cell, ok := s.cellAfter(label)
		if !ok || seen[cell] || !s.isEmpty(cell) || !s.asks(label) {
			continue
		}
		seen[cell] = true
		y := label.b.Bottom - 0.15*label.height()
		box := layout.Box{Left: cell.Left + cellPadding, Top: y, Right: cell.Right - cellPadding, Bottom: y}
		s.markers.place(s.markers.after, w, marker{box: box, kind: inlineRule})
	}
}

// cellAfter returns the cell to the right of the one that a word ends. It reports false if
// the word is not the last one of a cell in its row, or no such cell is drawn.
func (s *survey) cellAfter(w word) (cell layout.Box, ok bool) {
	left, ok := s.columnAfter(w, w.b.Right-touching, nearCell)
	if !ok {
		return cell, false
	}
	for _, other := range s.around(w.b.Top, w.b.Bottom, w.b.Right, left.Right) {
		if other.b.Left > w.b.Left && other.b.Right < left.Right+touching {
			return cell, false
		}
	}
	right, ok := s.columnAfter(w, left.Right+leastCell, widestCell)
	if !ok {
		return cell, false
	}
	cell = layout.Box{Left: left.Right, Top: max(left.Top, right.Top), Right: right.Left, Bottom: min(left.Bottom, right.Bottom)}
	s.cutRow(&cell, (w.b.Top+w.b.Bottom)/2)
	height := cell.Bottom - cell.Top
	return cell, leastRow <= height && height <= mostRow
}

// columnAfter returns the first vertical line after x that crosses the row of a word.
func (s *survey) columnAfter(w word, x, reach float64) (nearest layout.Box, ok bool) {
	middle := (w.b.Top + w.b.Bottom) / 2
	s.columns.touch(layout.Box{Left: x, Top: middle, Right: x + reach, Bottom: middle}, func(c layout.Box) bool {
		if c.Left >= x && (!ok || c.Left < nearest.Left) {
			nearest, ok = c, true
		}
		return false
	})
	return nearest, ok
}

// cutRow cuts a cell at the horizontal lines above and below a height.
func (s *survey) cutRow(cell *layout.Box, y float64) {
	middle := (cell.Left + cell.Right) / 2
	s.lines.touch(layout.Box{Left: middle, Top: max(cell.Top, y-mostRow), Right: middle, Bottom: min(cell.Bottom, y+mostRow)}, func(l layout.Box) bool {
		switch {
		case l.Bottom <= y:
			cell.Top = max(cell.Top, l.Bottom)
		case l.Top >= y:
			cell.Bottom = min(cell.Bottom, l.Top)
		}
		return false
	})
}

// isEmpty reports whether nothing is written or drawn in a cell, and no form field is there.
func (s *survey) isEmpty(cell layout.Box) bool {
	inside := grown(cell, -touching)
	for _, w := range s.around(cell.Top, cell.Bottom, cell.Left, cell.Right) {
		if w.b.Right > inside.Left && w.b.Left < inside.Right {
			return false
		}
	}
	for _, d := range s.squares {
		if d.Left < inside.Right && d.Right > inside.Left && d.Top < inside.Bottom && d.Bottom > inside.Top {
			return false
		}
	}
	whatever := func(layout.Box) bool { return true }
	return !s.lines.touch(inside, whatever) && !s.columns.touch(inside, whatever) && !s.forms.touch(inside, whatever)
}

// asks reports whether the row of a cell that ends with the word is the label of a value. It
// is not if the cell before it has such a label as well: then both are headings of columns,
// or of cells to write in.
func (s *survey) asks(last word) bool {
	label, before := s.cellRow(last)
	if short(label) == "" || !strings.HasSuffix(label, ":") && !detect.AsksForValue(label) {
		return false
	}
	if before.Start < 0 {
		return true
	}
	heading, _ := s.cellRow(before)
	return !detect.AsksForValue(heading)
}

// cellRow returns the row of a cell that ends with the word last, and the word before it in the
// adjacent cell. The Start of that word is -1 if there is none. The row is "" if it has too many
// words for a label.
func (s *survey) cellRow(last word) (row string, before word) {
	row = s.text[last.Start:last.End]
	for range maxCellWords {
		before, _ = s.beside(last.b, last.b.Bottom-0.15*last.height())
		if before.Start < 0 {
			return row, before
		}
		parted, adjacent := s.parted(before.b, last.b)
		switch {
		case adjacent:
			return row, before
		case parted, last.b.Left-before.b.Right > wideGap*last.height():
			before.Start = -1
			return row, before
		}
		row = s.text[before.Start:before.End] + " " + row
		last = before
	}
	return "", before
}

// maxCellWords is the maximum number of words of a label in a cell.
const maxCellWords = 9

// parted reports whether vertical lines part two words of a row, and whether they are one
// line, so that the cells of the words are adjacent.
func (s *survey) parted(a, b layout.Box) (parted, adjacent bool) {
	y := (max(a.Top, b.Top) + min(a.Bottom, b.Bottom)) / 2
	least, most := math.Inf(1), math.Inf(-1)
	s.columns.touch(layout.Box{Left: a.Right - 1, Top: y, Right: b.Left + 1, Bottom: y}, func(c layout.Box) bool {
		if c.Left > a.Left && c.Right < b.Right {
			least, most = min(least, c.Left), max(most, c.Right)
		}
		return false
	})
	return least <= most, least <= most && most-least < 2*touching
}
