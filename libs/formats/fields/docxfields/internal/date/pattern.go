package date

import (
	"strings"
	"unicode/utf8"
)

// token is a part of a Word date pattern.
type token struct {
	// letter is its meaning: 'd', 'M', 'y', 'H', 'h', 'm', 's', or 'a' for AM/PM; 0 for
	// text, and unknownLetter for an unknown meaning.
	letter byte
	// length is the number of repetitions of the letter.
	length int
	// text is the content of a text token.
	text string
}

// unknownLetter is the letter of a token with an undefined meaning: an m that is neither
// a month nor the minutes of an hour.
const unknownLetter = '?'

// isName reports whether the token is written as a name.
func (t token) isName() bool { return t.length > 2 && (t.letter == 'd' || t.letter == 'M') }

// parsePattern splits a pattern into tokens.
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

// halfOfDay parses "am/pm", or "tt" as used by other programs, at the start of the
// pattern. n is the number of repetitions of the first letter. Anything else is text.
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

// hasDay reports whether the pattern contains the day of the month.
func hasDay(tokens []token) bool {
	for _, t := range tokens {
		if t.letter == 'd' && t.length <= 2 {
			return true
		}
	}
	return false
}
