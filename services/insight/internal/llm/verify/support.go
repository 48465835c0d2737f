package verify

import (
	"slices"
	"strings"
	"unicode"

	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// minQuoted is the minimum fraction of the words of an answer that the text must have.
// Others may be words of the question.
const minQuoted = 0.6

// supported reports whether a text says what an answer to a question says. An excerpt of
// the text must be as negative as the text. Any other answer must also have only words
// of the text, in the same order, and of the question; and its numbers, amounts, dates
// and names must all be in the text. If the text has several amounts, or dates, or
// periods, such an answer must name them all: it might have picked the wrong one.
//
// A text that passes can still be a wrong answer, but it is always made of what the
// document says there. The tests are strict because little is lost if a good answer
// fails: the text itself is then the answer.
func supported(answer, text, question string) bool {
	said, have := wordsOf(answer), wordsOf(text)
	if len(said) == 0 || negations(answer, answer) != negations(text, answer) || !plain(answer, text) {
		return false
	}
	claimed, facts := claimedBy(answer), statedBy(text)
	if !claimed.within(facts) {
		return false
	}
	return indexOf(have, said) >= 0 || claimed.decided(facts) && worded(wordsOf(claimed.rest), have, wordsOf(question))
}

// fillers are words that say nothing by themselves.
var fillers = map[string]bool{
	"a": true, "an": true, "the": true, "this": true, "that": true, "these": true, "those": true, "of": true, "is": true, "are": true,
	"was": true, "were": true, "be": true, "it": true, "its": true, "in": true, "on": true, "and": true, "for": true, "as": true,
}

// worded reports whether the words of an answer that say something are in the text, in
// this order, or else in the question, and enough of them in the text. Words may have
// other endings than there, except names, which must be in the text: a question may name
// someone whom the document does not. So must words such as "must", "only" and "before",
// which change what others say.
func worded(said, have, asked []word) bool {
	text, question := readTerms(have), readTerms(asked)
	at, quoted, all := 0, 0, 0
	for _, w := range said {
		if fillers[w.lower] {
			continue
		}
		all++
		t := termFor(w)
		if slices.ContainsFunc(text, t.is) {
			next := slices.IndexFunc(text[at:], t.is)
			if next < 0 {
				return false
			}
			at += next + 1
			quoted++
			continue
		}
		if t.name && all > 1 || len(vocabulary.Terms(w.lower)) == 0 || !slices.ContainsFunc(question, func(q term) bool { return !q.name && t.is(q) }) {
			return false
		}
	}
	return float64(quoted) >= minQuoted*float64(all)
}

// term is a word as it is compared. A name is any capitalized word.
type term struct {
	lower, stem string
	name        bool
}

func termFor(w word) term {
	return term{w.lower, vocabulary.Stem(w.lower), capital(w.text)}
}

func readTerms(words []word) []term {
	terms := make([]term, 0, len(words))
	for _, w := range words {
		terms = append(terms, termFor(w))
	}
	return terms
}

// is reports whether a word of an answer is a word of the text.
func (t term) is(o term) bool { return t.lower == o.lower || !t.name && t.stem == o.stem }

func capital(w string) bool {
	for _, r := range w {
		return unicode.IsUpper(r)
	}
	return false
}

// plain reports whether an answer has no characters but letters, digits, white space and
// common punctuation that are not in the text, too.
func plain(answer, text string) bool {
	for _, r := range answer {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(" .,;:'’\"“”()-–", r) && !strings.ContainsRune(text, r) {
			return false
		}
	}
	return true
}
