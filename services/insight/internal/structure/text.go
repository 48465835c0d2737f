package structure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// trimmed returns a span without the white space around it. One of white space
// alone becomes empty, at its beginning.
func trimmed(text string, s layout.Span) layout.Span {
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

// endsSentence tells whether a text ends as a sentence does.
func endsSentence(text string) bool {
	text = strings.TrimRight(text[max(0, len(text)-maxClosing):], " \t\"'”’)]")
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".:;!?", r)
}

// startsLower tells whether the first letter of a text is a small one, with
// nothing but white space before it.
func startsLower(text string) bool {
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

// isSmall tells whether a word, in small letters, has no capital in a title.
func isSmall(word string) bool { return small[word] }

// letterCase counts what a text consists of.
type letterCase struct {
	words, capitalised, lower, smallWords int
	upperLetters, lowerLetters            int
}

// caseOf counts the words of a text by how they are written.
func caseOf(text string) letterCase {
	var c letterCase
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		c.add(word)
	}
	return c
}

// add counts a word.
func (c *letterCase) add(word string) {
	c.words++
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
		c.smallWords++
	case unicode.IsLower(first):
		c.lower++
	default:
		c.capitalised++
	}
}

// capitals tells whether the words are all of capital letters.
func (c letterCase) capitals() bool {
	return c.upperLetters >= 2 && c.lowerLetters*8 <= c.upperLetters
}

// title tells whether the words are written as those of a title are.
func (c letterCase) title() bool {
	return c.capitalised > 0 && c.lower == 0 && c.smallWords <= c.capitalised+1
}
