// Package align finds the text of a document on its pages: a Word document has
// text without pages, the PDF that was made of it pages without paragraphs. It owns
// the comparison of the two.
//
// First what stands in the same order in both is found: runs of words that are in
// both once (the anchors of a patience diff), and between these the characters that
// a diff of Myers (Algorithmica 1, 1986) keeps. Then what stands elsewhere in the
// PDF, as text boxes, headers and cells do, is looked up among the words that are
// left.
package align

import (
	"cmp"
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
)

// Coverage says how much of a text was found on its pages.
type Coverage struct {
	// Words is how many words with letters or digits the text has, and Found how
	// many of them were found.
	Words, Found int
}

// Share returns the part of the words that was found, from 0 to 1; 1 for a text
// without words.
func (c Coverage) Share() float64 {
	if c.Words == 0 {
		return 1
	}
	return float64(c.Found) / float64(c.Words)
}

// Align returns doc with the pages of another document that shows the same text,
// and with those of its words that were found there. Neither is changed.
//
// A word that is broken over two lines is two, each with its own box. Words of
// headers and footers stand on the first page that shows them. The text of a page
// goes up to where the next one begins; headers, footers and notes, which come
// behind the body, belong to the last.
//
// What the two take is bounded, however large and unlike they are: beyond that words
// are not found.
func Align(doc, pages *layout.Document) (*layout.Document, Coverage) {
	m := &matcher{doc: wordsOf(doc), pages: pageWords(pages), left: maxWork}
	number(m.doc, m.pages)
	m.match = slices.Repeat([]int32{none}, len(m.doc.chars))
	m.used = make([]bool, len(m.pages.words))
	m.inOrder()
	m.verify()
	starts := m.pageStarts(pages)
	m.left = maxWork
	m.matchMoved()
	out := &layout.Document{Text: doc.Text, Runs: doc.Runs, Blocks: doc.Blocks}
	out.Pages = pagesOf(doc, pages, starts)
	out.Words = m.signs(doc, pages, m.placed(pages))
	return out, m.coverage()
}

// none is the match of a character that has none.
const none = -1

// maxWork bounds the comparison of characters, in steps, of what stands in the same
// order and of what does not.
const maxWork = 200_000_000

// matcher matches the characters of a document with those of its pages.
type matcher struct {
	doc, pages *text
	// match has the index of the character of the pages for each of the document.
	match []int32
	// used tells the words of the pages that have a match.
	used []bool
	// left is how many steps may be taken yet.
	left int
}

// inOrder matches what stands in the same order in both.
func (m *matcher) inOrder() {
	m.gap(interval{0, m.doc.body}, interval{0, len(m.pages.words)}, 0)
}

// verify takes back the matches of words that were not found whole: single
// characters of other words fit anywhere.
func (m *matcher) verify() {
	for w := range m.doc.words {
		if !m.whole(w) {
			for c := m.doc.words[w].from; c < m.doc.words[w].to; c++ {
				m.match[c] = none
			}
		}
	}
	for _, at := range m.match {
		if at != none {
			m.used[m.pages.chars[at].word] = true
		}
	}
}

// whole reports whether all characters of a word have a match, one behind the
// other: between two of them only whole words of the pages may stand, as at the end
// of a page. It has to begin and end where words of the pages do, or where its
// neighbours in the text do.
func (m *matcher) whole(w int) bool {
	word := m.doc.words[w]
	for c := word.from; c < word.to; c++ {
		at := m.match[c]
		if at == none || c > word.from && !m.follows(m.match[c-1], at) {
			return false
		}
	}
	if word.from == word.to {
		return true
	}
	first, last := m.match[word.from], m.match[word.to-1]
	begins := m.pages.begins(first) || word.from > 0 && m.match[word.from-1] == first-1
	ends := m.pages.begins(last+1) || word.to < len(m.match) && m.match[word.to] == last+1
	return begins && ends || m.most(first, last, word.to-word.from)
}

// follows reports whether a character of the pages may be the one behind another.
func (m *matcher) follows(before, at int32) bool {
	return at == before+1 || m.pages.begins(before+1) && m.pages.begins(at) && at > before && m.breaks(before, at)
}

// breaks reports whether a word may be broken between two characters of the pages:
// the second one is on another line.
func (m *matcher) breaks(before, at int32) bool {
	a, b := m.pages.words[m.pages.chars[before].word], m.pages.words[m.pages.chars[at].word]
	return a.page != b.page || !sameLine(a.box, b.box)
}

