package date

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Parse parses a date that was written with the pattern, by Format or by a person; case
// and spaces may differ. It reports false for any other text, and if the pattern does not
// determine the day.
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

// dayReader parses a date token by token.
type dayReader struct {
	rest             string
	names            dayNames
	year, month, day int
}

// token parses the text for a token.
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

// readYear parses a year with four or two digits. Like Word, it takes two digits up to 29
// as years of this century.
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

// literal parses the text, ignoring case.
func (r *dayReader) literal(text string) bool {
	if len(r.rest) < len(text) || !strings.EqualFold(r.rest[:len(text)], text) {
		return false
	}
	r.rest = r.rest[len(text):]
	return true
}

// number parses up to the given number of digits, and returns -1 if there are none.
func (r *dayReader) number(digits int) int {
	n := -1
	for ; digits > 0 && r.rest != "" && r.rest[0] >= '0' && r.rest[0] <= '9'; digits-- {
		n = max(n, 0)*10 + int(r.rest[0]-'0')
		r.rest = r.rest[1:]
	}
	return n
}

// name parses the longest of the names that is a prefix of the text, ignoring case, and
// returns its number from 1, or 0 if there is none.
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

// letterAt reports whether there is a letter at the offset.
func letterAt(s string, at int) bool {
	c, _ := utf8.DecodeRuneInString(s[at:])
	return unicode.IsLetter(c)
}
