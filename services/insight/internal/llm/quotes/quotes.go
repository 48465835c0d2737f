// Package quotes finds the passage of a document that a language model quoted. Models copy
// text almost word for word: they change white space, quotation marks and dashes, leave
// out parts, and make small mistakes.
//
// A quote is looked up in three ways, the most certain one first: as it is; in a form in
// which characters that look alike are equal (Unicode normal form KC, and more); and, in
// the text that the model read, with small differences. The last uses 5-grams to find
// where to look (the q-gram lemma of Jokinen and Ukkonen, 1991) and the bit-parallel edit
// distance of Myers (Journal of the ACM 46, 1999), in blocks as Hyyrö gives it (2003). It
// never accepts another number, date or negation, nor another word of the document.
package quotes

import (
	"sync"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
)

// How tells how a quote was found.
type How int

// The ways to find a quote.
const (
	// Exact is the same text.
	Exact How = iota
	// Normalized is the same text but for white space, the form of characters, and
	// omissions marked with an ellipsis.
	Normalized
	// Fuzzy is text with small differences.
	Fuzzy
)

// String returns the name in lower case.
func (h How) String() string { return [...]string{"exact", "normalized", "fuzzy"}[h] }

const (
	// minLetters is the minimum number of letters and digits of a quote that may differ in
	// form. A shorter one must be the same text, in whole words.
	minLetters = 3
	// minLong is the minimum number of letters and digits of a quote that may differ in
	// letters, or begin or end within a word.
	minLong = 12
	// maxWork is the maximum number of steps to find a quote, and maxScans the number of
	// times that it may search the whole text besides. A step takes a few nanoseconds.
	maxWork, maxScans = 20_000_000, 24
)

// Finder finds quotes in a text. It is safe for concurrent use.
type Finder struct {
	text string
	// cased and lower are the forms of the text in which characters that look alike are
	// equal, index is the letters of the latter, and words counts its words. All but the
	// first are made when first needed.
	cased folded
	lower func() folded
	index func() *index
	words func() map[string]int
}

// New returns a Finder for a text. It reads the text once.
func New(text string) *Finder {
	f := &Finder{text: text, cased: fold(text, false)}
	f.lower = sync.OnceValue(func() folded { return fold(text, true) })
	f.index = sync.OnceValue(func() *index { return newIndex(f.lower()) })
	f.words = sync.OnceValue(func() map[string]int { return vocabulary(text) })
	return f
}

// Find returns the passage that was quoted. within is the text that the model read: of
// several passages, the first one there is meant. Elsewhere, only the same text is found,
// not one with small differences. Find reports false if there is no such passage.
//
// The span begins and ends at characters of the text. It never begins or ends within a
// number. The result does not depend on time.
func (f *Finder) Find(quote string, within layout.Span) (span layout.Span, how How, ok bool) {
	return f.find(quote, within, &work{left: f.most()})
}

func (f *Finder) find(quote string, within layout.Span, w *work) (span layout.Span, how How, ok bool) {
	q := read(quote)
	if q.letters == 0 || q.letters > len(f.text) {
		return span, how, false
	}
	within = f.clamped(within)
	for _, in := range []layout.Span{within, {End: len(f.text)}} {
		if span, ok = f.exact(q, in, w); ok {
			return span, Exact, true
		}
		if q.letters < minLetters {
			continue
		}
		if span, ok = f.normalized(q, in, w); ok {
			return span, Normalized, true
		}
	}
	span, ok = f.fuzzy(q, within, w)
	return span, Fuzzy, ok
}

// most returns the maximum number of steps to find a quote in the text.
func (f *Finder) most() int { return maxWork + maxScans*len(f.text)/scanned }

// clamped returns the part of a span that is within the text.
func (f *Finder) clamped(s layout.Span) layout.Span {
	s.Start = min(max(s.Start, 0), len(f.text))
	s.End = max(min(s.End, len(f.text)), s.Start)
	for s.Start < s.End && !utf8.RuneStart(f.text[s.Start]) {
		s.Start++
	}
	return s
}

// work counts the steps of a search, which bound its time.
type work struct{ left int }

// scanned is the number of bytes that are searched for a string in one step.
const scanned = 8

// spend takes n steps. It reports false if there are not as many, and then takes all.
func (w *work) spend(n int) bool {
	if w.left < n {
		w.left = 0
		return false
	}
	w.left -= n
	return true
}
