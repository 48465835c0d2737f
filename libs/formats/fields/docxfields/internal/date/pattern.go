package date

import (
	"strings"
	"unicode/utf8"
)

// token is a piece of a pattern of Word for dates.
type token struct {
	// letter is what it stands for: 'd', 'M', 'y', 'H', 'h', 'm', 's', or 'a' for
	// the half of the day; 0 for text, unknownLetter for what is not known.
	letter byte
	// length is how often the letter is repeated.
	length int
	// text is that of a token of text.
	text string
}

// unknownLetter is the letter of a token that nobody knows how to write: an m that
// is neither the month nor the minute of an hour.
const unknownLetter = '?'

// isName reports whether the token is written as a name.
func (t token) isName() bool { return t.length > 2 && (t.letter == 'd' || t.letter == 'M') }

// parsePattern returns the pieces of a pattern.
func parsePattern(pattern string) []token {
	var tokens []token
	hour := false
	for pattern != "" {
		n := runLength(pattern)
		t := token{length: n}
		switch c := pattern[0]; c {
		case '\'', '"':
			quoted, rest, _ := strings.Cut(pattern[1:], pattern[:1])
			tokens = append(tokens, token{text: quoted})
			pattern = rest
			continue
		case 'd', 'D':
			t.letter = 'd'
		case 'y', 'Y':
			t.letter = 'y'
		case 'M', 's':
			t.letter = c
		case 'H', 'h':
			t.letter, hour = c, true
		case 'm':
			if t.letter = unknownLetter; hour {
				t.letter = 'm'
			}
		case 'a', 'A', 't':
			t, n = halfOfDay(pattern, n)
		default:
			_, n = utf8.DecodeRuneInString(pattern)
			t = token{text: pattern[:n]}
		}
		tokens = append(tokens, t)
		pattern = pattern[n:]
	}
	return tokens
}

// halfOfDay reads "am/pm", or "tt" of other programs, at the start of the pattern;
// n is how often the first letter stands there. Another letter is text.
func halfOfDay(pattern string, n int) (token, int) {
	const word = "am/pm"
	switch {
	case pattern[0] == 't':
		return token{letter: 'a', length: n}, n
	case len(pattern) >= len(word) && strings.EqualFold(pattern[:len(word)], word):
		return token{letter: 'a', length: 1}, len(word)
	}
	return token{text: pattern[:1]}, 1
}

// runLength returns how often the first character of the pattern is repeated.
func runLength(pattern string) int {
	n := 1
	for n < len(pattern) && pattern[n] == pattern[0] {
		n++
	}
	return n
}

// hasDay reports whether the number of the day stands in the pattern.
func hasDay(tokens []token) bool {
	for _, t := range tokens {
		if t.letter == 'd' && t.length <= 2 {
			return true
		}
	}
	return false
}
