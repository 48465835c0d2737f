package keydates

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Calendar reads the dates at given places of one document, with day and month in the
// order that the document uses. It is not safe for concurrent use.
type Calendar struct {
	doc *structure.Document
	// order is known once it was needed.
	order dateOrder
	known bool
}

// NewCalendar returns a Calendar for d.
func NewCalendar(d *structure.Document) *Calendar { return &Calendar{doc: d} }

// Limits for the dates at a place: how many are read, and how many bytes around it. A
// date that begins before the place, or ends after it, is read as a whole.
const (
	maxDates    = 64
	aroundDates = 96
)

// Within returns the dates that a span contains or cuts.
func (c *Calendar) Within(s layout.Span) []date.Date {
	from, to := max(0, s.Start-aroundDates), min(len(c.doc.Text), s.End+aroundDates)
	var found []date.Date
	for _, at := range date.Find(c.doc.Text[from:to], maxDates) {
		at.Start, at.End = at.Start+from, at.End+from
		if at.Overlaps(s) {
			found = append(found, c.settle(at))
		}
	}
	return found
}

// settle returns a date with day and month in the order of the document.
func (c *Calendar) settle(at date.Date) date.Date {
	if at.Ambiguous && !c.known {
		c.order, c.known = orderOf(c.doc, date.Find(c.doc.Text, finding.MaxItems)), true
	}
	return c.order.settle(at)
}

// usualLabels are the labels of dates whose role the rules do not see.
var usualLabels = map[string]string{
	insightapi.DateExecution: "Date of the agreement", insightapi.DateEffective: "Effective date", insightapi.DateExpiration: "Expiration date",
	insightapi.DateRenewal: "Renewal date", insightapi.DateNotice: "Notice date", insightapi.DatePayment: "Payment date", insightapi.DateOther: unknown.label,
}

// Named returns a date in a role that something other than the rules recognized. It has
// the label that the rules give it if they see the same role. The confidence is lower if
// the order of day and month is open, or the day is not known. It returns false if kind
// is no date type.
func (c *Calendar) Named(at date.Date, kind string, confidence float64) (finding.Found[insightapi.Date], bool) {
	label, ok := usualLabels[kind]
	for _, f := range kindsOfDate(c.doc, at) {
		if f.Item.DateType == kind {
			label = f.Item.DateLabel
		}
	}
	f := dateItem(at, sign{kind: kind, label: label, confidence: confidence})
	f.Reasoning = ""
	return f, ok
}
