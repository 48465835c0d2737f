// Package date finds the dates in a text that include a year: "May 5, 2019", "the 5th day
// of May, 2019", "1 May 2019", "5/1/2019", "01.05.19", "2019-05-01", "May 2019". It knows
// how dates are written in English and which days exist.
package date

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/number"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// Date is a date found in a text.
type Date struct {
	// Span is where the date is written.
	layout.Span
	Year, Month int
	// Day is 0 if only the month is known.
	Day int
	// Separator separates the numbers of an all-numeric date, such as '/'. It is 0 for
	// dates with words.
	Separator byte
	// Ambiguous reports that either number of an all-numeric date could be the month.
	// Find assumes that the month comes first between slashes, and second between dashes
	// and dots.
	Ambiguous bool
}

// Swapped returns an ambiguous date with day and month exchanged, and any other date
// unchanged.
func (d Date) Swapped() Date {
	if d.Ambiguous {
		d.Day, d.Month = d.Month, d.Day
	}
	return d
}

// Value returns the date as YYYY-MM-DD, or "" if the day is not known.
func (d Date) Value() string {
	if d.Day == 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
}

// Time returns the start of the day in UTC, or of the month if the day is not known.
func (d Date) Time() time.Time {
	return time.Date(d.Year, time.Month(d.Month), max(d.Day, 1), 0, 0, 0, 0, time.UTC)
}

// The range of years that Find accepts.
const (
	firstYear = 1800
	lastYear  = 2199
	// Two-digit years below century are in this century.
	century = 50
)

// lookAhead is how many bytes after the year of a year-first date are read.
const lookAhead = 8

// lookBehind is how many bytes before a year are read.
const lookBehind = 72

const months = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

// Patterns for the text before a year. White space between the parts includes line
// breaks.
var (
	monthDay  = space.Compile(`(?i)\b` + months + `\.?\s*(\d{1,2})\s?(?:s\s?t|n\s?d|r\s?d|t\s?h)?\s*(?:,|\bof\b)?\s*$`)
	monthWord = space.Compile(`(?i)\b` + months + `\s+(?:the\s+)?([a-z]+(?:[\s-][a-z]+)?)\s*(?:,|\bof\b)?\s*$`)
	// dayMonth also matches a day that no space separates from a word, as in "of1 May".
	dayMonth = space.Compile(`(?i)(?:\b|[a-z])(\d{1,2}|[a-z]+(?:[\s-][a-z]+)?)\s?(?:s\s?t|n\s?d|r\s?d|t\s?h|\.|\(\d{1,2}(?:st|nd|rd|th)?\))?[\s-]*(?:day\s*)?(?:of\s*)?` +
		months + `\.?\s*,?[\s-]*(?:(?:in|of)\s+the\s+year(?:\s+of)?\s*,?\s*|of\s+)?$`)
	monthOnly = space.Compile(`(?i)\b` + months + `\.?\s*,?\s*(?:of\s+)?$`)
	numeric   = space.Compile(`(?:^|[^\d/.-])(\d{1,2})\s?([/.-])\s?(\d{1,2})\s?([/.-])\s?$`)
	// yearFirst matches the text after the year in "2019-05-01" and "2019/5/1".
	yearFirst = space.Compile(`^(?:-(\d{2})-(\d{2})|/(\d{1,2})/(\d{1,2}))(?:\D|$)`)
	short     = space.Compile(`(?:^|[^\d/])(\d{1,2})/(\d{1,2})/$`)
	// shortNumbers requires two digits for each number, unlike section numbers.
	shortNumbers = space.Compile(`(?:^|[^\w./-])(\d{2})([.-])(\d{2})([.-])$`)
	shortMonth   = space.Compile(`(?i)\b(\d{1,2})-` + months + `-$`)
	// sectionWord matches a word that introduces a section or version number.
	sectionWord = space.Compile(`(?i)(?:\b(?:sections?|clauses?|articles?|paragraphs?|paras?|items?|parts?|version|release|v|no)\.?|§+)\s*$`)
	// yearWords matches a year in words.
	yearWords = space.Compile(`(?i)\b(?:two\s+thousand|nineteen\s+hundred)(?:[\s,]+and)?[\s,-]+((?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[\s-]+(?:one|two|three|four|five|six|seven|eight|nine))?|` +
		`one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)\b`)
)

// maxFilled is the maximum length of what is written on the line of a form, in bytes.
const maxFilled = 40

