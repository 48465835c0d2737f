package renewals

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// maxPeriods is the maximum number of periods read of a text.
const maxPeriods = 12

// Stated returns the period in the text of a span that is equally long as p. It returns
// false if there is none but that of a notice.
func Stated(d *structure.Document, s layout.Span, p period.Period) (period.Period, bool) {
	for _, stated := range periodsIn(passage.LowerText(d, s)) {
		if same(stated, p) {
			return stated, true
		}
	}
	return period.Period{}, false
}

// Named returns a renewal for a period that something other than the rules recognized in
// the text of a span. It returns false if the text does not speak of a renewal, refuses
// one, or does not state this period.
func Named(d *structure.Document, s layout.Span, p period.Period) (insightapi.Renewal, bool) {
	text := passage.LowerText(d, s)
	stated, ok := Stated(d, s, p)
	if !ok || !renewalLength.MatchString(text) || clauses.Refused(clauses.RenewalTerm, text) {
		return insightapi.Renewal{}, false
	}
	return term(text, stated), true
}

// periodsIn returns the periods of a text in lower case that are not notice periods.
func periodsIn(text string) []period.Period {
	var found []period.Period
	for _, p := range period.Find(text, maxPeriods) {
		if !period.OfNotice(text, p) {
			found = append(found, p)
		}
	}
	if yearly.MatchString(text) {
		found = append(found, period.Period{Count: 1, Unit: period.Year})
	}
	if monthly.MatchString(text) {
		found = append(found, period.Period{Count: 1, Unit: period.Month})
	}
	return found
}

// same reports whether two periods are equally long.
func same(a, b period.Period) bool {
	m, months := a.Months()
	n, known := b.Months()
	return a.Count == b.Count && a.Unit == b.Unit || months && known && m == n
}
