package quotes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
)

// exact returns the first passage in a span that is the quote itself. It prefers whole
// words.
func (f *Finder) exact(q quotation, in layout.Span, w *work) (layout.Span, bool) {
	return f.first(f.text, q.text, in.Start, in.End, q.letters < minLetters, w, func(from, to int) layout.Span { return layout.Span{Start: from, End: to} })
}

// normalized returns the first passage in a span whose folded form is that of the quote,
// in any case if there is none in the same case.
func (f *Finder) normalized(q quotation, in layout.Span, w *work) (layout.Span, bool) {
	for _, lower := range []bool{false, true} {
		form := f.cased
		if lower {
			form = f.lower()
		}
		from, to := form.rangeOf(in)
		spanOf := func(from, to int) layout.Span { return form.spanOf(f.text, from, to) }
		for _, v := range q.variants(lower) {
			if !w.spend(4 * len(q.bare)) {
				return layout.Span{}, false
			}
			if s, ok := f.first(form.s, v, from, to, q.letters < minLong, w, spanOf); ok {
				return s, true
			}
		}
		if s, ok := f.elided(form, q.parts(lower), from, to, w); ok {
			return s, true
		}
	}
	return layout.Span{}, false
}

// first returns the span of the first occurrence of s in form[from:to] that begins and ends
// at the edges of words. Without one, it returns the first that cuts words but no number,
// unless whole.
func (f *Finder) first(form, s string, from, to int, whole bool, w *work, spanOf func(from, to int) layout.Span) (span layout.Span, ok bool) {
	for s != "" && from+len(s) <= to {
		i := strings.Index(form[from:to], s)
		if i < 0 {
			w.spend((to - from) / scanned)
			break
		}
		if !w.spend(1 + (i+len(s))/scanned) {
			return layout.Span{}, false
		}
		found := spanOf(from+i, from+i+len(s))
		switch f.edges(found) {
		case clean:
			return found, true
		case parted:
			if !ok && !whole {
				span, ok = found, true
			}
		}
		from += i + 1
	}
	return span, ok
}

// edge tells what is at the edges of a passage, the best first.
type edge int

const (
	// clean edges are those of words.
	clean edge = iota
	// parted edges are within words.
	parted
	// broken edges are within numbers, or within characters.
	broken
)

// edges returns the worse edge of a passage.
func (f *Finder) edges(s layout.Span) edge {
	return max(f.edge(s.Start), f.edge(s.End), f.begun(s.Start))
}

// edge tells what is at an offset.
func (f *Finder) edge(at int) edge {
	if at == 0 || at == len(f.text) {
		return clean
	}
	if !utf8.RuneStart(f.text[at]) {
		return broken
	}
	a, b := runeBefore(f.text, at), runeAfter(f.text, at)
	switch {
	case unicode.IsNumber(a) && unicode.IsNumber(b), separates(a) && unicode.IsNumber(b) && f.afterDigit(at-utf8.RuneLen(a)):
		return broken
	case separates(b) && unicode.IsNumber(a) && unicode.IsNumber(runeAfter(f.text, at+utf8.RuneLen(b))):
		return broken
	case inWord(a) && inWord(b):
		return parted
	}
	return clean
}

// afterDigit reports whether a digit precedes the offset.
func (f *Finder) afterDigit(at int) bool {
	return at > 0 && unicode.IsNumber(runeBefore(f.text, at))
}

// separates reports whether r may be within a number or a date.
func separates(r rune) bool { return strings.ContainsRune(".,/'’٫٬⁄", r) }

// begun tells whether a word begins at an offset: "exclusive" does not in "non-exclusive".
func (f *Finder) begun(at int) edge {
	before := strings.TrimRightFunc(f.text[max(0, at-8):at], func(r rune) bool { return r == ' ' || plain(r) == '-' })
	if len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "non") && (len(before) == 3 || !inWord(runeBefore(before, len(before)-3))) {
		return parted
	}
	return clean
}

// inWord reports whether r is part of a word. Scripts without spaces between words have no
// such characters.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
