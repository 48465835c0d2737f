// Package wording examines how words are written: where white space and sentences end, which
// words are capitalized, and how company names end.
package wording

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// Trimmed returns a span without surrounding white space. A blank span becomes an empty one
// at its beginning.
func Trimmed(text string, s layout.Span) layout.Span {
	part := text[s.Start:s.End]
	left := len(part) - len(strings.TrimLeftFunc(part, space.Is))
	if left == len(part) {
		return layout.Span{Start: s.Start, End: s.Start}
	}
	return layout.Span{Start: s.Start + left, End: s.Start + len(strings.TrimRightFunc(part, space.Is))}
}

// maxClosing is the maximum length of closing marks after the last stop of a sentence, in
// bytes. It keeps EndsSentence from reading a long text again for each offset.
const maxClosing = 64

// EndsSentence reports whether a text ends like a sentence, or with a colon or semicolon.
func EndsSentence(text string) bool {
	text = strings.TrimRight(text[max(0, len(text)-maxClosing):], " \t\"'”’)]")
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".:;!?", r)
}

// StartsLower reports whether a text begins with a lower-case letter, after white space.
func StartsLower(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, space.Is))
	return unicode.IsLower(r)
}

// small holds the words that are not capitalized in titles.
var small = map[string]bool{
	"a": true, "an": true, "and": true, "as": true, "at": true, "by": true, "for": true, "from": true, "in": true,
	"into": true, "of": true, "on": true, "or": true, "the": true, "to": true, "under": true, "upon": true, "with": true,
	"without": true, "per": true, "not": true, "etc": true, "through": true, "within": true, "s": true, "vs": true,
	"between": true, "its": true, "during": true, "after": true, "before": true, "this": true, "than": true,
}

// IsSmall reports whether a word, in lower case, is not capitalized in titles.
func IsSmall(word string) bool { return small[word] }

// Case counts the words and letters of a text by case.
type Case struct {
	Words, Capitalised, Lower, SmallWords int
	upperLetters, lowerLetters            int
}

// CaseOf returns the counts for a text.
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

// Capitals reports whether the text is in capitals: at most one letter in nine is lower case.
func (c Case) Capitals() bool {
	return c.upperLetters >= 2 && c.lowerLetters*8 <= c.upperLetters
}

// Title reports whether the words are capitalized like those of a title.
func (c Case) Title() bool {
	return c.Capitalised > 0 && c.Lower == 0 && c.SmallWords <= c.Capitalised+1
}
