package keydates

import (
	"regexp"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for sentences that state the term of the contract.
var (
	termSubject = regexp.MustCompile(`\b(?:term|this (?:[\w-]+ ){0,3}agreement|agreement|joint venture)\b`)
	termVerb    = regexp.MustCompile(`\b(?:continu\w+|remain|in (?:full )?(?:force|effect)|commenc\w+|begin\w*|shall be for|will be for|is for|shall be|expir\w+|for a (?:period|term|initial))\b`)
	termFrom    = regexp.MustCompile(`\b(?:from|after|following|of|on|upon|commenc\w+|begin\w*|as of)\b[^.;]{0,40}\b(?:effective date|date (?:hereof|of this|first|above|of (?:execution|signing))|date first|execution)\b`)
	notTerm     = regexp.MustCompile(`\b(?:surviv\w+|confidential\w*|warrant\w+|non-?compet\w+|renew\w* term|notice|days|royalt\w+|invoice\w*|insurance|audit\w*|records|means?|if|fails?|may terminate|warranty)\b`)
)

// expirations returns the end date that follows from a sentence that states the term, if
// the start date is known.
func expirations(d *structure.Document, dates []finding.Found[insightapi.Date]) []finding.Found[insightapi.Date] {
	for _, f := range dates {
		if f.Item.DateType == insightapi.DateExpiration && f.Confidence >= 0.8 {
			return nil
		}
	}
	start, known := beginning(dates)
	for _, s := range d.Sentences {
		text := passage.LowerText(d, s.Span)
		if f, ok := termFromDay(d, s, text, dates); ok {
			return []finding.Found[insightapi.Date]{f}
		}
		if !known || !strings.Contains(text, "term") && !strings.Contains(text, "agreement") || !termSubject.MatchString(text) || !termVerb.MatchString(text) {
			continue
		}
		if !termFrom.MatchString(text) && !strings.Contains(text, "initial term") && !strings.Contains(text, "first written above") {
			continue
		}
		if f, ok := expiration(start, s.Span, text); ok {
			return []finding.Found[insightapi.Date]{f}
		}
	}
	return nil
}

// EndOfTerm is the label of a date that the document does not state, but that follows from
// the beginning and the length of the term.
const EndOfTerm = "End of the term"

// expiration returns the end of the term that text states and that begins at start.
func expiration(start date.Date, s layout.Span, text string) (finding.Found[insightapi.Date], bool) {
	for _, p := range period.Find(text, 4) {
		months, ok := p.Months()
		if !ok || months > 12*100 || notTerm.MatchString(text[:p.End]) {
			continue
		}
		end := monthsAfter(start.Time(), months)
		ms := end.UnixMilli()
		return finding.Found[insightapi.Date]{
			Item: insightapi.Date{DateType: insightapi.DateExpiration, DateLabel: EndOfTerm, DateValue: end.Format("2006-01-02"), DateEpochMS: &ms},
			Span: s, Confidence: 0.6,
			Reasoning: "The term is " + p.String() + " and begins on " + start.Value() + ".",
		}, true
	}
	return finding.Found[insightapi.Date]{}, false
}

// monthsAfter returns the same day some months later, or the last day of a month without
// that day: one month from 31 January ends in February.
func monthsAfter(day time.Time, months int) time.Time {
	end := day.AddDate(0, months, 0)
	if end.Day() != day.Day() {
		end = end.AddDate(0, 0, -end.Day())
	}
	return end
}

// beginning returns the day on which the contract takes effect, or else on which it was
// made.
func beginning(dates []finding.Found[insightapi.Date]) (date.Date, bool) {
	var best finding.Found[insightapi.Date]
	for _, kind := range []string{insightapi.DateEffective, insightapi.DateExecution} {
		for _, f := range dates {
			if f.Item.DateType == kind && f.Item.DateEpochMS != nil && f.Confidence > best.Confidence {
				best = f
			}
		}
		if best.Confidence > 0 {
			found := date.Find(best.Item.DateValue, 1)
			return found[0], true
		}
	}
	return date.Date{}, false
}
