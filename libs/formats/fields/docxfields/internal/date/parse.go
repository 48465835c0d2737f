package date

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Parse reads a day that Format has written, or a person by the same
// pattern: cases and spaces may differ. It reports false for any other text, and
// where the pattern leaves the day open.
func Parse(text, pattern, language string) (time.Time, bool) {
	tokens := parsePattern(pattern)
	r := dayReader{rest: text}
	r.names, _ = namesOf(language)
	for _, t := range tokens {
		if !r.token(t) {
			return time.Time{}, false
		}
	}
	if strings.TrimSpace(r.rest) != "" || r.year == 0 || r.month == 0 || r.day == 0 {
		return time.Time{}, false
	}
	day := time.Date(r.year, time.Month(r.month), r.day, 0, 0, 0, 0, time.UTC)
	return day, day.Day() == r.day && day.Year() == r.year
}

// dayReader reads a day by the pieces of a pattern.
type dayReader struct {
	rest             string
	names            dayNames
	year, month, day int
}

// token reads what the token stands for.
func (r *dayReader) token(t token) bool {
	r.rest = strings.TrimLeftFunc(r.rest, unicode.IsSpace)
	switch {
	case t.letter == 0:
		return r.literal(strings.TrimSpace(t.text))
	case t.letter == 'd' && t.length > 3:
		return r.name(r.names.days) > 0
	case t.letter == 'd' && t.length == 3:
		return r.name(r.names.shortDays) > 0
	case t.letter == 'd':
		r.day = r.number(2)
		return r.day > 0 && r.day <= 31
	case t.letter == 'M' && t.length > 3:
		r.month = max(r.name(r.names.months), r.name(r.names.lone))
		return r.month > 0
	case t.letter == 'M' && t.length == 3:
		r.month = r.name(r.names.shortMonths)
		return r.month > 0
	case t.letter == 'M':
		r.month = r.number(2)
		return r.month > 0 && r.month <= 12
	case t.letter == 'y':
		return r.readYear(t.length)
	case t.letter == 'a':
		return r.literal("am") || r.literal("pm")
	default:
		return r.number(2) >= 0
	}
}

// readYear reads a year of four digits, or of two: those are of this century up to
// 29, as Word takes them.
func (r *dayReader) readYear(length int) bool {
	before := len(r.rest)
	r.year = r.number(4)
	switch digits := before - len(r.rest); {
	case digits == 4:
		return r.year > 0
	case digits != 2 || length > 2:
		return false
	case r.year < 30:
		r.year += 2000
	default:
		r.year += 1900
	}
	return true
}

// literal reads the text, whatever its case is.
func (r *dayReader) literal(text string) bool {
	if len(r.rest) < len(text) || !strings.EqualFold(r.rest[:len(text)], text) {
		return false
	}
	r.rest = r.rest[len(text):]
	return true
}

// number reads up to so many digits, -1 if there is none.
func (r *dayReader) number(digits int) int {
	n := -1
	for ; digits > 0 && r.rest != "" && r.rest[0] >= '0' && r.rest[0] <= '9'; digits-- {
		n = max(n, 0)*10 + int(r.rest[0]-'0')
		r.rest = r.rest[1:]
	}
	return n
}

// name reads the longest of the names that the text begins with, whatever its case
// is, and returns its number from 1; 0 if there is none.
func (r *dayReader) name(names []string) int {
	found, length := 0, 0
	for i, name := range names {
		if n := len(name); n > length && n <= len(r.rest) && strings.EqualFold(r.rest[:n], name) && !letterAt(r.rest, n) {
			found, length = i+1, n
		}
	}
	r.rest = r.rest[length:]
	return found
}

// letterAt reports whether a letter stands at the offset.
func letterAt(s string, at int) bool {
	c, _ := utf8.DecodeRuneInString(s[at:])
	return unicode.IsLetter(c)
}