// withoutLines replaces the lines of a form on both sides of what is written on them by spaces:
// "this _5th_ day of _July_, 2011". A blank, such as in "July __, 2011", stays.
func withoutLines(text string) string {
	if !strings.Contains(text, "_") {
		return text
	}
	b := []byte(text)
	word := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z')
	}
	run := func(from int) int {
		to := from
		for to < len(text) && text[to] == '_' {
			to++
		}
		return to
	}
	for at := strings.IndexByte(text, '_'); at < len(text); {
		begins := run(at)
		next := strings.IndexByte(text[begins:], '_')
		if next < 0 {
			break
		}
		next += begins
		if ends := run(next); word(begins) && !word(at-1) && word(next-1) && !word(ends) && next-begins <= maxFilled {
			for _, span := range [][2]int{{at, begins}, {next, ends}} {
				for i := span[0]; i < span[1]; i++ {
					b[i] = ' '
				}
			}
			if after := strings.IndexByte(text[ends:], '_'); after >= 0 {
				at = ends + after
				continue
			}
			break
		}
		at = next
	}
	return string(b)
}

// Find returns the first dates of text, in order and at most limit. It runs in linear
// time.
func Find(text string, limit int) []Date {
	var found []Date
	text = withoutLines(text)
	words := yearWords.FindAllStringSubmatchIndex(text, limit)
	add := func(d Date, ok bool) {
		if ok && len(found) < limit && (len(found) == 0 || d.Start >= found[len(found)-1].End) {
			found = append(found, d)
		}
	}
	for at := 0; len(found) < limit; {
		from, to := digits(text, at)
		for len(words) > 0 && (from < 0 || words[0][0] < from) {
			add(worded(text, words[0]))
			words = words[1:]
		}
		if from < 0 {
			break
		}
		add(around(text, from, to))
		at = to
		if len(found) > 0 {
			at = max(at, found[len(found)-1].End)
		}
	}
	return slices.Clip(found)
}

// worded returns the date whose year, in words, matched at m.
func worded(text string, m []int) (Date, bool) {
	year, ok := number.Parse(text[m[2]:m[3]])
	if strings.EqualFold(text[m[0]:m[0]+len("two")], "two") {
		year += 2000
	} else {
		year += 1900
	}
	base := max(0, m[0]-lookBehind)
	d, dated := named(text[base:m[0]], base, m[1], year)
	return d, ok && dated
}

// digits returns the next run of ASCII digits at or after at, or -1, -1 if there is none.
func digits(text string, at int) (from, to int) {
	i := strings.IndexAny(text[at:], "0123456789")
	if i < 0 {
		return -1, -1
	}
	from = at + i
	for to = from; to < len(text) && text[to] >= '0' && text[to] <= '9'; to++ {
	}
	return from, to
}

// around returns the date whose year is text[from:to].
func around(text string, from, to int) (Date, bool) {
	before := text[max(0, from-lookBehind):from]
	base := from - len(before)
	year, _ := strconv.Atoi(text[from:min(to, from+4)])
	switch {
	case to-from == 2:
		return shortYear(text, before, base, to, year)
	case to-from != 4 || year < firstYear || year > lastYear:
		return Date{}, false
	}
	if m := yearFirst.FindStringSubmatchIndex(text[to:min(len(text), to+lookAhead)]); m != nil && !strings.HasSuffix(before, "-") && !strings.HasSuffix(before, "/") {
		rest := text[to:]
		i := 2 // the group of the month
		if m[i] < 0 {
			i = 6
		}
		return checked(Date{Span: layout.Span{Start: from, End: to + m[i+3]}, Year: year, Month: atoi(rest[m[i]:m[i+1]]), Day: atoi(rest[m[i+2]:m[i+3]])})
	}
	return named(before, base, to, year)
}

// named returns the date whose year follows before: with the name of the month or,
// failing that, all numeric.
func named(before string, base, end, year int) (Date, bool) {
	if m := monthDay.FindStringSubmatchIndex(before); m != nil {
		d := Date{Span: layout.Span{Start: base + m[0], End: end}, Year: year, Month: month(before[m[2]:m[3]]), Day: atoi(before[m[4]:m[5]])}
		if d, ok := checked(d); ok {
			return d, true
		}
	}
	if m := monthWord.FindStringSubmatchIndex(before); m != nil {
		if day, ok := number.Ordinal(before[m[4]:m[5]]); ok {
			return checked(Date{Span: layout.Span{Start: base + m[0], End: end}, Year: year, Month: month(before[m[2]:m[3]]), Day: day})
		}
	}
	if m := dayMonth.FindStringSubmatchIndex(before); m != nil {
		if day, start := dayOf(before, m[2], m[3]); day > 0 {
			return checked(Date{Span: layout.Span{Start: base + start, End: end}, Year: year, Month: month(before[m[4]:m[5]]), Day: day})
		}
	}
	if m := monthOnly.FindStringSubmatchIndex(before); m != nil && !impossibleDay(before[:m[0]]) {
		return Date{Span: layout.Span{Start: base + m[0], End: end}, Year: year, Month: month(before[m[2]:m[3]])}, true
	}
	if m := numeric.FindStringSubmatchIndex(before); m != nil && before[m[4]:m[5]] == before[m[8]:m[9]] {
		first, second := atoi(before[m[2]:m[3]]), atoi(before[m[6]:m[7]])
		return checked(numbers(layout.Span{Start: base + m[2], End: end}, first, second, year, before[m[4]]))
	}
	return Date{}, false
}

