package quotes

import (
	"github.com/rectohq/recto/libs/formats/layout"
)

// maxFuzzy is the maximum number of letters of a quote that may have small differences,
// about twice as many as the service quotes.
const maxFuzzy = 8000

// allowed returns the number of letters that may differ in a quote of n letters: a tenth.
func allowed(n int) int { return n / 10 }

// fuzzy returns the passage within a span that differs least from the quote, and does not
// differ in meaning.
func (f *Finder) fuzzy(q quotation, within layout.Span, w *work) (best layout.Span, ok bool) {
	letters := newIndex(fold(q.bare, true)).letters
	if len(letters) < minLong || len(letters) > maxFuzzy {
		return best, false
	}
	x, k := f.index(), allowed(len(letters))
	from, to := x.rangeOf(within.Start, within.End)
	s := &aligner{f: f, w: w, quote: tokens(q.bare), forward: newPattern(letters)}
	s.backward = s.forward.reversed()
	least := k + 1
	for _, win := range x.windows(letters, k, from, to, w) {
		span, d, found := s.align(win, k)
		if found && (d < least || d == least && span.Start < best.Start) && within.Contains(span) {
			best, least, ok = span, d, true
		}
	}
	return best, ok
}

// aligner aligns a quote with windows of the text.
type aligner struct {
	f                 *Finder
	w                 *work
	quote             []string
	forward, backward *pattern
}

// edgeLetters is the number of letters at either end of a quote that the second attempt to
// align it keeps.
const edgeLetters = 3

// align returns the passage of a window that differs least from the quote, extended to
// whole words, and its distance. It reports false if that exceeds k, or the meaning
// differs. If so, it tries again with the ends of the quote: without, "prior notice given"
// is closer to "notice given" than to "prior written notice given".
func (s *aligner) align(win window, k int) (span layout.Span, distance int, ok bool) {
	for _, same := range []int{0, edgeLetters} {
		if span, distance, ok = s.alignEnds(win, k, same); ok {
			break
		}
	}
	return span, distance, ok
}

// alignEnds is align for a passage whose first and last letters, as many as same, are
// those of the quote.
func (s *aligner) alignEnds(win window, k, same int) (span layout.Span, distance int, ok bool) {
	x := s.f.index()
	text := x.letters[win.from:win.to]
	if !s.w.spend(2 * s.forward.steps(len(text))) {
		return span, 0, false
	}
	distance, end := s.forward.closest(text, false, same)
	if distance > k {
		return span, 0, false
	}
	distance, length := s.backward.closest(reverse(text[:end]), true, same)
	if distance > k {
		return span, 0, false
	}
	from, to := win.from+end-length, win.from+end
	for ; from > 0 && s.f.joined(from); from-- {
		distance++
	}
	for ; to < len(x.letters) && s.f.joined(to); to++ {
		distance++
	}
	last := int(x.at[to-1])
	span = layout.Span{Start: int(x.at[from]), End: last + segment(s.f.text[last:])}
	return span, distance, distance <= k && s.same(span)
}

// joined reports whether a letter of the index is in the same word as the one before it.
func (f *Finder) joined(letter int) bool {
	x := f.index()
	before, at := int(x.at[letter-1]), int(x.at[letter])
	return before == at || before+segment(f.text[before:]) == at && f.edge(at) != clean
}
