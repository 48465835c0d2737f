package keydates

import (
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// day is a date that the document gives a name.
type day struct {
	name string
	finding.Found[insightapi.Date]
}

// days are the dates that a document gives names, in text order.
type days []day

// Patterns for the name of a date, in lower case: after it, "(the "Closing Date")", and before
// it, ""Launch Date" means" or "Launch Date:".
var (
	nameAfter  = regexp.MustCompile(`^[ ,]*\(?(?:(?:the|this|such|herein\w*|being|is|called|referred|to|as|date)[\s,]+)*["“']\s*(?:the )?((?:[a-z][\w-]*\s){1,3}date)\b`)
	nameBefore = regexp.MustCompile(`(?:["“']((?:[a-z][\w-]*\s){1,3}date)[,]?["”']\s+(?:means|is|shall mean|shall be|refers to)|^((?:[a-z][\w-]*\s){1,3}date)\s*[:|])\s*(?:the date of\s+)?$`)
	// nameOfRow matches the label of a row as such a name: "Install date", "Handover".
	nameOfRow = regexp.MustCompile(`^(?:[a-z][\w-]*\s){1,3}(?:date|day)$|^(?:[a-z][\w-]*\s){0,2}(?:hand-?over|commencement|installation|opening|go-live|move-in)$`)
	// dayNamed matches the name of a day in a sentence.
	dayNamed = regexp.MustCompile(`\b(?:on|from|as of|of|after|following|upon) the ((?:[a-z][\w-]*\s){1,3}date)\b`)
)

// namedDays returns the dates that a document gives names. The first of several dates with a
// name has it.
func namedDays(d *structure.Document, dates []finding.Found[insightapi.Date]) days {
	var out days
	for _, f := range dates {
		if f.Item.DateEpochMS == nil {
			continue
		}
		before, after := passage.Around(d, f.Span, dateReach)
		name := ""
		if m := nameAfter.FindStringSubmatch(after); m != nil {
			name = m[1]
		} else if m := nameBefore.FindStringSubmatch(before + " "); m != nil {
			name = m[1] + m[2]
		} else if r, ok := rowOf(d, date.Date{Span: f.Span}); ok && nameOfRow.MatchString(r.label) {
			name = r.label
		}
		if name != "" && !out.has(name) {
			out = append(out, day{name, f})
		}
	}
	return out
}

// has reports whether a text begins with the name of a day.
func (d days) has(name string) bool {
	_, ok := d.named(name)
	return ok
}

// named returns the day with whose name a text begins, perhaps after an article.
func (d days) named(name string) (day, bool) {
	name = strings.TrimPrefix(name, "the ")
	for _, at := range d {
		if strings.HasPrefix(name, at.name) {
			return at, true
		}
	}
	return day{}, false
}

// on returns the day on which something takes effect in a sentence that says so, unless it is
// the effective date, which the document states elsewhere.
func (d days) on(text string) (day, bool) {
	m := ownEffect.FindStringIndex(text)
	if m == nil || endsEffect.MatchString(text) {
		return day{}, false
	}
	name := dayNamed.FindStringSubmatch(text[m[0]:])
	if name == nil || begins.MatchString(name[1]) {
		return day{}, false
	}
	at, ok := d.named(name[1])
	return at, ok && at.Item.DateType != insightapi.DateExpiration
}

// as returns the day in another role.
func (d day) as(kind, why string) finding.Found[insightapi.Date] {
	f := d.Found
	f.Item.DateType, f.Item.DateLabel, f.Confidence, f.Reasoning = kind, usualLabels[kind], 0.71, why
	return f
}

// date returns the day as a date.
func (d day) date() date.Date { return date.Find(d.Item.DateValue, 1)[0] }
