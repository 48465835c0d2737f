// Package wording owns how words are written: where white space and sentences end, which
// words have capitals, and how a text ends that is the name of a company.
package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// Trimmed returns a span without the white space around it. One of white space
// alone becomes empty, at its beginning.
func Trimmed(text string, s layout.Span) layout.Span {
	part := text[s.Start:s.End]
	left := len(part) - len(strings.TrimLeftFunc(part, space.Is))
	if left == len(part) {
		return layout.Span{Start: s.Start, End: s.Start}
	}
	return layout.Span{Start: s.Start + left, End: s.Start + len(strings.TrimRightFunc(part, space.Is))}
}

// maxClosing bounds how much behind the last stop of a sentence may close it, in
// bytes: more is none of it, and is not read again for each place in a long text.
const maxClosing = 64

// EndsSentence tells whether a text ends as a sentence does.
func EndsSentence(text string) bool {
	text = strings.TrimRight(text[max(0, len(text)-maxClosing):], " \t\"'”’)]")
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".:;!?", r)
}

// StartsLower tells whether the first letter of a text is a small one, with
// nothing but white space before it.
func StartsLower(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, space.Is))
	return unicode.IsLower(r)
}

// small are the words that have no capital in a title.
var small = map[string]bool{
	"a": true, "an": true, "and": true, "as": true, "at": true, "by": true, "for": true, "from": true, "in": true,
	"into": true, "of": true, "on": true, "or": true, "the": true, "to": true, "under": true, "upon": true, "with": true,
	"without": true, "per": true, "not": true, "etc": true, "through": true, "within": true, "s": true, "vs": true,
	"between": true, "its": true, "during": true, "after": true, "before": true, "this": true, "than": true,
}

// IsSmall tells whether a word, in small letters, has no capital in a title.
func IsSmall(word string) bool { return small[word] }

// Case counts what a text consists of.
type Case struct {
	Words, Capitalised, Lower, SmallWords int
	upperLetters, lowerLetters            int
}

// CaseOf counts the words of a text by how they are written.
func CaseOf(text string) Case {
	var c Case
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		c.add(word)
	}
	return c
}

// add counts a word.
func (c *Case) add(word string) {
	c.Words++
	for _, r := range word {
		switch {
		case unicode.IsUpper(r):
			c.upperLetters++
		case unicode.IsLower(r):
			c.lowerLetters++
		}
	}
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case small[strings.ToLower(word)]:
		c.SmallWords++
	case unicode.IsLower(first):
		c.Lower++
	default:
		c.Capitalised++
	}
}

// Capitals tells whether the words are all of capital letters.
func (c Case) Capitals() bool {
	return c.upperLetters >= 2 && c.lowerLetters*8 <= c.upperLetters
}

// Title tells whether the words are written as those of a title are.
func (c Case) Title() bool {
	return c.Capitalised > 0 && c.Lower == 0 && c.SmallWords <= c.Capitalised+1
}