// impossibleDay reports whether s ends in a day number. It is called once no valid date
// has matched, so the month does not have that day.
func impossibleDay(s string) bool {
	s = strings.TrimSuffix(strings.TrimRightFunc(s, space.Is), "of")
	s = strings.TrimSuffix(strings.TrimRightFunc(s, space.Is), "day")
	s = strings.TrimRight(strings.TrimRightFunc(s, space.Is), "stndrh")
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

// shortYear returns a date with a two-digit year: "5/1/19", "01.05.19", "05-01-19" or
// "1-May-19".
func shortYear(text, before string, base, end, year int) (Date, bool) {
	if year < century {
		year += 100
	}
	year += 1900
	if m := short.FindStringSubmatchIndex(before); m != nil {
		return checked(numbers(layout.Span{Start: base + m[2], End: end}, atoi(before[m[2]:m[3]]), atoi(before[m[4]:m[5]]), year, '/'))
	}
	if m := shortMonth.FindStringSubmatchIndex(before); m != nil {
		return checked(Date{Span: layout.Span{Start: base + m[2], End: end}, Year: year, Month: month(before[m[4]:m[5]]), Day: atoi(before[m[2]:m[3]])})
	}
	if m := shortNumbers.FindStringSubmatchIndex(before); m != nil && before[m[4]] == before[m[8]] && !isNumber(text, before[:m[2]], base+m[2], end) {
		return checked(numbers(layout.Span{Start: base + m[2], End: end}, atoi(before[m[2]:m[3]]), atoi(before[m[6]:m[7]]), year, before[m[4]]))
	}
	return Date{}, false
}

// isNumber reports whether text[start:end], which follows before, is a section or version
// number: at the start of a line with more text, after a word such as "section", or
// within a longer number.
func isNumber(text, before string, start, end int) bool {
	rest := text[end:]
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == '-') && rest[1] >= '0' && rest[1] <= '9' || sectionWord.MatchString(before) {
		return true
	}
	line := strings.TrimRight(before, " \t")
	begins := strings.HasSuffix(line, "\n") || line == "" && start == len(before)
	rest = strings.TrimLeft(rest, " \t")
	return begins && rest != "" && rest[0] != '\n' && rest[0] != '\r'
}

// numbers returns the date of two numbers and a year. Between slashes the month comes
// first, as in the United States; between dashes and dots the day does. If that is not a
// valid date, the order is the other one.
func numbers(s layout.Span, first, second, year int, separator byte) Date {
	d := Date{Span: s, Year: year, Month: first, Day: second, Separator: separator}
	if separator != '/' && second <= 12 || first > 12 {
		d.Day, d.Month = first, second
	}
	d.Ambiguous = separator != '.' && first <= 12 && second <= 12 && first != second
	return d
}

// dayOf returns the day in text[from:to], in digits or words, and its start: it skips
// words before the day. It returns 0 if there is no day.
func dayOf(text string, from, to int) (day, start int) {
	s := text[from:to]
	if n, err := strconv.Atoi(s); err == nil {
		return n, from
	}
	if n, ok := number.Ordinal(s); ok {
		return n, from
	}
	if cut := strings.LastIndexFunc(s, space.Is); cut >= 0 {
		word := strings.TrimLeftFunc(s[cut:], space.Is)
		if n, ok := number.Ordinal(word); ok {
			return n, to - len(word)
		}
	}
	return 0, 0
}

// month returns the number of the month named s.
func month(s string) int {
	return strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(s[:3]))/3 + 1
}

// checked returns d and reports whether that day exists.
func checked(d Date) (Date, bool) {
	t := d.Time()
	return d, d.Day > 0 && d.Month >= 1 && d.Month <= 12 && t.Day() == d.Day && int(t.Month()) == d.Month
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
