package ground

import (
	"slices"
	"sort"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Beside returns the place of a value to be inserted at an offset of the text: the empty
// cell there, or the rest of the line after the label that ends there. It reports false if
// neither the cell nor the label is on a page.
func (g *Ground) Beside(offset int) (page int, box *insightapi.BoundingBox, ok bool) {
	blocks := g.doc.Blocks
	i := sort.Search(len(blocks), func(i int) bool { return blocks[i].End >= offset })
	if i < len(blocks) && blocks[i].Start <= offset && blocks[i].Cell.Table > 0 && blocks[i].Len() == 0 {
		if page, box, ok := g.emptyCell(blocks[i].Cell); ok {
			return page, Outward(page, box), true
		}
	}
	label, ok := g.wordBefore(offset)
	if !ok {
		return 0, nil, false
	}
	return label.Page, Outward(label.Page, g.behind(label)), true
}

// wordBefore returns the last word that ends at or before the offset.
func (g *Ground) wordBefore(offset int) (layout.Word, bool) {
	words := g.doc.WordsOf(layout.Span{End: offset})
	if len(words) == 0 {
		return layout.Word{}, false
	}
	return words[len(words)-1], true
}

// behind returns the rest of the line after a word, up to the next word or the margin.
func (g *Ground) behind(w layout.Word) layout.Box {
	_, right := g.margins(w.Page)
	for _, o := range g.pages[w.Page] {
		if o.Box.Left >= w.Box.Right && onLine(o.Box, w.Box) {
			right = min(right, o.Box.Left)
		}
	}
	return layout.Box{Left: w.Box.Right, Top: w.Box.Top, Right: max(w.Box.Right, right), Bottom: w.Box.Bottom}
}

// onLine reports whether the vertical middle of a word is within the line of another word.
// Boxes may overlap when lines are close together.
func onLine(word, line layout.Box) bool {
	middle := (word.Top + word.Bottom) / 2
	return line.Top <= middle && middle <= line.Bottom
}

// margins returns the left and right edge of the text of a page. The right margin is
// assumed to be at most as wide as the left one, since lines need not be full.
func (g *Ground) margins(page int) (left, right float64) {
	left = 1
	for _, w := range g.pages[page] {
		left, right = min(left, w.Box.Left), max(right, w.Box.Right)
	}
	return left, max(right, 1-left)
}

// emptyCell returns the place of an empty cell. It has the height of its row; if the row
// has no text, it is right below the row above and as high as that. For left and right see
// across.
func (g *Ground) emptyCell(c layout.Cell) (page int, box layout.Box, ok bool) {
	row := g.wordsNear(c, func(o layout.Cell) bool { return o.Row == c.Row })
	empty := len(row) == 0
	if empty {
		row = g.wordsNear(c, func(o layout.Cell) bool { return o.Row == c.Row-1 })
	}
	if len(row) == 0 {
		return 0, box, false
	}
	page = row[len(row)-1].Page
	for _, w := range onPage(row, page) {
		box = box.Union(w.Box)
	}
	if empty {
		box.Top, box.Bottom = box.Bottom, 2*box.Bottom-box.Top
	}
	box.Left, box.Right = g.across(c, page)
	return page, box, true
}

// across returns the left and right edge of a cell. It begins where the words of its column
// begin, or else after the words before it in its row, or else at the margin. It ends where
// the words of the next columns begin, or else at the margin.
func (g *Ground) across(c layout.Cell, page int) (left, right float64) {
	left, right = g.margins(page)
	for _, w := range onPage(g.wordsNear(c, func(o layout.Cell) bool { return o.Row == c.Row && o.Column < c.Column }), page) {
		left = max(left, w.Box.Right)
	}
	column := onPage(g.wordsNear(c, func(o layout.Cell) bool { return o.Column == c.Column }), page)
	for i, w := range column {
		if i == 0 || w.Box.Left < left {
			left = w.Box.Left
		}
	}
	for _, w := range onPage(g.wordsNear(c, func(o layout.Cell) bool { return o.Column > c.Column }), page) {
		if w.Box.Left >= left {
			right = min(right, w.Box.Left)
		}
	}
	return left, max(left, right)
}

// reach is how many rows above and below a cell are considered: about a page of them.
const reach = 60

// wordsNear returns the words of the cells for which in returns true, in the rows near c,
// including its own.
func (g *Ground) wordsNear(c layout.Cell, in func(layout.Cell) bool) (words []layout.Word) {
	cells := g.cells[c.Table]
	first := sort.Search(len(cells), func(i int) bool { return cells[i].Cell.Row >= c.Row-reach })
	for _, b := range cells[first:] {
		if b.Cell.Row > c.Row+reach {
			break
		}
		if in(b.Cell) {
			words = append(words, g.doc.WordsOf(b.Span)...)
		}
	}
	return words
}

// Within returns the text in a box of a page: the first consecutive words whose middle is
// in the box. The span is empty if there are none.
func (g *Ground) Within(page int, box layout.Box) (span layout.Span) {
	for _, w := range g.pages[page] {
		x, y := (w.Box.Left+w.Box.Right)/2, (w.Box.Top+w.Box.Bottom)/2
		in := box.Left <= x && x <= box.Right && box.Top <= y && y <= box.Bottom
		switch {
		case in && span.Len() == 0:
			span = w.Span
		case in:
			span.End = w.End
		case span.Len() > 0:
			return span
		}
	}
	return span
}

// labelGap is the maximum vertical distance of a label from its box, as a fraction of the
// page: about a line.
const labelGap = 0.025

// Label returns the word next to a box of a page that most likely belongs to its label: the
// nearest word to the left on the same line, or else the nearest directly above or below.
func (g *Ground) Label(page int, box layout.Box) (layout.Span, bool) {
	const slack = 0.005
	best, distance := layout.Span{}, 1.0
	for _, w := range g.pages[page] {
		if onLine(w.Box, box) && w.Box.Right <= box.Left+slack && box.Left-w.Box.Right < distance {
			best, distance = w.Span, box.Left-w.Box.Right
		}
	}
	if best.Len() > 0 {
		return best, true
	}
	distance = labelGap
	for _, w := range g.pages[page] {
		gap := max(w.Box.Top-box.Bottom, box.Top-w.Box.Bottom)
		if w.Box.Left < box.Right && box.Left < w.Box.Right && gap < distance && gap > -slack {
			best, distance = w.Span, gap
		}
	}
	return best, best.Len() > 0
}

// onPage returns the words that are on the page.
func onPage(words []layout.Word, page int) []layout.Word {
	return slices.DeleteFunc(slices.Clone(words), func(w layout.Word) bool { return w.Page != page })
}
