package ground

import (
	"slices"
	"sort"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// Beside returns where a value will stand that is put in at an offset of the text,
// where nothing stands yet: in an empty cell, or behind the label that ends there.
// It reports false where neither the cell nor the label is on a page.
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

// behind returns the rest of the line behind a word, up to the next word on it or
// to the margin.
func (g *Ground) behind(w layout.Word) layout.Box {
	_, right := g.margins(w.Page)
	for _, o := range g.pages[w.Page] {
		if o.Box.Left >= w.Box.Right && onLine(o.Box, w.Box) {
			right = min(right, o.Box.Left)
		}
	}
	return layout.Box{Left: w.Box.Right, Top: w.Box.Top, Right: max(w.Box.Right, right), Bottom: w.Box.Bottom}
}

// onLine reports whether the middle of a word is as high as the line of another:
// boxes of lines that are set close overlap.
func onLine(word, line layout.Box) bool {
	middle := (word.Top + word.Bottom) / 2
	return line.Top <= middle && middle <= line.Bottom
}

// margins returns from where to where the text of a page reaches: to the right at
// least to a margin as wide as that on the left, as lines need not be full.
func (g *Ground) margins(page int) (left, right float64) {
	left = 1
	for _, w := range g.pages[page] {
		left, right = min(left, w.Box.Left), max(right, w.Box.Right)
	}
	return left, max(right, 1-left)
}

// emptyCell returns where an empty cell is: down, where its row is or, in a row
// without text, as far below the one above as that is high; across, as across says.
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

// across returns from where to where a cell reaches. It begins as the words of its
// column do, or else behind those before it in its row, or else at the margin; and
// it ends where the words of the columns behind it begin, or else at the margin.
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

// reach is how many rows above and below a cell are looked at: those of a page.
const reach = 60

// wordsNear returns the words of the cells in the rows near a cell, itself among
// them, that are in.
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

// Within returns the text that stands in a box of a page: the words whose middle is
// in it, up to one that is not. The span is empty for none.
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

// labelGap is how far above or below a box its label stands at most, in parts of the
// page: about a line.
const labelGap = 0.025

// Label returns the word next to a box of a page that most likely belongs to its label:
// the nearest one on the left in its line or, without one, the nearest right below or
// above it.
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
