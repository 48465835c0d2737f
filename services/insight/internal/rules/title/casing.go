package title

import (
	"strings"
	"unicode"
)

// titleCase returns s in title case: "Consulting Agreement". Words in capitals stay so
// unless the whole text is in capitals.
func titleCase(s string) string {
	words := strings.Fields(s)
	shouted := s == strings.ToUpper(s)
	for i, w := range words {
		switch {
		case i > 0 && smallWords[strings.ToLower(w)]:
			words[i] = strings.ToLower(w)
		case !shouted && w == strings.ToUpper(w) && len(w) > 1:
		default:
			words[i] = capitalize(strings.ToLower(w))
		}
	}
	return strings.Join(words, " ")
}

// smallWords are the words that titles do not capitalize.
var smallWords = map[string]bool{
	"a": true, "an": true, "and": true, "as": true, "at": true, "by": true, "for": true, "in": true, "of": true, "on": true,
	"or": true, "the": true, "to": true, "with": true,
}

// capitalize returns w with the first letter of each of its parts, separated by hyphens
// or slashes, in upper case.
func capitalize(w string) string {
	start := true
	return strings.Map(func(r rune) rune {
		if start && unicode.IsLetter(r) {
			start = false
			return unicode.ToUpper(r)
		}
		if r == '-' || r == '/' || r == '‑' {
			start = true
		}
		return r
	}, w)
}

// letters returns the letters and digits of s in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func shouted(s string) bool { return strings.ToUpper(s) == s && letters(s) != "" }

// capitalized reports whether at least three quarters of the words of s, not counting
// small words, do not start with a lower-case letter.
func capitalized(s string) bool {
	big, all := 0, 0
	for _, w := range strings.Fields(s) {
		if smallWords[strings.ToLower(w)] {
			continue
		}
		all++
		if r := []rune(w)[0]; !unicode.IsLower(r) {
			big++
		}
	}
	return 4*big >= 3*all
}
