// Package date formats and parses dates with Word's date patterns, in all languages whose
// names of days and months it knows.
package date

import (
	"strings"
	"time"
)

// ISO is the date format of values.
const ISO = "2006-01-02"

// IsDay reports whether s is a date in the format of values.
func IsDay(s string) bool {
	_, err := time.Parse(ISO, s)
	return err == nil
}

// Format formats the day with a Word pattern: d, dd, ddd, dddd, M to MMMM, yy and yyyy,
// and text, which may be quoted. Times are those of the start of the day. If the language
// is unknown and the pattern contains a name, the result is YYYY-MM-DD.
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

// format formats one token. beside reports whether the pattern contains the day of the
// month.
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
