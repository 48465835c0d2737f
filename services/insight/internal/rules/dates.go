package rules

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
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

// sign is a sign of what a date is: how the text before it ends, or how the text
// after it begins.
type sign struct {
	kind          string
	before, after *regexp.Regexp
	label, why    string
	confidence    float64
	// opening says that it is one in the beginning of a document only.
	opening bool
}

// signs are tried in order; the first that fits counts. Both texts are on one line
// and in lower case.
var signs = []sign{
	{insightapi.DateOther, regexp.MustCompile(`(?:\bsource:|\b(?:10-?[kq]|8-k|s-1|f-1|sb-2|10qsb|form)\b[ ,/a]*$|\b(?:incorporated|filed|(?:that|a) certain|predecessor|registration (?:no|number)|prospectus|act of|previously|originally|pursuant to)\b[^.;]{0,100}$)`), nil,
		"Date of another document", "The sentence refers to something else that has this date.", 0.75, false},
	{insightapi.DateEffective, nil, regexp.MustCompile(`^[ ,]*\(?\s*(?:\(|hereinafter|herein|referred to as|being|such date)*[^.]{0,40}["']?(?:effective|commencement|start|launch)\s?date`),
		"Effective date", "The text calls this date the effective date.", 0.93, false},
	{insightapi.DateExpiration, regexp.MustCompile(`\b(?:expir\w*|terminat\w*|ends?|ending|conclud\w*|until)\s+(?:on|at|upon|as of|at midnight on|at the close of business on|on or about)?\s*(?:the )?$`), nil,
		"Expiration date", "The text before the date says until when something holds.", 0.55, false},
	{insightapi.DateEffective, regexp.MustCompile(`\beffective (?:date|time)?["')]*\s*(?:of this \w+ )?(?:as of|is|on|shall be|means|shall mean|:|from|means the)?[ :,]*(?:the )?["']?$`), nil,
		"Effective date", "The text before the date says from when the contract has effect.", 0.9, false},
	{insightapi.DateEffective, regexp.MustCompile(`\b(?:effective|in effect|takes? effect|with effect)\b[^.;]{0,40}\b(?:as of|on|from|be|date)[ :]*(?:the )?$`), nil,
		"Effective date", "The text before the date says from when the contract has effect.", 0.88, false},
	{insightapi.DateExpiration, regexp.MustCompile(`\b(?:until|expir\w+|terminat\w+|ending|ends?|end date|through|continu\w+ to|thru)\b[^.;]{0,60}$`), nil,
		"Expiration date", "The text before the date says until when something holds.", 0.5, false},
	{insightapi.DateRenewal, regexp.MustCompile(`\b(?:renew\w*|extend\w*|extension)\b[^.;]{0,80}$`), nil,
		"Renewal date", "The text before the date speaks of a renewal.", 0.7, false},
	{insightapi.DateEffective, regexp.MustCompile(`\b(?:commenc\w+|begin\w*|start\w*)\b[^.;]{0,40}$`), nil,
		"Start date", "The text before the date says from when something runs.", 0.7, false},
	{insightapi.DateExecution, regexp.MustCompile(`\b(?:in witness whereof|executed (?:this|the)|set (?:their|his|her|its) hands?|signed this|signed on)\b[^;]{0,160}$`), nil,
		"Date of signing", "The parties sign on this date.", 0.8, false},
	{insightapi.DateExecution, regexp.MustCompile(`\b(?:made|entered into|executed|dated|signed)\b[^.;]{0,90}$`), nil,
		"Date of the agreement", "The text before the date says when the agreement was made.", 0.75, true},
	{insightapi.DateExecution, regexp.MustCompile(`(?:\bas of|\bdated?:?|\bthis)[ :]*(?:the )?(?:as of )?$`), nil,
		"Date of the agreement", "The beginning of the document is dated so.", 0.7, true},
	{insightapi.DateNotice, regexp.MustCompile(`\b(?:notice|notify|notification)\b[^.;]{0,80}$`), nil,
		"Notice date", "The text before the date speaks of a notice.", 0.65, false},
	{insightapi.DatePayment, regexp.MustCompile(`\b(?:pay\w*|paid|due|invoice\w*|instal?lments?|fees?)\b[^;]{0,80}$`), nil,
		"Payment date", "The text before the date speaks of a payment.", 0.65, false},
}

