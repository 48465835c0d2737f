package spans

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

const (
	// maxWords is the maximum number of words of a sentence that are read, and maxLong that of a
	// candidate.
	maxWords, maxLong = 90, 12
	// maxTerms is the maximum number of words of a question that are read.
	maxTerms = 24
	// leastAsked is the minimum length of the stem of a word that links a question and a sentence.
	leastAsked = 3
)

// word is a word of a sentence, without the punctuation around it.
type word struct {
	layout.Span
	stem string
	// form describes its characters.
	form string
	// before and after are the punctuation around it.
	before, after string
	// repeated reports that the question has it, too, and asked that it is not too short to tell something.
	repeated, asked bool
}

// The punctuation before and after words.
const opens, closes = `"“”'‘’([{*_-–—`, `"“”'‘’)]}.,;:!?*_-–—`

// wordsOf returns the words of a text.
func wordsOf(text string) []word {
	var all []word
	at := 0
	for len(all) < maxWords {
		at += len(text[at:]) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
		end := strings.IndexFunc(text[at:], unicode.IsSpace)
		if end < 0 {
			end = len(text) - at
		}
		if end == 0 {
			break
		}
		chunk := text[at : at+end]
		core := strings.TrimLeft(chunk, opens)
		before := chunk[:len(chunk)-len(core)]
		bare := strings.TrimRight(core, closes)
		if bare != "" {
			s := layout.Span{Start: at + len(before), End: at + len(before) + len(bare)}
			all = append(all, word{Span: s, stem: stemOf(bare), form: formOf(bare), before: before, after: core[len(bare):]})
		}
		at += end
	}
	return all
}

func stemOf(s string) string {
	return vocabulary.Stem(strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(s, "’", "'")), "'s"))
}

// formOf describes the characters of a word: digits, letters, capitals.
func formOf(s string) string {
	digits, letters, upper, others := 0, 0, 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsUpper(r):
			upper++
			letters++
		case unicode.IsLetter(r):
			letters++
		default:
			others++
		}
	}
	switch {
	case digits > 0 && letters == 0 && others == 0:
		return "9"
	case digits > 0 && letters == 0:
		return "9."
	case digits > 0:
		return "9a"
	case upper > 1 && upper == letters:
		return "AA"
	case upper > 0:
		return "Aa"
	case numerals[strings.ToLower(s)]:
		return "one"
	}
	return "a"
}

var numerals = func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen eighteen
		twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million half`) {
		all[w] = true
	}
	return all
}()

// mark returns the first character of punctuation.
func mark(punctuation string) string {
	_, size := utf8.DecodeRuneInString(punctuation)
	return punctuation[:size]
}

// within returns the indexes of the first and the last word of a span. The first is greater if it has no
// word.
func within(words []word, s layout.Span) (first, last int) {
	first = sort.Search(len(words), func(i int) bool { return words[i].End > s.Start })
	last = sort.Search(len(words), func(i int) bool { return words[i].Start >= s.End }) - 1
	return first, last
}
