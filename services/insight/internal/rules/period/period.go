// Package period finds durations in a text: "two (2) years", "12 months", "a one-year
// term", "thirty (30) days". It knows how they are written in English.
package period

import (
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
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
var counted = space.Compile(`(?i)(?:\(\s*(\d{1,4})\s*\)|\b(\d{1,4})|\b([a-z]+(?:-[a-z]+)?)|\b(\d{1,4})\s*\(\s*[a-z][a-z\s-]{1,30}\))[\s~-]*(?:-\s*)?` +
	`(?:(?:additional|successive|consecutive|further|calendar|full|business|contract|more|working|extra|renewal|financial|fiscal|whole|single|complete)[\s-]+){0,2}$`)

// halfYear matches half a year.
var halfYear = space.Compile(`(?i)\bhalf(?:[\s-]+an?)?[\s-]+year$`)

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
	if h := halfYear.FindStringIndex(text[base:to]); h != nil {
		return Period{Span: layout.Span{Start: base + h[0], End: to}, Count: 6, Unit: Month}, true
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

// Patterns for the text after and before the period of a notice.
var (
	noticeAfter = regexp.MustCompile(`^['s]*\s+(?:(?:or more|written|prior|advance|of|in|the)\s+){0,3}(?:notice|prior|before|advance|ahead|preceding)\b`)
	// lastingFor matches the text before how long something lasts, which is no notice.
	lastingFor   = regexp.MustCompile(`\b(?:for|by) (?:not |no )?(?:at least|at most|less than|more than|longer than)\s*$`)
	noticeBefore = regexp.MustCompile(`\b(?:at least|less than|later than|more than|within|prior|minimum of|notice of|with a period of|notice period of|notice period is)\s*(?:a period of\s*)?$`)
)

// OfNotice reports whether a period found in text, in lower case, says how long before
// something a party must act: "30 days' notice", "at least 30 days before the end".
func OfNotice(text string, p Period) bool {
	return noticeAfter.MatchString(text[p.End:]) || noticeBefore.MatchString(text[:p.Start]) && !lastingFor.MatchString(text[:p.Start])
}