// unknown is the sign of a date of which nothing is known.
var unknown = sign{kind: insightapi.DateOther, label: "Date", why: "The document has this date.", confidence: 0.7}

// reference tells a date of another agreement: "the Supply Agreement dated".
var reference = regexp.MustCompile(`\b(?:the|that|certain|an|a|such|our|his|her|their|its)\s+(?:[\w&'-]+\s+){0,6}(?:agreement|contract|lease|license|plan|order|letter|note)\b[^.;]{0,60}\b(?:dated|entered into|executed|made)[^.;]{0,24}$`)

// own tells the date of this agreement.
var own = regexp.MustCompile(`\bthis\b[^.;]{0,120}\b(?:agreement|contract|amendment|lease|deed|license|addendum|plan)\b[^;]{0,100}$`)

// both says that a date on which the agreement is made is also that from which it
// has effect.
var both = regexp.MustCompile(`\b(?:as of|effective)\b[^.;]{0,30}$`)

// Dates returns the dates of the document, each as what it is for the contract. A
// date that is two things is there twice; a day that follows from a term and a
// beginning is there where the term is.
func Dates(d *structure.Document) []Found[insightapi.Date] {
	var found []Found[insightapi.Date]
	for _, at := range ordered(d, date.Find(d.Text, maxItems)) {
		if inBody(d, at.Start) {
			found = append(found, kindsOfDate(d, at)...)
		}
	}
	found = append(found, executions(d, found)...)
	found = append(found, expirations(d, found)...)
	return byPlace(found)
}

