// Package align locates the text of a document on its pages: a Word document has text but
// no pages, and the PDF made from it has pages but no paragraphs. The package compares the
// two.
//
// First it matches text that is in the same order in both: runs of words that occur once
// in each (the anchors of a patience diff), and between these the characters that a Myers
// diff (Algorithmica 1, 1986) keeps. Then it looks up text that is elsewhere in the PDF,
// such as text boxes, headers and cells, among the remaining words.
package align

import (
	"cmp"
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
)

// Coverage is how much of a text was found on its pages.
type Coverage struct {
	// Words is the number of words with letters or digits in the text, and Found the
	// number of those that were found.
	Words, Found int
}

// Share returns the fraction of words found, from 0 to 1. It is 1 for a text without
// words.
func (c Coverage) Share() float64 {
	if c.Words == 0 {
		return 1
	}
	return float64(c.Found) / float64(c.Words)
}

// Align returns doc with the pages of another document that shows the same text, and with
// the words of doc that were found there. It changes neither argument.
//
// A word that is broken across two lines becomes two words, each with its own box. Words
// of headers and footers are on the first page that shows them. The text of a page ends
// where that of the next page begins. Headers, footers and notes, which follow the body,
// belong to the last page.
//
// Time and memory are bounded however large and different the documents are. Beyond the
// bounds, words are not found.
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

// none is the match of a character without one.
const none = -1

// maxWork is the maximum number of comparison steps for text in the same order, and again
// for text elsewhere.
const maxWork = 200_000_000

// matcher matches the characters of a document with those of its pages.
type matcher struct {
	doc, pages *text
	// match maps each character of the document to the index of one on the pages.
	match []int32
	// used tells which words of the pages have a match.
	used []bool
	// left is the number of remaining steps.
	left int
}

// inOrder matches text that is in the same order in both.
func (m *matcher) inOrder() {
	m.gap(interval{0, m.doc.body}, interval{0, len(m.pages.words)}, 0)
}

// verify removes the matches of words that were not found as a whole, since single
// characters match parts of unrelated words anywhere.
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

// whole reports whether all characters of a word have matches that follow each other.
// Only whole words of the pages may be between two of them, as at the end of a page. The
// match must begin and end at the edges of words on the pages, or adjoin the matches of
// the neighbouring characters in the text.
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

// follows reports whether the character at of the pages may directly follow before.
func (m *matcher) follows(before, at int32) bool {
	return at == before+1 || m.pages.begins(before+1) && m.pages.begins(at) && at > before && m.breaks(before, at)
}

// breaks reports whether a word may be broken between two characters of the pages: the
// second must be on another line.
func (m *matcher) breaks(before, at int32) bool {
	a, b := m.pages.words[m.pages.chars[before].word], m.pages.words[m.pages.chars[at].word]
	return a.page != b.page || !sameLine(a.box, b.box)
}

// most reports whether a match covers at least half of the words of the pages that it is
// in, as when a list number precedes a word without a space.
func (m *matcher) most(first, last int32, n int) bool {
	a, b := m.pages.words[m.pages.chars[first].word], m.pages.words[m.pages.chars[last].word]
	return 2*n >= b.to-a.from
}

// sameLine reports whether two boxes are on the same line.
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

// pageStarts returns the offset where the text of each page begins, none if unknown. It
// uses only text that is in the order of the pages.
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

// pagesOf returns the pages with their spans in the document's text.
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

// placed returns the words that were found, body words first.
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

// pieces appends a word, one piece per line.
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
				return out[:first] // a single character, such as "½", is broken across lines: it has no place
			}
			start += int(m.doc.chars[c].offset)
			out[n].End = start
		}
		out = append(out, layout.Word{Span: layout.Span{Start: start, End: w.span.End}, Page: shown.Page, Box: shown.Box})
	}
	return out
}

// signs adds words without letters and digits, such as "$" or "&", if they directly follow
// the previous word on the pages too, and sorts all words in text order.
func (m *matcher) signs(doc, pages *layout.Document, found []layout.Word) []layout.Word {
	before := none // the next sign is expected after this word of the pages
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
