package align

import (
	"sort"

	"github.com/rectohq/recto/libs/formats/layout"
)

const (
	// key is the number of characters by which text is looked up.
	key = 4
	// near is the number of places tried before and after the expected one.
	near = 32
	// telling is the number of characters that identify a place even far from the
	// expected one.
	telling = 12
	// apart is the number of characters after which words must end at the same place in
	// both texts.
	apart = 200
)

// grams maps the first characters of each unused word of the pages to the indexes of the
// characters where such words begin.
type grams map[[key]rune][]int32

// matchMoved matches text that is not in the order of the pages: it looks up the unmatched
// words of each paragraph among the unused words of the pages. It prefers the longest
// match and, among equally long ones, the nearest to the paragraph's surroundings.
func (m *matcher) matchMoved() {
	l := &lookup{matcher: m, grams: m.unused(), around: m.around()}
	for w := 0; w < len(m.doc.words) && m.left > 0; {
		if !m.open(w) {
			w++
			continue
		}
		to := w + 1
		for to < len(m.doc.words) && m.doc.words[to].block == m.doc.words[w].block && (m.open(to) || m.doc.words[to].id == 0) {
			to++
		}
		l.stretch(interval{w, to})
		w = to
	}
}

// open reports whether a word of the document has no match yet.
func (m *matcher) open(w int) bool {
	from, to := m.doc.words[w].from, m.doc.words[w].to
	return from < to && m.match[from] == none
}

// unused returns the words of the pages that are not used.
func (m *matcher) unused() grams {
	g := grams{}
	for i, w := range m.pages.words {
		if m.used[i] {
			continue
		}
		k := m.gramOf(m.pages, w.from, func(c char) bool { return !m.used[c.word] })
		g[k] = append(g[k], int32(w.from))
		if w.to-w.from < key {
			if alone := m.gramOf(m.pages, w.from, func(c char) bool { return int(c.word) == i }); alone != k {
				g[alone] = append(g[alone], int32(w.from))
			}
		}
	}
	return g
}

// gramOf returns the key of the characters from c on, up to the first that is not allowed.
func (m *matcher) gramOf(t *text, c int, allowed func(char) bool) [key]rune {
	var k [key]rune
	for i := range k {
		if c+i >= len(t.chars) || !allowed(t.chars[c+i]) {
			break
		}
		k[i] = t.chars[c+i].r
	}
	return k
}

// around returns for each paragraph the word of the pages near which it is expected: that
// of the last match up to the end of the paragraph, none before the first match.
func (m *matcher) around() []int {
	if len(m.doc.words) == 0 {
		return nil
	}
	blocks := 0
	for _, w := range m.doc.words {
		blocks = max(blocks, w.block+1)
	}
	around := make([]int, blocks)
	for i := range around {
		around[i] = none
	}
	for _, w := range m.doc.words {
		if w.from < w.to && m.match[w.from] != none {
			around[w.block] = int(m.pages.chars[m.match[w.from]].word)
		}
	}
	for i := 1; i < len(around); i++ {
		if around[i] == none {
			around[i] = around[i-1]
		}
	}
	return around
}

// lookup looks up text that is elsewhere on the pages.
type lookup struct {
	*matcher
	grams  grams
	around []int
}

// found is a match of a range of the document's characters.
type found struct {
	// at is the first character on the pages, and chars the number of characters.
	at, chars int
	// words is the number of words of the document.
	words int
}

// stretch matches a range of unmatched words of a paragraph, piece by piece.
func (l *lookup) stretch(s interval) {
	for s.from < s.to && l.left > 0 {
		word := l.doc.words[s.from]
		if word.from == word.to {
			s.from++
			continue
		}
		best, ok := l.best(s)
		if !ok {
			s.from++
			continue
		}
		for i := range best.chars {
			l.match[word.from+i] = int32(best.at + i)
			l.used[l.pages.chars[best.at+i].word] = true
		}
		l.around[word.block] = int(l.pages.chars[best.at+best.chars-1].word)
		s.from += best.words
	}
}

// best returns the best match of the beginning of a stretch.
func (l *lookup) best(s interval) (found, bool) {
	word := l.doc.words[s.from]
	end := l.doc.words[s.to-1].to
	k := l.gramOf(l.doc, word.from, func(c char) bool { return int(c.word) < s.to })
	all := l.grams[k]
	expected := l.expected(word)
	from, to := window(all, l.pages.words, expected)
	var best found
	for _, at := range all[from:to] {
		if l.left < 0 {
			break
		}
		f := l.extend(word.from, int(at), end)
		if f.chars > best.chars || f.chars == best.chars && f.chars > 0 && l.distance(f, expected) < l.distance(best, expected) {
			best = f
		}
	}
	return best, best.chars > 0 && l.sure(best, word, expected, len(all))
}

// expected returns the word of the pages near which a word of the document is expected:
// the first one for headers and footers.
func (l *lookup) expected(word token) int {
	if word.role == layout.Header || word.role == layout.Footer {
		return 0
	}
	return max(0, l.around[word.block])
}

// distance returns how many words a match is from the expected one.
func (l *lookup) distance(f found, expected int) int {
	d := int(l.pages.chars[f.at].word) - expected
	return max(d, -d)
}

// window returns the range of places to try: those nearest to the expected word.
func window(all []int32, words []token, expected int) (from, to int) {
	at := 0
	if expected < len(words) {
		at = sort.Search(len(all), func(i int) bool { return int(all[i]) >= words[expected].from })
	}
	return max(0, at-near), min(len(all), at+near)
}

// extend returns the longest match of the document from character a on with the pages from
// character b on, in whole words of both.
func (l *lookup) extend(a, b, end int) found {
	f := found{at: b}
	first := l.doc.chars[a].word
	l.left--
	for n := 0; a+n < end && b+n < len(l.pages.chars); n++ {
		l.left--
		x, y := l.doc.chars[a+n], l.pages.chars[b+n]
		if x.r != y.r || l.used[y.word] || n-f.chars > apart {
			break
		}
		if l.doc.words[x.word].to == a+n+1 && l.pages.words[y.word].to == b+n+1 {
			f.chars, f.words = n+1, int(x.word-first)+1
		}
	}
	return f
}

// sure reports whether a match is not a coincidence: it is long, the only one, near the
// expected place, or of text that may be anywhere.
func (l *lookup) sure(f found, word token, expected, candidates int) bool {
	if f.chars >= telling || candidates == 1 && f.chars >= key || word.role != layout.Body && word.role != layout.TextBox {
		return true
	}
	page := l.pages.words[l.pages.chars[f.at].word].page - l.pages.words[min(expected, len(l.pages.words)-1)].page
	return page >= -1 && page <= 1
}