// kindsOfDate returns a date as what its context says that it is.
func kindsOfDate(d *structure.Document, at date.Date) []Found[insightapi.Date] {
	before, after := around(d, at.Span, dateReach)
	before = withLabel(d, at.Span, before)
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
	found := []Found[insightapi.Date]{dateItem(at, s)}
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

// ownTerm says that it is the contract, or its term, that ends.
var ownTerm = regexp.MustCompile(`\b(?:this (?:[\w-]+ ){0,3}(?:agreement|contract|amendment|lease|license)|the (?:initial |original )?term\b|term of|the (?:agreement|contract|joint venture)|expiration date|term:|rights granted)`)

// made says that the agreement is made on a date.
var made = regexp.MustCompile(`\b(?:made|dated|entered into|entered|executed)\b[^.;]{0,90}$`)

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

// referred reports whether the date after the text is that of another agreement.
func referred(before string) bool {
	m := reference.FindStringIndex(before)
	return m != nil && !own.MatchString(before[m[0]:])
}

// executions returns the date of the agreement where nothing calls it so: that from
// which the agreement has effect, or the last one at a signature.
func executions(d *structure.Document, dates []Found[insightapi.Date]) []Found[insightapi.Date] {
	if slices.ContainsFunc(dates, func(f Found[insightapi.Date]) bool { return f.Item.DateType == insightapi.DateExecution }) {
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
	return []Found[insightapi.Date]{f}
}

// signOf returns the sign of what a date is.
func signOf(at date.Date, before, after string) sign {
	first := at.Start <= opening
	if s, ok := namedDate(before); ok {
		return s
	}
	if s, ok := running(before, after); ok {
		return s
	}
	if first && own.MatchString(before) && !referred(before) && !strings.Contains(before, "pursuant") {
		// The sentence in which the agreement names itself is about its own date.
		for _, s := range signs[1:] {
			if s.fits(before, after) && s.kind != insightapi.DatePayment && s.kind != insightapi.DateNotice {
				return s
			}
		}
	}
	if referred(before) {
		return signs[0]
	}
	for _, s := range signs {
		if s.fits(before, after) && (first || !s.opening) {
			return s
		}
	}
	return unknown
}

func (s sign) fits(before, after string) bool {
	return s.before != nil && s.before.MatchString(before) || s.after != nil && s.after.MatchString(after)
}

// dateItem returns a date as an item.
func dateItem(at date.Date, s sign) Found[insightapi.Date] {
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
	return Found[insightapi.Date]{Item: item, Span: at.Span, Reasoning: s.why, Confidence: s.confidence}
}

// term is a sentence that says for how long the contract holds.
var (
	termSubject = regexp.MustCompile(`\b(?:term|this (?:[\w-]+ ){0,3}agreement|agreement|joint venture)\b`)
	termVerb    = regexp.MustCompile(`\b(?:continu\w+|remain|in (?:full )?(?:force|effect)|commenc\w+|begin\w*|shall be for|will be for|is for|shall be|expir\w+|for a (?:period|term|initial))\b`)
	termFrom    = regexp.MustCompile(`\b(?:from|after|following|of|on|upon|commenc\w+|begin\w*|as of)\b[^.;]{0,40}\b(?:effective date|date (?:hereof|of this|first|above|of (?:execution|signing))|date first|execution)\b`)
	notTerm     = regexp.MustCompile(`\b(?:surviv\w+|confidential\w*|warrant\w+|non-?compet\w+|renew\w* term|notice|days|royalt\w+|invoice\w*|insurance|audit\w*|records|means?|if|fails?|may terminate|warranty)\b`)
)

// expirations returns the days that follow from the sentences that give the term
// of the contract, where the day of its beginning is known.
func expirations(d *structure.Document, dates []Found[insightapi.Date]) []Found[insightapi.Date] {
	for _, f := range dates {
		if f.Item.DateType == insightapi.DateExpiration && f.Confidence >= 0.8 {
			return nil
		}
	}
	start, known := beginning(dates)
	for _, s := range d.Sentences {
		text := lower(d.Quote(cutSpan(d.Text, s.Span)))
		if f, ok := termFromDay(d, s, text, dates); ok {
			return []Found[insightapi.Date]{f}
		}
		if !known || !strings.Contains(text, "term") && !strings.Contains(text, "agreement") || !termSubject.MatchString(text) || !termVerb.MatchString(text) {
			continue
		}
		if !termFrom.MatchString(text) && !strings.Contains(text, "initial term") && !strings.Contains(text, "first written above") {
			continue
		}
		if f, ok := expiration(start, s.Span, text); ok {
			return []Found[insightapi.Date]{f}
		}
	}
	return nil
}

// expiration returns the day on which a term ends that text gives and that begins
// at start.
func expiration(start date.Date, s layout.Span, text string) (Found[insightapi.Date], bool) {
	for _, p := range period.Find(text, 4) {
		months, ok := p.Months()
		if !ok || months > 12*100 || notTerm.MatchString(text[:p.End]) {
			continue
		}
		end := monthsAfter(start.Time(), months)
		ms := end.UnixMilli()
		return Found[insightapi.Date]{
			Item: insightapi.Date{DateType: insightapi.DateExpiration, DateLabel: "End of the term", DateValue: end.Format("2006-01-02"), DateEpochMS: &ms},
			Span: s, Confidence: 0.6,
			Reasoning: "The term is " + p.String() + " and begins on " + start.Value() + ".",
		}, true
	}
	return Found[insightapi.Date]{}, false
}

// monthsAfter returns the same day some months later, or the last one of a month
// that does not have it: a month from 31 January on ends in February.
func monthsAfter(day time.Time, months int) time.Time {
	end := day.AddDate(0, months, 0)
	if end.Day() != day.Day() {
		end = end.AddDate(0, 0, -end.Day())
	}
	return end
}

// beginning returns the day from which the contract has effect, or on which it was
// made.
func beginning(dates []Found[insightapi.Date]) (date.Date, bool) {
	var best Found[insightapi.Date]
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
