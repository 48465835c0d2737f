// Package number parses whole numbers written in English words, as in contracts:
// "thirty-six", "one hundred twenty", "two million five hundred thousand".
package number

import (
	"strings"

	"github.com/rectohq/recto/services/insight/internal/space"
)

// units are the words with a value of their own.
var units = map[string]int{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
	"seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, //nolint:misspell // a common misspelling
	"fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// scales are the words that multiply the number before them.
var scales = map[string]int{"hundred": 100, "thousand": 1e3, "lakh": 1e5, "lac": 1e5, "million": 1e6, "crore": 1e7, "billion": 1e9}

// ordinals are the ordinal words for days of a month, except compounds such as
// "twenty-first".
var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
	"tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15,
	"sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}

// limit is the largest number that Parse returns, so that sums cannot overflow.
const limit = 1e15

// IsWord reports whether w, in any case, can be part of a number. "and" does not count.
func IsWord(w string) bool {
	_, ok := Parse(w)
	_, scale := scales[strings.ToLower(w)]
	return ok || scale
}

// Parse returns the number that s spells out, in any case, with hyphens or spaces between
// words. It returns false for anything else.
func Parse(s string) (int, bool) {
	words := split(s)
	total, part, seen := 0, 0, false
	for i, w := range words {
		unit, isUnit := units[w]
		scale, isScale := scales[w]
		switch {
		case isUnit:
			part += unit
		case isScale && scale == 100:
			part = atLeastOne(part) * scale
		case isScale && (part > 0 || i == 0):
			total += atLeastOne(part) * scale
			part = 0
		case w == "and" && seen && i < len(words)-1:
		default:
			return 0, false
		}
		seen = true
		if total+part > limit {
			return 0, false
		}
	}
	return total + part, seen
}

// Ordinal returns the day of the month that s names, such as "fifth" or "twenty-first".
func Ordinal(s string) (int, bool) {
	words := split(s)
	switch len(words) {
	case 1:
		n, ok := ordinals[words[0]]
		return n, ok
	case 2:
		tens, ok := units[words[0]]
		n, known := ordinals[words[1]]
		return tens + n, ok && known && tens >= 20 && n < 10
	}
	return 0, false
}

func atLeastOne(n int) int {
	if n == 0 {
		return 1
	}
	return n
}

func split(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return space.Is(r) || r == '-' || r == '‑' || r == ','
	})
}
