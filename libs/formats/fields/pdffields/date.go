package pdffields

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// datePart is a part of a date pattern: a run of the same letter, or other text.
type datePart struct {
	letter byte // 0 for other text
	text   string
}

// dateParts splits a pattern of Acrobat's util.printd. A backslash makes the next character
// ordinary text.
func dateParts(pattern string) []datePart {
	var parts []datePart
	literal := func(s string) {
		if n := len(parts); n > 0 && parts[n-1].letter == 0 {
			parts[n-1].text += s
			return
		}
		parts = append(parts, datePart{text: s})
	}
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			literal(pattern[i+1 : i+2])
			i += 2
		case strings.IndexByte("mdyHhMst", c) >= 0:
			n := 1
			for i+n < len(pattern) && pattern[i+n] == c && n < longest(c) {
				n++
			}
			parts = append(parts, datePart{c, pattern[i : i+n]})
			i += n
		default:
			literal(pattern[i : i+1])
			i++
		}
	}
	return parts
}

// longest returns the maximum length of a run of a letter.
func longest(letter byte) int {
	if letter == 'm' || letter == 'd' || letter == 'y' {
		return 4
	}
	return 2
}

// wholeDate reports whether a pattern shows the day, the month and the year.
func wholeDate(pattern string) bool {
	var day, month, year bool
	for _, p := range dateParts(pattern) {
		day = day || p.letter == 'd' && len(p.text) <= 2
		month = month || p.letter == 'm'
		year = year || p.letter == 'y'
	}
	return day && month && year
}

// formatDate returns a date of the form 2006-01-02 in the pattern, at midnight. It returns
// the date itself if it is not of this form.
func formatDate(pattern, date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	var out strings.Builder
	for _, p := range dateParts(pattern) {
		out.WriteString(p.of(t))
	}
	return out.String()
}

// of returns what the part shows for a time.
func (p datePart) of(t time.Time) string {
	switch p.text {
	case "mmmm":
		return t.Month().String()
	case "mmm":
		return t.Month().String()[:3]
	case "dddd":
		return t.Weekday().String()
	case "ddd":
		return t.Weekday().String()[:3]
	case "tt":
		return t.Format("pm")
	case "t":
		return t.Format("pm")[:1]
	case "yyyy", "yyy":
		return fmt.Sprintf("%04d", t.Year())
	}
	if n, ok := p.number(t); ok {
		return fmt.Sprintf("%0*d", min(len(p.text), 2), n)
	}
	return p.text
}

// number returns the number that the part shows for a time.
func (p datePart) number(t time.Time) (int, bool) {
	switch p.letter {
	case 'm':
		return int(t.Month()), true
	case 'd':
		return t.Day(), true
	case 'y':
		return t.Year() % 100, true
	case 'H':
		return t.Hour(), true
	case 'h':
		return (t.Hour()+11)%12 + 1, true
	case 'M':
		return t.Minute(), true
	case 's':
		return t.Second(), true
	}
	return 0, false
}

// isoDate returns a date in the pattern as 2006-01-02. A year of two digits is between 1950
// and 2049, as in Acrobat. It returns the text itself if it does not match the pattern.
func isoDate(pattern, text string) string {
	year, month, day, rest := 0, 0, 0, strings.TrimSpace(text)
	for _, p := range dateParts(pattern) {
		var n int
		var ok bool
		if n, rest, ok = p.read(rest); !ok {
			return text
		}
		switch {
		case p.letter == 'y':
			year = n
		case p.letter == 'm':
			month = n
		case p.letter == 'd' && len(p.text) <= 2:
			day = n
		}
	}
	iso := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	if _, err := time.Parse(time.DateOnly, iso); err != nil || rest != "" {
		return text
	}
	return iso
}

// read reads the part at the beginning of s. It returns its number and the rest.
func (p datePart) read(s string) (n int, rest string, ok bool) {
	switch {
	case p.letter == 0:
		rest, ok = strings.CutPrefix(s, p.text)
		return 0, rest, ok
	case p.letter == 'm' && len(p.text) > 2:
		for m := time.January; m <= time.December; m++ {
			name := m.String()
			if p.text == "mmm" {
				name = name[:3]
			}
			if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
				return int(m), s[len(name):], true
			}
		}
		return 0, s, false
	case p.letter == 't' || len(p.text) > 2 && p.letter == 'd':
		at := 0
		for at < len(s) && (s[at]|0x20 >= 'a' && s[at]|0x20 <= 'z') {
			at++
		}
		return 0, s[at:], true
	}
	return p.readNumber(s)
}

// readNumber reads a number at the beginning of s.
func (p datePart) readNumber(s string) (n int, rest string, ok bool) {
	most := max(2, len(p.text))
	at := 0
	for at < len(s) && at < most && s[at] >= '0' && s[at] <= '9' {
		at++
	}
	n, err := strconv.Atoi(s[:at])
	if err != nil {
		return 0, s, false
	}
	if p.letter == 'y' && len(p.text) < 3 {
		if n += 1900; n < 1950 {
			n += 100
		}
	}
	return n, s[at:], true
}
