package quotes

import "github.com/rectohq/recto/libs/formats/layout"

// Most returns the maximum number of steps of a search.
func (f *Finder) Most() int { return f.most() }

// Steps returns the number of steps that finding a quote takes.
func (f *Finder) Steps(quote string, within layout.Span) int {
	w := &work{left: f.most()}
	f.find(quote, within, w)
	return f.most() - w.left
}

// Fold returns the folded form of a text.
func Fold(text string, lower bool) string { return fold(text, lower).s }

// Distance returns the edit distance between two texts, and the least one between the first
// and a part of the second.
func Distance(a, b string) (whole, part int) {
	p := newPattern([]rune(a))
	part, _ = p.closest([]rune(b), false, 0)
	return p.from([]rune(b)), part
}
