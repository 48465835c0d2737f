package keydates

import (
	"slices"
	"strings"

	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/law"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// dateOrder is the order of day and month in all-numeric dates. A document uses one order
// throughout.
type dateOrder int

const (
	openOrder dateOrder = iota
	dayFirst
	monthFirst
)

// maxOpenOrder is the maximum confidence of a date whose day could be its month.
const maxOpenOrder = 0.5

// Hints at the order of day and month.
var (
	plainDay   = regexp.MustCompile(`^\d{1,2}(?:st|nd|rd|th|\.)?[\s-]+[A-Za-z]`)
	dayAbroad  = regexp.MustCompile(`[£€₹]|\b(?:EUR|GBP|CHF|AUD|INR|SEK|NOK|DKK|PLN|CZK|ZAR|VAT|GST|GmbH|Ltd|plc|PLC|Pty|[Ll]akhs?|[Cc]rores?)\b|\bRs\.? ?\d|\bR ?\d|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b`)
	monthHere  = regexp.MustCompile(`\$|\b(?:USD|Inc|INC|LLC|L\.L\.C)\b|\b[A-Z]{2} \d{5}(?:-\d{4})?\b`)
	mixedPlace = regexp.MustCompile(`^(?:the Province of )?(?:Canada|Alberta|British Columbia|Manitoba|New Brunswick|Newfoundland and Labrador|Nova Scotia|Ontario|Prince Edward Island|Saskatchewan|Northwest Territories|Nunavut|Yukon)$`)
)

// ordered returns the dates with day and month in the order of the document. That is, in
// this order: the order of its unambiguous numeric dates, day first if its dates with words
// have the day first, the order usual where the document is from, or month first if its
// dates with words have the month first or are as in "5th day of May". If none of these is known,
// the dates stay as found.
//
// "5 May" is written where numeric dates have the day first, but "May 5" is written there, too.
func ordered(d *structure.Document, dates []date.Date) []date.Date {
	if !slices.ContainsFunc(dates, func(at date.Date) bool { return at.Ambiguous }) {
		return dates
	}
	order := orderOf(d, dates)
	for i, at := range dates {
		dates[i] = order.settle(at)
	}
	return dates
}

// settle returns a date with day and month in this order.
func (o dateOrder) settle(at date.Date) date.Date {
	if at.Ambiguous && (o == dayFirst && at.Separator == '/' || o == monthFirst && at.Separator != '/') {
		at = at.Swapped()
	}
	at.Ambiguous = at.Ambiguous && o == openOrder && at.Separator == '/'
	return at
}

// orderOf returns the order of day and month in a document.
func orderOf(d *structure.Document, dates []date.Date) dateOrder {
	var numbers, words int // positive if the day comes first, negative if the month does
	formal := false
	for _, at := range dates {
		written := d.Text[at.Start:at.End]
		switch {
		case at.Ambiguous || at.Day == 0 || strings.HasPrefix(written, at.Time().Format("2006")):
		case at.Separator != 0 && at.Day > 12:
			numbers += leads(strings.HasPrefix(written, at.Time().Format("2")))
		case at.Separator == 0 && strings.Contains(strings.ToLower(written), "day"):
			formal = true
		case at.Separator == 0:
			words += leads(plainDay.MatchString(written))
		}
	}
	if numbers != 0 {
		return orderLed(numbers)
	}
	if words > 0 {
		return dayFirst
	}
	if o := orderOfPlace(d); o != openOrder || words == 0 && !formal {
		return o
	}
	return monthFirst
}

func leads(day bool) int {
	if day {
		return 1
	}
	return -1
}

func orderLed(n int) dateOrder {
	if n > 0 {
		return dayFirst
	}
	return monthFirst
}

// orderOfPlace returns the order usual where a document is from, judged by the law it
// chooses, or else by its currencies, taxes and companies.
func orderOfPlace(d *structure.Document) dateOrder {
	for _, s := range d.Sentences {
		if place, _, ok := law.Chosen(d, s); ok && !mixedPlace.MatchString(place) {
			return orderOfLaw(place)
		}
	}
	abroad, here := dayAbroad.MatchString(d.Text), monthHere.MatchString(d.Text)
	switch {
	case abroad && !here:
		return dayFirst
	case here && !abroad:
		return monthFirst
	}
	return openOrder
}

// orderOfLaw returns the order usual in a jurisdiction.
func orderOfLaw(place string) dateOrder {
	if law.InUnitedStates(place) || strings.HasSuffix(place, "Philippines") {
		return monthFirst
	}
	return dayFirst
}