// most reports whether a match is most of the words of the pages that it is in, as
// where a number was put before a word without a space.
func (m *matcher) most(first, last int32, n int) bool {
	a, b := m.pages.words[m.pages.chars[first].word], m.pages.words[m.pages.chars[last].word]
	return 2*n >= b.to-a.from
}

// sameLine reports whether two boxes stand on one line.
func sameLine(a, b layout.Box) bool {
	overlap := min(a.Bottom, b.Bottom) - max(a.Top, b.Top)
	return 2*overlap > min(a.Bottom-a.Top, b.Bottom-b.Top)
}

// coverage counts the words that were found.
func (m *matcher) coverage() Coverage {
	var c Coverage
	for _, w := range m.doc.words {
		if w.from == w.to {
			continue
		}
		c.Words++
		if m.match[w.from] != none {
			c.Found++
		}
	}
	return c
}

// pageStarts returns for each page where its text begins, none where nothing tells.
// Only what stands in the order of the pages is asked.
func (m *matcher) pageStarts(pages *layout.Document) []int {
	starts := slices.Repeat([]int{none}, len(pages.Pages))
	for _, w := range m.doc.words {
		if w.from == w.to || m.match[w.from] == none {
			continue
		}
		at := m.pages.words[m.pages.chars[m.match[w.from]].word].page - 1
		if at >= 0 && at < len(starts) && starts[at] == none {
			starts[at] = w.span.Start
		}
	}
	return starts
}

// pagesOf returns the pages with the ranges of the document's text.
func pagesOf(doc, pages *layout.Document, starts []int) []layout.Page {
	out := slices.Clone(pages.Pages)
	end := len(doc.Text)
	for i := len(out) - 1; i >= 0; i-- {
		start := end
		if starts[i] != none {
			start = min(starts[i], end)
		}
		if i == 0 {
			start = 0
		}
		out[i].Span = layout.Span{Start: start, End: end}
		end = start
	}
	return out
}

// placed returns the words that were found, those of the body first.
func (m *matcher) placed(pages *layout.Document) []layout.Word {
	var out []layout.Word
	for i := range m.doc.words {
		w := &m.doc.words[i]
		if w.from < w.to && m.match[w.from] != none {
			out = m.pieces(out, w, pages)
		}
	}
	return out
}

// pieces appends a word, in as many pieces as it has lines.
func (m *matcher) pieces(out []layout.Word, w *token, pages *layout.Document) []layout.Word {
	first := len(out)
	last := int32(none)
	for c := w.from; c < w.to; c++ {
		at := m.pages.chars[m.match[c]].word
		if at == last {
			continue
		}
		last = at
		shown := pages.Words[m.pages.words[at].index]
		if n := len(out) - 1; n >= first && out[n].Page == shown.Page && sameLine(out[n].Box, shown.Box) {
			out[n].Box = out[n].Box.Union(shown.Box)
			continue
		}
		start := w.span.Start
		if n := len(out) - 1; n >= first {
			if m.doc.chars[c].offset == m.doc.chars[c-1].offset {
				return out[:first] // one character of the text, as "½", is broken: it stands nowhere
			}
			start += int(m.doc.chars[c].offset)
			out[n].End = start
		}
		out = append(out, layout.Word{Span: layout.Span{Start: start, End: w.span.End}, Page: shown.Page, Box: shown.Box})
	}
	return out
}

// signs adds words without letters and digits, as "$" or "&", where the pages have
// them right behind the word before, and brings all in the order of the text.
func (m *matcher) signs(doc, pages *layout.Document, found []layout.Word) []layout.Word {
	before := none // the word of the pages behind which the next one is expected
	for _, w := range m.doc.words {
		switch {
		case w.from < w.to && m.match[w.from] == none:
			before = none
		case w.from < w.to:
			before = m.pages.words[m.pages.chars[m.match[w.to-1]].word].index
		case before != none && before+1 < len(pages.Words) && pages.Quote(pages.Words[before+1].Span) == doc.Quote(w.span):
			before++
			found = append(found, layout.Word{Span: w.span, Page: pages.Words[before].Page, Box: pages.Words[before].Box})
		}
	}
	slices.SortFunc(found, func(a, b layout.Word) int { return cmp.Compare(a.Start, b.Start) })
	return found
}
