package keydates

import (
	"slices"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for sentences by which a contract takes effect when it is made.
var (
	takesEffect = regexp.MustCompile(`\b(?:effective|commenc\w*|in effect|effect|(?:into|in) (?:force|operation)|bind(?:s|ing)|begin\w*|starts?|period|appl(?:y|ies)|runs?|operates?|governs?|dates|valid|lasts?|continues?|(?:is|good|made|concluded) for|years?|months?)\b`)
	whenMade    = regexp.MustCompile(`\btakes? effect (?:as of )?today\b|\b(?:term|period|duration)[ :|]+(?:\(?\w+\)? (?:years?|months?) )?from (?:and including )?the date of (?:this|the) (?:agreement|contract|deed|lease|letter|licen[sc]e)\b|\b(?:effective|commenc\w*|in effect|takes? effect|(?:shall|will) have effect|into (?:force|effect)|binding|begin\w*|starts?|into operation)\b[^.;]{0,100}?\b(?:date (?:first )?(?:above |)written|date first|first (?:above )?written|first set forth above|last signature|` +
		`date of (?:the |its )?(?:last |full |final )?(?:signature|signing|execution)|(?:upon|on|after) (?:the |its )?(?:(?:due |full )?completion of (?:the )?)?(?:signatures?|signing|execution|sealing|conclusion)|date (?:hereof|set forth (?:below|above))|date of (?:this|the) (?:agreement|contract|deed|letter|lease)|date stated (?:above|at the beginning)|when (?:it is )?signed|latest date|(?:signature|signing) dates?|later of (?:the )?(?:\w+ )?dates|date (?:it|this \w+) bears|date (?:at|on) (?:its|the) (?:head|top)|` +
		`(?:when|once|as soon as|date on which|day on which) (?:both|all|each|the (?:last|second|later))\b[^.;]{0,60}\bsign(?:s|ed)?\b)`)
	ofContract = regexp.MustCompile(`\b(?:agreement|contract|effective date|lease|licen[sc]e|amendment|deed|letter|undertaking|nda|cda|venture|engagement|mou|memorandum|order|guarantee|terms?|period|appointment|arrangement|franchise|programme|program|project|distributorship|agency|retainer|consultancy|mandate|tenancy|subscription|charter|duration|it|life)\b`)
	// thatDate matches a contract that takes effect on the day on which the sentence says that it
	// is made.
	thatDate = regexp.MustCompile(`\b(?:19|20)\d\d\b[^.;]{0,40}\b(?:effective|takes? effect|commences?)\b[^.;]{0,20}\b(?:(?:that|the same) (?:date|day)|from then)\b`)
	// ownEffect matches this contract, or its term, as what takes effect, and endsEffect what
	// takes effect instead.
	ownEffect  = regexp.MustCompile(`\b(?:this (?:[\w-]+ ){0,3}|the (?:(?:initial|first|original|minimum|contract|fixed|lease|licen[sc]e) )?)(?:agreement|contract|lease|licen[sc]e|deed|letter|amendment|msa|dpa|nda|term|venture|engagement|mou|memorandum|appointment|arrangement|franchise|programme|program|project|distributorship|agency|retainer|consultancy|mandate|tenancy|subscription)\b[^.;,]{0,40}\b(?:effective|takes?|enters?|comes?|commences?|begins?|starts?)\b`)
	endsEffect = regexp.MustCompile(`\b(?:terminat\w*|resign\w*|releas\w*|expir\w*)\b`)
	// whenLast matches the last day of signing.
	whenLast = regexp.MustCompile(`\b(?:last|later|latest|final|second|both|all|each)\b`)
	// daysAfter matches a contract that takes effect some days after it is signed, so that the signer
	// can revoke it until then.
	daysAfter = regexp.MustCompile(`\b(?:effective|takes? effect|into (?:force|effect))\b[^.;]{0,40}\b(?:on|upon) the ([a-z-]+|\d{1,2}(?:st|nd|rd|th)) (?:\([^)]{1,8}\) )?(?:calendar )?day (?:after|following)\b[^.;]{0,60}\b(?:sign\w*|execut\w*)\b`)
)

// effectives returns the date of the agreement as the effective date, if no date surely has
// that role yet and a sentence says that the contract takes effect when it is made, or on a
// day with a name, such as "the Closing Date".
func effectives(d *structure.Document, dates []finding.Found[insightapi.Date], named days) []finding.Found[insightapi.Date] {
	if slices.ContainsFunc(dates, func(f finding.Found[insightapi.Date]) bool {
		return f.Item.DateEpochMS != nil && f.Item.DateType == insightapi.DateEffective && f.Confidence > somethingStarts
	}) {
		return nil
	}
	made, last := makings(d, dates)
	for _, s := range d.Sentences {
		text := s.Lower
		if !takesEffect.MatchString(text) {
			continue
		}
		if at, ok := startOfTerm(d, s, text, dates); ok {
			return onceEffective(dates, at, "The term is counted from this date.")
		}
		if !ofContract.MatchString(text) {
			continue
		}
		if at, ok := named.on(text); ok {
			return []finding.Found[insightapi.Date]{at.as(insightapi.DateEffective, "The contract takes effect on the day that the document gives this name.")}
		}
		if f, ok := daysLater(made, text); ok {
			return []finding.Found[insightapi.Date]{f}
		}
		if at, ok := whenItIsMade(text, made, last); ok {
			return onceEffective(dates, at, "The contract takes effect when it is made.")
		}
	}
	return nil
}

// whenItIsMade returns the date of the agreement, or the last date of signing, if a sentence says
// that the contract takes effect then.
func whenItIsMade(text string, made, last finding.Found[insightapi.Date]) (finding.Found[insightapi.Date], bool) {
	m := fromMaking(text)
	if whenLast.MatchString(m) && last.Item.DateEpochMS != nil {
		made = last
	}
	return made, m != "" && made.Confidence > 0
}

// makings returns the most probable date of the agreement, and the last date of signing.
func makings(d *structure.Document, dates []finding.Found[insightapi.Date]) (made, last finding.Found[insightapi.Date]) {
	for _, f := range dates {
		if f.Item.DateEpochMS == nil {
			continue
		}
		if f.Item.DateType == insightapi.DateExecution && f.Confidence > made.Confidence {
			made = f
		}
		if (f.Item.DateLabel == signing.label || inSignature(d, f.Span)) && (last.Item.DateEpochMS == nil || *f.Item.DateEpochMS > *last.Item.DateEpochMS) {
			last = f
		}
	}
	return made, last
}

// onceEffective returns a date as the effective date, and why it is. If dates already have it in
// that role, it makes it more probable there instead.
func onceEffective(dates []finding.Found[insightapi.Date], at finding.Found[insightapi.Date], why string) []finding.Found[insightapi.Date] {
	at.Item.DateType, at.Item.DateLabel, at.Confidence = insightapi.DateEffective, "Effective date", 0.71
	at.Reasoning = why
	for i, f := range dates {
		if f.Item.DateType == insightapi.DateEffective && f.Item.DateValue == at.Item.DateValue {
			dates[i].Confidence = at.Confidence
			return nil
		}
	}
	return []finding.Found[insightapi.Date]{at}
}

// daysLater returns the day on which a contract takes effect that was made on a day, if the text
// says how many days later that is.
func daysLater(made finding.Found[insightapi.Date], text string) (finding.Found[insightapi.Date], bool) {
	m := daysAfter.FindStringSubmatch(text)
	if m == nil || made.Item.DateEpochMS == nil {
		return finding.Found[insightapi.Date]{}, false
	}
	days, ok := count(strings.TrimRight(m[1], "stndrh"))
	if !ok {
		days, ok = count(m[1])
	}
	if !ok || days > maxDays {
		return finding.Found[insightapi.Date]{}, false
	}
	day := time.UnixMilli(*made.Item.DateEpochMS).UTC().AddDate(0, 0, days)
	ms := day.UnixMilli()
	made.Item.DateType, made.Item.DateLabel, made.Item.DateValue, made.Item.DateEpochMS = insightapi.DateEffective, usualLabels[insightapi.DateEffective], day.Format("2006-01-02"), &ms
	made.Confidence, made.Reasoning = 0.7, "The contract takes effect some days after it is signed."
	return made, true
}

// maxDays is the maximum number of days after signing on which a contract takes effect.
const maxDays = 99

// inSignature reports whether a span is in a signature block.
func inSignature(d *structure.Document, at layout.Span) bool {
	return slices.ContainsFunc(d.Signatures, func(s structure.Signature) bool { return s.Overlaps(at) })
}
