// Package keydates owns what the dates of a contract are: the day on which it is made,
// takes effect, ends or is renewed, and those of notices and payments.
package keydates

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Bounds of what is read around a date, in bytes.
const (
	dateReach = 220
	// lineReach is how much white space a line has beside a date that is alone.
	lineReach = 160
	// opening is how much of the document the date of a contract stands in.
	opening = 6000
)

// Find returns the dates of the document, each as what it is for the contract. A
// date that is two things is there twice; a day that follows from a term and a
// beginning is there where the term is.
func Find(d *structure.Document) []finding.Found[insightapi.Date] {
	var found []finding.Found[insightapi.Date]
	for _, at := range ordered(d, date.Find(d.Text, finding.MaxItems)) {
		if passage.InBody(d, at.Start) {
			found = append(found, kindsOfDate(d, at)...)
		}
	}
	found = append(found, executions(d, found)...)
	found = append(found, expirations(d, found)...)
	return finding.ByPlace(found)
}

// kindsOfDate returns a date as what its context says that it is.
func kindsOfDate(d *structure.Document, at date.Date) []finding.Found[insightapi.Date] {
	before, after := passage.Around(d, at.Span, dateReach)
	before = passage.WithLabel(d, at.Span, before)
	s := signOf(at, before, after)
	if s.kind == insightapi.DateOther && s.label == unknown.label && alone(d, at) {
		s = standing(d, at)
	}
	if s.kind == insightapi.DateExecution && s.opening && own.MatchString(before) {
		s.confidence = 0.92
	}
	if s.kind == insightapi.DateExpiration && ownTerm.MatchString(before) {
		s.confidence, s.why = 0.8, "The text before the date says until when the contract holds."
	}
	found := []finding.Found[insightapi.Date]{dateItem(at, s)}
	if at.Start > opening || referred(before) {
		return found
	}
	switch {
	case s.kind == insightapi.DateEffective && made.MatchString(before):
		s.kind, s.label, s.confidence = insightapi.DateExecution, "Date of the agreement", 0.88
		s.why = "The agreement is made as of this date."
	case s.kind == insightapi.DateExecution && both.MatchString(before):
		s.kind, s.label, s.confidence = insightapi.DateEffective, "Effective date", 0.7
		s.why = "The agreement is made as of this date, and nothing says that it takes effect at another time."
	default:
		return found
	}
	return append(found, dateItem(at, s))
}

// alone reports whether a date is a line by itself, but for a word before it, as
// "Date:".
func alone(d *structure.Document, at date.Date) bool {
	before := d.Text[max(0, at.Start-lineReach):at.Start]
	after := d.Text[at.End:min(len(d.Text), at.End+lineReach)]
	line := strings.LastIndexByte(before, '\n')
	rest, _, ended := strings.Cut(after, "\n")
	return (line >= 0 || len(before) < lineReach) && (ended || len(after) < lineReach) &&
		len(strings.TrimSpace(before[line+1:])) <= len("Dated as of: ") && len(strings.TrimSpace(rest)) <= 2
}

// standing returns what a date is that stands alone: at the beginning the date of
// the document, near the end that of a signature.
func standing(d *structure.Document, at date.Date) sign {
	if at.Start <= opening {
		return sign{kind: insightapi.DateExecution, label: "Date of the document", why: "The beginning of the document has this date on a line of its own.", confidence: 0.72}
	}
	for _, s := range d.Signatures {
		if s.Start-200 <= at.Start && at.End <= s.End+200 {
			return sign{kind: insightapi.DateExecution, label: "Date of signing", why: "The date stands at a signature.", confidence: 0.6}
		}
	}
	return unknown
}

// executions returns the date of the agreement where nothing calls it so: that from
// which the agreement has effect, or the last one at a signature.
func executions(d *structure.Document, dates []finding.Found[insightapi.Date]) []finding.Found[insightapi.Date] {
	if slices.ContainsFunc(dates, func(f finding.Found[insightapi.Date]) bool { return f.Item.DateType == insightapi.DateExecution }) {
		return nil
	}
	last := -1
	for i, f := range dates {
		if f.Item.DateEpochMS == nil {
			continue
		}
		if f.Item.DateType == insightapi.DateEffective && f.Span.Start <= opening {
			last = i
			break
		}
		if slices.ContainsFunc(d.Signatures, func(s structure.Signature) bool { return s.Overlaps(f.Span) }) {
			last = i
		}
	}
	if last < 0 {
		return nil
	}
	f := dates[last]
	f.Item.DateType, f.Item.DateLabel, f.Confidence = insightapi.DateExecution, "Date of the agreement", 0.6
	f.Reasoning = "Nothing else says when the agreement was made."
	return []finding.Found[insightapi.Date]{f}
}

// dateItem returns a date as an item.
func dateItem(at date.Date, s sign) finding.Found[insightapi.Date] {
	if at.Ambiguous {
		s.confidence, s.why = min(s.confidence, maxOpenOrder), s.why+" Nothing says whether its day or its month comes first."
	}
	item := insightapi.Date{DateType: s.kind, DateLabel: s.label, DateValue: at.Value()}
	if item.DateValue != "" {
		ms := at.Time().UnixMilli()
		item.DateEpochMS = &ms
	} else {
		item.DateValue = at.Time().Format("January 2006")
		s.confidence *= 0.9
	}
	return finding.Found[insightapi.Date]{Item: item, Span: at.Span, Reasoning: s.why, Confidence: s.confidence}
}
