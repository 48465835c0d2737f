package verify

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// word is a word of a text: letters, digits and apostrophes.
type word struct {
	layout.Span
	// text is the word as written, lower the word in lower case.
	text, lower string
}

// wordsOf returns the words of a text.
func wordsOf(text string) []word {
	var all []word
	start := -1
	end := func(at int) {
		if start >= 0 {
			w := text[start:at]
			all = append(all, word{layout.Span{Start: start, End: at}, w, strings.ToLower(strings.ReplaceAll(w, "’", "'"))})
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case !inWord(r):
			end(i)
		case start < 0:
			start = i
		}
	}
	end(len(text))
	return all
}

// maxPart is how many bytes a span is extended by at most at either end.
const maxPart = 64

// wholeWords returns a span that also contains the rest of the words in which it begins
// and ends. A part of a word may mean something else.
func wholeWords(text string, s layout.Span) layout.Span {
	first, _ := utf8.DecodeRuneInString(text[s.Start:])
	before := text[max(0, s.Start-maxPart):s.Start]
	if inWord(first) {
		s.Start -= len(before) - len(strings.TrimRightFunc(before, inWord))
	}
	last, _ := utf8.DecodeLastRuneInString(text[:s.End])
	after := text[s.End:min(len(text), s.End+maxPart)]
	if inWord(last) {
		s.End += len(after) - len(strings.TrimLeftFunc(after, inWord))
	}
	return s
}

// inWord reports whether r is part of a word.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’'
}

// indexOf returns the index of the first occurrence of consecutive words, ignoring case,
// -1 if there is none.
func indexOf(words, wanted []word) int {
	for i := range max(0, len(words)-len(wanted)+1) {
		n := 0
		for n < len(wanted) && words[i+n].lower == wanted[n].lower {
			n++
		}
		if n == len(wanted) {
			return i
		}
	}
	return -1
}

// phrase returns where consecutive words are in a span of the document, ignoring case and
// white space.
func phrase(d *structure.Document, in layout.Span, words string) (layout.Span, bool) {
	if len(words) > maxField {
		return layout.Span{}, false
	}
	have, wanted := wordsOf(d.Quote(in)), wordsOf(words)
	i := indexOf(have, wanted)
	if len(wanted) == 0 || i < 0 {
		return layout.Span{}, false
	}
	return layout.Span{Start: in.Start + have[i].Start, End: in.Start + have[i+len(wanted)-1].End}, true
}

// sentences returns the whole sentences that a span touches. It reports false if it
// touches none, or they are longer than what answers quote: the span is then returned as
// it is.
func sentences(d *structure.Document, s layout.Span) (layout.Span, bool) {
	first := sort.Search(len(d.Sentences), func(i int) bool { return d.Sentences[i].End > s.Start })
	after := first + sort.Search(len(d.Sentences)-first, func(i int) bool { return d.Sentences[first+i].Start >= s.End })
	if first == after {
		return s, false
	}
	whole := layout.Span{Start: d.Sentences[first].Start, End: d.Sentences[after-1].End}
	if whole.Len() > maxQuote {
		return s, false
	}
	return whole, true
}

// saying reports whether a quote has a word that means something. "of the" is in every
// document, and points to no sentence.
func saying(d *structure.Document, s layout.Span) bool {
	return len(vocabulary.Terms(d.Quote(passage.Cut(d.Text, s)))) > 0
}
