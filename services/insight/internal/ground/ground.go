// Package ground says where the text stands that an item rests on: its quote, its
// page and box, its element of XML, and its place in characters. It owns how these
// follow from a span of a document, and the check that they do. It knows no rules
// beyond the items that they return.
package ground

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// Ground is a document in which places are looked up. It is safe for use by many
// at once.
type Ground struct {
	doc   *layout.Document
	index index
	// pages are the words by their page, cells the blocks by their table.
	pages map[int][]layout.Word
	cells map[int][]layout.Block
}

// New returns the ground of d. It reads the text once.
func New(d *layout.Document) *Ground {
	g := &Ground{doc: d, index: indexOf(d.Text), pages: map[int][]layout.Word{}, cells: map[int][]layout.Block{}}
	for _, w := range d.Words {
		g.pages[w.Page] = append(g.pages[w.Page], w)
	}
	for _, b := range d.Blocks {
		if b.Cell.Table > 0 {
			g.cells[b.Cell.Table] = append(g.cells[b.Cell.Table], b)
		}
	}
	return g
}

// Place returns where the span stands, as Trim has it. Reasoning
// and confidence are the caller's. It reports false where there is nothing to
// quote, or where the span is none of the text's.
func (g *Ground) Place(s layout.Span) (insightapi.Place, bool) {
	s, ok := Trim(g.doc.Text, s)
	if !ok {
		return insightapi.Place{}, false
	}
	place := insightapi.Place{Quote: g.doc.Quote(s)}
	if runs := g.doc.RunsOf(s); len(runs) > 0 {
		place.XMLPath = runs[0].Path
	}
	page, box := g.shown(s)
	place.PageNumber, place.BoundingBox = &page, box
	return place, true
}

// Positions returns where the span stands in characters, as a list of one.
func (g *Ground) Positions(s layout.Span) []insightapi.Position {
	s, ok := Trim(g.doc.Text, s)
	if !ok {
		return []insightapi.Position{}
	}
	return []insightapi.Position{{Start: g.index.runes(g.doc.Text, s.Start), End: g.index.runes(g.doc.Text, s.End)}}
}

// shown returns the page on which the span begins, and the box of its words there.
// Text that stands on no page is on that whose text it is part of, without a box.
func (g *Ground) shown(s layout.Span) (int, *insightapi.BoundingBox) {
	if len(g.doc.Pages) == 0 {
		return 1, nil
	}
	words := g.doc.WordsOf(s)
	if len(words) == 0 {
		return g.pageOf(s.Start), nil
	}
	page, box := words[0].Page, layout.Box{}
	for _, w := range words {
		if w.Page == page {
			box = box.Union(w.Box)
		}
	}
	return page, Outward(page, box)
}

// pageOf returns the number of the last page that begins before offset.
func (g *Ground) pageOf(offset int) int {
	page := 1
	for i, p := range g.doc.Pages {
		if p.Len() > 0 && p.Start <= offset {
			page = i + 1
		}
	}
	return page
}

// steps is how many steps a page has in boxes of answers, across and down.
const steps = 1e5

// Outward returns a box of an answer: the smallest one in steps of a hundred
// thousandth of the page that holds all of box. What lies beside the page is cut.
func Outward(page int, box layout.Box) *insightapi.BoundingBox {
	left, width := outward(box.Left, box.Right)
	top, height := outward(box.Top, box.Bottom)
	return &insightapi.BoundingBox{Page: page, Left: left, Top: top, Width: width, Height: height}
}

func outward(from, to float64) (start, length float64) {
	first := math.Floor(clamp(from) * steps)
	last := math.Ceil(clamp(to) * steps)
	return first / steps, math.Max(last-first, 0) / steps
}

func clamp(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return math.Min(math.Max(v, 0), 1)
}

// maxQuote is how many bytes an item quotes at most. What is longer is a list or a
// table that was not told apart, of which the rules read no more: of its beginning
// alone the answer does not grow with each item that rests on it.
const maxQuote = 4000

// Trim returns what of the span is quoted: its beginning of at most maxQuote bytes,
// without white space at its ends. It reports false for one that is empty then, or
// lies outside of the text.
func Trim(text string, s layout.Span) (layout.Span, bool) {
	if s.Start < 0 || s.End > len(text) || s.Start >= s.End {
		return s, false
	}
	s.Start = s.End - len(strings.TrimLeftFunc(text[s.Start:s.End], space.Is))
	if s.Len() > maxQuote {
		s.End = s.Start + maxQuote
		for s.End > s.Start && !utf8.RuneStart(text[s.End]) {
			s.End--
		}
	}
	s.End = s.Start + len(strings.TrimRightFunc(text[s.Start:s.End], space.Is))
	return s, s.Start < s.End
}
