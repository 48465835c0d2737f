package keydates

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for a period between two days that may be that of the contract, in lower case.
var (
	// toDay matches the text between the two days.
	toDay = regexp.MustCompile(`^\s*(?:\([^)]{0,40}\)\s*)?,?\s*(?:(?:up\s+)?(?:to|until|till|through|thru)(?:\s+and\s+including)?(?:\s+the)?|[-–—])\s*(?:\w{3,6}day,?\s+)?(?:the\s+)?$`)
	// fromDayOf matches the text before a last day if the first day has no year.
	fromDayOf = regexp.MustCompile(`(?i)\bfrom\s+(?:and\s+including\s+)?(?:\w{3,6}day,?\s+)?(?:the\s+)?(\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?\pL{3,9}|\pL{3,9}\s+\d{1,2}(?:st|nd|rd|th)?),?\s+(?:up\s+)?(?:to|until|till|through|thru)(?:\s+and\s+including)?(?:\s+\w{3,6}day,?)?\s+(?:the\s+)?$`)
	// ofElse matches words before the period of something other than the contract.
	ofElse = regexp.MustCompile(`\b(?:pay\w*|paid|fees?|prices?|rates?|rent|interest|instal?ments?|royalt\w*|salary|bonus|invoic\w*|insur\w*|warrant\w*|(?:fiscal|financial|tax|accounting|calendar) years?|quarters?|options?|exercis\w*|shares?|notices?|report\w*|period ended|closed|holidays?|deliver\w*|phase|stage|milestone|audit\w*|(?:changed|extended|moved|postponed|amended|deferred) from)\b`)
)

// span is a period between two days. last is the index of the date that ends it, and at that of the
// one that begins it, -1 if this date has no year in the document.
type span struct {
	first    finding.Found[insightapi.Date]
	at, last int
}

// onlyPeriod gives the two days of the only period between two days in a contract the roles of its first
// and last day, unless other dates have them: "The Locum will practise at the clinic from 5 August to 19
// December 2025". It returns the first day if it has no year in the document.
func onlyPeriod(d *structure.Document, dates []finding.Found[insightapi.Date]) []finding.Found[insightapi.Date] {
	var only span
	for i := range dates {
		s, ok := spanFrom(d, dates, i)
		if !ok {
			s, ok = spanTo(d, dates, i)
		}
		switch {
		case !ok:
		case only.first.Item.DateValue == "":
			only = s
		case only.first.Item.DateValue != s.first.Item.DateValue || dates[only.last].Item.DateValue != dates[s.last].Item.DateValue:
			return nil
		}
	}
	if only.first.Item.DateValue == "" {
		return nil
	}
	if before, _ := passage.Around(d, only.first.Span, dateReach); ofElse.MatchString(before) || !onlyAs(dates, &dates[only.last], insightapi.DateExpiration) {
		return nil
	}
	switch {
	case only.at >= 0:
		onlyAs(dates, &dates[only.at], insightapi.DateEffective)
	case onlyAs(dates, &only.first, insightapi.DateEffective):
		return []finding.Found[insightapi.Date]{only.first}
	}
	return nil
}

// onlyAs gives a date of the only period a role, unless the date has another role or another date has this
// one. It reports whether the date has the role.
func onlyAs(dates []finding.Found[insightapi.Date], f *finding.Found[insightapi.Date], kind string) bool {
	if f.Item.DateType == kind {
		return true
	}
	if f.Item.DateType != insightapi.DateOther || slices.ContainsFunc(dates, func(g finding.Found[insightapi.Date]) bool { return g.Item.DateType == kind }) {
		return false
	}
	f.Item.DateType, f.Item.DateLabel, f.Confidence = kind, usualLabels[kind], onlyConfidence
	f.Reasoning = "This is the only period between two days that the document states."
	return true
}

// onlyConfidence is the confidence of the days of such a period.
const onlyConfidence = 0.55

// spanFrom returns the period that begins on date i.
func spanFrom(d *structure.Document, dates []finding.Found[insightapi.Date], i int) (span, bool) {
	f := dates[i]
	for j := i + 1; j < len(dates) && f.Item.DateEpochMS != nil; j++ {
		g := dates[j]
		if g.Span.Start < f.Span.End {
			continue // the same date in another role
		}
		if g.Item.DateEpochMS != nil && *g.Item.DateEpochMS > *f.Item.DateEpochMS && g.Span.Start-f.Span.End <= maxBetween && toDay.MatchString(passage.Lower(d.Text[f.Span.End:g.Span.Start])) {
			return span{f, i, j}, true
		}
		break
	}
	return span{}, false
}

// spanTo returns the period that ends on date i and begins in the year before it, or in the same.
func spanTo(d *structure.Document, dates []finding.Found[insightapi.Date], i int) (span, bool) {
	g := dates[i]
	if g.Item.DateEpochMS == nil || i > 0 && dates[i-1].Span == g.Span {
		return span{}, false
	}
	base := max(0, g.Span.Start-2*maxBetween)
	m := fromDayOf.FindStringSubmatchIndex(d.Text[base:g.Span.Start])
	if m == nil {
		return span{}, false
	}
	year, _ := strconv.Atoi(g.Item.DateValue[:4])
	for _, year := range []int{year, year - 1} {
		all := date.Find(fmt.Sprintf("%s %d", d.Text[base+m[2]:base+m[3]], year), 1)
		if len(all) == 1 && all[0].Day > 0 && all[0].Time().UnixMilli() < *g.Item.DateEpochMS {
			all[0].Span = layout.Span{Start: base + m[2], End: base + m[3]}
			return span{dateItem(all[0], unknown), -1, i}, true
		}
	}
	return span{}, false
}

// maxBetween is the maximum length in bytes of the text between the days of a period.
const maxBetween = 80
