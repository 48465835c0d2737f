package pdffields

import (
	"cmp"
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// page is a page with everything that is on it.
type page struct {
	number        int
	width, height float64 // in points
	// text is the text of the file.
	text    string
	words   []layout.Word
	widgets []pdf.Field
	rules   []pdf.Rule
	// bands are the words by their vertical position.
	bands bands
	// forms are the boxes of the widgets, in points.
	forms *grid
	// right is the right edge of the text, in points. The right margin is assumed to be at
	// most as wide as the left one.
	right float64
	// letter is the usual width of a letter, as a multiple of the height of its font.
	letter float64
	drawn  drawings
}

// pagesOf sorts the content of a file by pages.
func pagesOf(f *pdf.File) []*page {
	pages, words := make([]*page, len(f.Pages)), f.WordsByPage()
	for i, p := range f.Pages {
		pages[i] = &page{
			number: i + 1, width: cmp.Or(p.Width, defaultWidth), height: cmp.Or(p.Height, defaultHeight),
			text: f.Text, words: words[i+1],
		}
	}
	on := func(number int) *page {
		if number < 1 || number > len(pages) {
			return &page{}
		}
		return pages[number-1]
	}
	for _, w := range f.Fields {
		p := on(w.Page)
		p.widgets = append(p.widgets, w)
	}
	for _, r := range f.Rules {
		p := on(r.Page)
		p.rules = append(p.rules, r)
	}
	for _, p := range pages {
		p.index()
	}
	return pages
}

// index prepares lookups by place.
func (p *page) index() {
	p.bands, p.forms, p.drawn = bandsOf(p.words), newGrid(), drawingsOf(p)
	for _, w := range p.widgets {
		p.forms.add(p.points(w.Box))
	}
	left, right := 1.0, 0.0
	for _, w := range p.words {
		left, right = min(left, w.Box.Left), max(right, w.Box.Right)
	}
	p.right, p.letter = max(right, 1-left)*p.width, p.usualLetter()
}

// The size of a page that has none, in points.
const defaultWidth, defaultHeight = 612, 792

// points returns a box in points.
func (p *page) points(b layout.Box) layout.Box {
	return layout.Box{Left: b.Left * p.width, Top: b.Top * p.height, Right: b.Right * p.width, Bottom: b.Bottom * p.height}
}

// fractions is the inverse of points. The box is cut off at the edges of the page.
func (p *page) fractions(b layout.Box) layout.Box {
	return layout.Box{
		Left: clamp(b.Left / p.width), Top: clamp(b.Top / p.height), Right: clamp(b.Right / p.width), Bottom: clamp(b.Bottom / p.height),
	}
}

func clamp(v float64) float64 { return min(max(v, 0), 1) }

// bands are the words of a page in horizontal bands, so that the words near a place are
// found without looking at all of them.
type bands [bandCount][]layout.Word

const (
	// bandCount is about the number of lines that fit on a page.
	bandCount = 100
	// maxNear bounds how many words of a band are examined on either side of a place.
	maxNear = 64
)

// bandsOf sorts the words into bands, by their vertical middle and then from left to right.
func bandsOf(words []layout.Word) (b bands) {
	for _, w := range words {
		at := bandOf((w.Box.Top + w.Box.Bottom) / 2)
		b[at] = append(b[at], w)
	}
	for i := range b {
		slices.SortStableFunc(b[i], func(x, y layout.Word) int { return compare(x.Box.Left, y.Box.Left) })
	}
	return b
}

func bandOf(y float64) int { return min(max(int(y*bandCount), 0), bandCount-1) }

// compare compares numbers that are not NaN.
func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// near calls do with words whose vertical middle is between top and bottom, and that are
// not far from the range left to right. It examines a bounded number of words.
func (b *bands) near(top, bottom, left, right float64, do func(layout.Word)) {
	for at := bandOf(top); at <= bandOf(bottom); at++ {
		words := b[at]
		first, _ := slices.BinarySearchFunc(words, left, func(w layout.Word, x float64) int { return compare(w.Box.Left, x) })
		last, _ := slices.BinarySearchFunc(words, right, func(w layout.Word, x float64) int { return compare(w.Box.Left, x) })
		from, to := max(0, first-maxNear), min(len(words), last+maxNear)
		if to-from > 4*maxNear {
			to = from + 4*maxNear
		}
		for _, w := range words[from:to] {
			if y := (w.Box.Top + w.Box.Bottom) / 2; top <= y && y <= bottom {
				do(w)
			}
		}
	}
}
