// Package period finds durations in a text: "two (2) years", "12 months", "a one-year
// term", "thirty (30) days". It knows how they are written in English.
package period

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/number"
	"github.com/rectohq/recto/services/insight/internal/space"
)

// Unit is a unit of time.
type Unit string

// The units of periods.
const (
	Day   Unit = "day"
	Week  Unit = "week"
	Month Unit = "month"
	Year  Unit = "year"
)

// Period is a duration.
type Period struct {
	// Span is where the period is written.
	layout.Span
	Count int
	Unit  Unit
}

// Months returns the period in months. It returns false for days and weeks, which do not
// convert to a whole number of months.
func (p Period) Months() (int, bool) {
	switch p.Unit {
	case Month:
		return p.Count, true
	case Year:
		return 12 * p.Count, true
	}
	return 0, false
}

// String returns the period in words, such as "2 years".
func (p Period) String() string {
	if p.Count == 1 {
		return "1 " + string(p.Unit)
	}
	return strconv.Itoa(p.Count) + " " + string(p.Unit) + "s"
}

// candidate matches the word for a unit of time.
var candidate = regexp.MustCompile(`(?i)\b(?:days?|weeks?|months?|years?)\b`)

// lookBehind is how many bytes before a unit are read.
const lookBehind = 80

// counted matches the number and adjectives before a unit.
var counted = space.Compile(`(?i)(?:\(\s*(\d{1,4})\s*\)|\b(\d{1,4})|\b([a-z]+(?:-[a-z]+)?)|\b(\d{1,4})\s*\(\s*[a-z][a-z\s-]{1,30}\))[\s-]*(?:-\s*)?` +
	`(?:(?:additional|successive|consecutive|further|calendar|full|business|contract|more|working|extra|renewal)[\s-]+){0,2}$`)

// Find returns the first periods of text, in order and at most limit.
func Find(text string, limit int) []Period {
	var found []Period
	for at := 0; at < len(text) && len(found) < limit; {
		m := candidate.FindStringIndex(text[at:])
		if m == nil {
			break
		}
		from, to := at+m[0], at+m[1]
		if p, ok := before(text, from, to); ok {
			found = append(found, p)
		}
		at = to
	}
	return found
}

// before returns the period whose unit is text[from:to].
func before(text string, from, to int) (Period, bool) {
	base := max(0, from-lookBehind)
	m := counted.FindStringSubmatchIndex(text[base:from])
	if m == nil {
		return Period{}, false
	}
	p := Period{Span: layout.Span{Start: base + m[0], End: to}, Unit: Unit(strings.TrimSuffix(strings.ToLower(text[from:to]), "s"))}
	if m[6] < 0 {
		digits := max(m[2], m[4], m[8])
		p.Count, _ = strconv.Atoi(text[base+digits : base+max(m[3], m[5], m[9])])
		p.Start = wordsBefore(text, base, p.Start)
		return p, p.Count > 0
	}
	p.Start = wordsBefore(text, base, base+m[7])
	n, ok := number.Parse(text[p.Start : base+m[7]])
	p.Count = n
	return p, ok && n > 0
}

// wordsBefore returns the start of the spelled-out number that ends before end, ignoring
// white space, or end if there is none.
func wordsBefore(text string, base, end int) int {
	start := end
	for at := end; at > base; {
		word := strings.TrimRight(text[base:at], " \t\n\r-(")
		cut := strings.LastIndexAny(word, " \t\n\r-(,.;:\"") + 1
		if !number.IsWord(word[cut:]) {
			break
		}
		start, at = base+cut, base+cut
	}
	return start
}
