// Package ground locates the text that supports an item: its quote, its page and box, its
// XML element, and its position in characters. It derives these from a span of a document,
// and can check them. It depends only on the items that the rules return.
package ground

import (
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// Ground is a document in which places are looked up. It is safe for concurrent use.
type Ground struct {
	doc   *layout.Document
	index index
	// pages holds the words by page, and cells the blocks by table.
	pages map[int][]layout.Word
	cells map[int][]layout.Block
}

// New returns the ground of d. It reads the text once.
func New(d *layout.Document) *Ground {
	g := &Ground{doc: d, index: indexOf(d.Text), pages: d.WordsByPage(), cells: map[int][]layout.Block{}}
	for _, b := range d.Blocks {
		if b.Cell.Table > 0 {
			g.cells[b.Cell.Table] = append(g.cells[b.Cell.Table], b)
		}
	}
	return g
}

// Place returns the place of a span after Trim, without reasoning and confidence. It
// reports false if there is nothing to quote, or the span is outside the text.
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

// Positions returns the position of a span in characters, as a list with one element. The
// list is empty if there is nothing to quote.
func (g *Ground) Positions(s layout.Span) []insightapi.Position {
	s, ok := Trim(g.doc.Text, s)
	if !ok {
		return []insightapi.Position{}
	}
	return []insightapi.Position{{Start: g.index.runes(g.doc.Text, s.Start), End: g.index.runes(g.doc.Text, s.End)}}
}

// shown returns the page on which the span begins, and the box of its words on that page.
// A span without located words has the page whose text it belongs to, and no box.
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

// pageOf returns the number of the last page with text that begins at or before offset.
func (g *Ground) pageOf(offset int) int {
	page := 1
	for i, p := range g.doc.Pages {
		if p.Len() > 0 && p.Start <= offset {
			page = i + 1
		}
	}
	return page
}

// Outward returns box as a box of an answer; see layout.Box.Shown.
func Outward(page int, box layout.Box) *insightapi.BoundingBox {
	b := insightapi.BoundingBox{Page: page}
	b.Left, b.Top, b.Width, b.Height = box.Shown()
	return &b
}

func clamp(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return math.Min(math.Max(v, 0), 1)
}

// maxQuote is the maximum length of a quote, in bytes. Longer text is a list or a table
// that was not recognized as one, and rules read only as much of it. The limit keeps
// answers small when many items rest on the same long text.
const maxQuote = 4000

// emptyBox matches the box to tick at the beginning of a choice.
var emptyBox = regexp.MustCompile(`^\s*(?:\[\s{1,10}\]|\(\s{1,10}\)|[☐□])\s+`)

// afterBox returns a span without the empty box that it begins with. A span outside the text stays as
// it is.
func afterBox(text string, s layout.Span) layout.Span {
	if s.Start < 0 || s.End > len(text) || s.Start >= s.End {
		return s
	}
	s.Start += len(emptyBox.FindString(text[s.Start:s.End]))
	return s
}

// Trim returns the part of a span that is quoted: at most its first maxQuote bytes, without
// white space at either end. It reports false if that is empty, or the span is outside the
// text.
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
