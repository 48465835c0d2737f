// Package date writes and reads days by the patterns of Word, in the languages that it
// knows the names of days and months in.
package date

import (
	"strings"
	"time"
)

// ISO is how values give days.
const ISO = "2006-01-02"

// IsDay reports whether s is a day as values give one.
func IsDay(s string) bool {
	_, err := time.Parse(ISO, s)
	return err == nil
}

// Format writes the day by a pattern of Word: d, dd, ddd, dddd, M to MMMM, yy
// and yyyy, and text, also in quotes. A time is that of the start of the day. In
// languages whose names are not known it writes YYYY-MM-DD where a name belongs.
func Format(day time.Time, pattern, language string) string {
	tokens := parsePattern(pattern)
	names, known := namesOf(language)
	beside := hasDay(tokens)
	var out strings.Builder
	for _, t := range tokens {
		if !known && t.isName() || t.letter == unknownLetter {
			return day.Format(ISO)
		}
		out.WriteString(t.format(day, names, beside))
	}
	if out.Len() == 0 {
		return day.Format(ISO)
	}
	return out.String()
}

// format writes what the token stands for. Beside says that the number of the day
// stands beside the month.
func (t token) format(day time.Time, names dayNames, beside bool) string {
	switch {
	case t.letter == 0:
		return t.text
	case t.letter == 'y' && t.length <= 2:
		return day.Format("06")
	case t.letter == 'y':
		return day.Format("2006")
	case t.letter == 'M' && t.length == 3:
		return names.shortMonths[day.Month()-1]
	case t.letter == 'M' && t.length > 3:
		return names.month(int(day.Month()-1), beside)
	case t.letter == 'M':
		return day.Format([]string{"1", "01"}[t.length-1])
	case t.letter == 'd' && t.length == 3:
		return names.shortDays[day.Weekday()]
	case t.letter == 'd' && t.length > 3:
		return names.days[day.Weekday()]
	case t.letter == 'd':
		return day.Format([]string{"2", "02"}[t.length-1])
	case t.letter == 'h':
		return "12"
	case t.letter == 'a':
		return "AM"
	default:
		return "00"[:min(t.length, 2)]
	}
}
