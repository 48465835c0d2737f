package keydates

import (
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/date"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// dateLabel matches a name right before a date: "delivery date:", "the closing date is".
var dateLabel = regexp.MustCompile(`(?:^|[\s("'])((?:[a-z][a-z'/-]*\s+){1,3}date|last\s+(?:updated|revised|modified))["')]*\s*(?::|\||is|shall be|will be|means|shall mean|-|–)?\s*(?:on\s+)?(?:the\s+)?["']?$`)

// labelKinds maps the word before "date" to the role. Other names have none of these
// roles.
var labelKinds = map[string]string{
	"expiration": insightapi.DateExpiration, "expiry": insightapi.DateExpiration, "end": insightapi.DateExpiration,
	"termination": insightapi.DateExpiration, "maturity": insightapi.DateExpiration, "ending": insightapi.DateExpiration,
	"renewal": insightapi.DateRenewal, "extension": insightapi.DateRenewal, "notice": insightapi.DateNotice,
	"due": insightapi.DatePayment, "payment": insightapi.DatePayment,
	"agreement": insightapi.DateExecution, "contract": insightapi.DateExecution, "signature": insightapi.DateExecution,
	"signing": insightapi.DateExecution, "execution": insightapi.DateExecution, "order": insightapi.DateExecution, "form": insightapi.DateExecution, "lease": insightapi.DateExecution,
}

// begins matches the names of the date on which a contract takes effect.
var begins = regexp.MustCompile(`\b(?:effective|commencement|commencing|start|starting|beginning|launch)\s+date$`)

// namedDate returns the sign of a date that has a name, unless it is a name in begins.
func namedDate(before string) (sign, bool) {
	m := dateLabel.FindStringSubmatch(before)
	if m == nil || begins.MatchString(m[1]) {
		return sign{}, false
	}
	words := strings.Fields(m[1])
	for i := len(words) - 2; i >= 0; i-- {
		if passage.IsEmpty(words[i]) {
			words = words[i+1:]
			break
		}
	}
	if len(words) < 2 {
		return sign{}, false
	}
	s := sign{kind: labelKinds[words[len(words)-2]], label: passage.SentenceCase(strings.Join(words, " ")), confidence: 0.8}
	s.why = "The document gives the date this name."
	if s.kind == "" || words[len(words)-1] != "date" {
		s.kind = insightapi.DateOther
	}
	return s, true
}

// Patterns for the first and the last day of a period.
var (
	runs      = regexp.MustCompile(`\b(?:valid|in force|effective|in effect|runs?|term|agreement|contract|lease|licen[sc]e|appointment|engagement|employment|tenancy|appoints?|engages?|engaged|appointed|retains?|retained|employs?|hires?)\b[^.;]{0,60}\bfrom\s+(?:and including\s+)?(?:the\s+)?$`)
	runsTo    = regexp.MustCompile(`^\s*(?:\([^)]{0,40}\)\s*)?,?\s*(?:up\s+)?(?:to|until|till|through|thru)\b`)
	dashed    = regexp.MustCompile(`^\s*[-–—]\s*\d|^\s*[-–—]\s*[a-z]{3,9} \d`)
	ranFrom   = regexp.MustCompile(`\b(?:valid|in force|effective|in effect|runs?|term|agreement|contract|lease|licen[sc]e|appointment|engagement|employment|tenancy|appoints?|engages?|engaged|appointed|retains?|retained|employs?|hires?)\b[^.;]{0,60}\bfrom\s+(?:and including\s+)?[\w ,./-]{6,40}(?:\([^)]{0,40}\)\s*)?\s(?:up\s+)?(?:to|until|till|through|thru)\s+(?:and including\s+)?(?:the\s+)?$`)
	labelled  = regexp.MustCompile(`(?:\b(?:term|duration|validity|(?:initial|contract|distribution|licen[sc]e|project|service|subscription|rental|lease|loan|research|performance|hire|option|grant|supply|charter|engagement|placement|membership|support|maintenance|secondment|employment|booking|storage|sponsorship|appointment|agreement) period|period of (?:performance|hire|insurance|cover))|^(?:tenancy|hire|period|subscription|dates?))\s*(?::|\b(?:is|shall be|will be|covers|runs)\b)\s*(?:the period\s+)?(?:from\s+)?(?:the\s+)?$`)
	toLast    = regexp.MustCompile(`(?:\b(?:term|duration|validity|(?:initial|contract|distribution|licen[sc]e|project|service|subscription|rental|lease|loan|research|performance|hire|option|grant|supply|charter|engagement|placement|membership|support|maintenance|secondment|employment|booking|storage|sponsorship|appointment|agreement) period|period of (?:performance|hire|insurance|cover))|^(?:tenancy|hire|period|subscription|dates?))\s*(?::|\b(?:is|shall be|will be|covers|runs)\b)\s*(?:the period\s+)?(?:from\s+)?[\w ,./(-]{6,60}\s(?:up\s+)?(?:to|until|till|through|thru|-|–)\s+(?:and including\s+)?(?:the\s+)?$`)
	validFrom = regexp.MustCompile(`\b(?:valid|binding)\s+(?:as\s+)?(?:from|of)\s+(?:the\s+)?$|\b(?:enters?|entered|come|comes|entry|coming)\s+into\s+(?:force|effect)\b[^.;]{0,40}\b(?:on|from|as of)\s+(?:the\s+)?$`)
	// ending matches words after which a day is the last.
	ending = regexp.MustCompile(`\b(?:expir\w*|terminat\w*|until|through|ends?|lapses?|finish(?:es)?|ceases?)\b`)
	// starting matches words after which a day is the first.
	starting = regexp.MustCompile(`\b(?:commences?|begins?|starts?|takes? effect|(?:in|into) force)\b`)
	// otherEnd matches the end of something other than the contract.
	otherEnd = regexp.MustCompile(`\b(?:(?:commission|insurance|insurances|insurance polic(?:y|ies)|coverage|patents?|(?:fiscal|financial|calendar|tax|accounting)\s+(?:years?|quarters?|periods?))\s+(?:[\w'-]+\s+){0,3}(?:expir\w*|end(?:s|ed|ing)?)|` +
		`(?:the|each|any|that|its|last|first)\s+(?:years?|quarters?|months?)\s+end(?:s|ed|ing))\b:?\s*(?:on or (?:after|before)|on|at|upon|as of)?\s*(?:the\s+)?$|` +
		`\b(?:would|was to|were to|is due to|was due to|were due to)\b[^.;]{0,80}\b(?:expire|terminate|end|lapse)\b[^.;]{0,30}$|\bwould have\b[^.;]{0,60}\bto an end\b[^.;]{0,10}$|\bwhich (?:\w+ )?extended\b[^.;]{0,60}$|\b(?:changed|extended|moved|postponed|amended|deferred) from\s+(?:the\s+)?$|` +
		`\b(?:expired|terminated|ended)\s+(?:on|as of)\s+(?:the\s+)?$|\b(?:terminat\w*|expir\w*|cancel\w*)\b[^.;]{0,60}\b(?:prior to|before|after)\s+(?:the\s+)?$`)
	// coveredYears matches the last day of the years for which a contract is made: "covers the two
	// financial years ending".
	coveredYears = regexp.MustCompile(`\b(?:agreement|contract|engagement|appointment|term|letter)\b[^.;]{0,80}\b(?:covers?|for|lasts?|runs?)\s+(?:for\s+)?the\s+(?:\w+\s+)?(?:(?:fiscal|financial|calendar|tax|accounting)\s+)?(?:years?|quarters?|months?|seasons?)\s+(?:to|ending|that ends?)\s+(?:on\s+)?(?:the\s+)?$`)
	// otherUntil matches a promise or a price that lasts until a day, and duty, after the day, that
	// something is forbidden until then.
	otherUntil = regexp.MustCompile(`\b(?:fixed|firm|exercis\w*|offers?|quot\w+|prices?|rates?|discount\w*|neither party|no party|not to|(?:will|shall|may|must) not|never|honou?r|certificat\w*|accreditation|permits?|waived|suspended|deferred|may use|pays?|premiums?|salary)\b[^.;:]{0,100}\b(?:until|till|through|thru)\s+(?:and including\s+)?(?:the\s+(?:(?:earlier|later)\s+of\s+)?)?$`)
	untilDuty  = regexp.MustCompile(`^(?:, )?[^.;,]{0,60}\b(?:(?:will|shall|may|must) not|neither|no)\b`)
	until      = regexp.MustCompile(`\b(?:until|till|through)\s+(?:and including\s+)?(?:the\s+)?$`)
	// extendedTo matches the new last day of a contract that is extended.
	extendedTo = regexp.MustCompile(`\b(?:term|agreement|contract|lease|licen[sc]e|engagement|appointment|msa|sow)\b[^.;]{0,80}\b(?:is|are|is hereby|are hereby|be|been)\s+(?:further\s+)?(?:extended|prolonged|continued|renewed)\b[^.;]{0,50}\b(?:to|until|till|through)\s+(?:and including\s+)?(?:the\s+)?$|\b(?:end|expiry|expiration|termination)\b[^.;]{0,60}\b(?:changed|extended|moved|postponed|amended|deferred)\b[^.;]{0,60}\bto\s+(?:the\s+)?$`)
	mayExtend  = regexp.MustCompile(`\b(?:may (?:[a-z]+ ){0,3}(?:be|renew|extend|request|elect)|can|could|option|right)\b`)
	// firstPayment matches the first day of something that is paid again and again, and paidFrom, after a
	// day, that something is paid or allowed from then on.
	firstPayment = regexp.MustCompile(`\b(?:instal?ments?|payments?|interest|repay\w*|royalt\w+)\b[^.;]{0,60}\b(?:commenc\w+|begin\w*|start\w*)\s+(?:(?:on|from|as of|with)\s+)?(?:the\s+)?$|\b(?:payment|instal?ment)\s+(?:falls?|falling|is|being|becoming|becomes)\s+due\b[^.;]{0,20}$`)
	paidFrom     = regexp.MustCompile(`^(?:, )?[^.;,]{0,60}\b(?:pays?|repays?|may|remits?|reimburses?)\b`)
	fromThen     = regexp.MustCompile(`^[^a-z]*(?:\(?[a-z]\) )?(?:"?)(?:commencing|beginning|starting|from)\s+(?:(?:on|with|as of)\s+)?(?:the\s+)?$`)
	// replyBy matches the day until which an offer can be accepted.
	replyBy = regexp.MustCompile(`\b(?:return|countersign|accept)\b[^.;]{0,60}\b(?:by|before|no later than|not later than)\b[^;]{0,40}$`)
	// otherFrom matches the first day of a new price, of a termination, or of some days.
	otherFrom = regexp.MustCompile(`\b(?:increas\w*|escalat\w*|adjust\w*|rais(?:es?|ed|ing)|revis\w*|reduc\w*|indexed)\b[^.;]{0,60}\b(?:effect|effective)\b[^.;]{0,20}$|\bnot earlier than (?:with effect )?(?:from|on|as of)\s+(?:the\s+)?$|\bdays,? (?:starting|beginning|commencing)(?: on| from)?\s+(?:the\s+)?$`)
	// lastNotice matches a deadline for giving notice.
	lastNotice = regexp.MustCompile(`\bnotice\b[^.;]{0,60}\b(?:before|by|until|later than|prior to)\s+(?:the\s+)?$`)
)

// running returns the sign of a date that starts or ends a period, if the text says so
// without a verb of starting or ending.
func running(before, after string) (sign, bool) {
	before += " " // ends the last word
	if s, ok := ofOther(before, after); ok {
		return s, true
	}
	switch {
	case extendedTo.MatchString(before) && !mayExtend.MatchString(before), coveredYears.MatchString(before):
		return sign{kind: insightapi.DateExpiration, label: "Expiration date", confidence: 0.85, why: "The text before the date says when the contract ends."}, true
	case ranFrom.MatchString(before), toLast.MatchString(before):
		return sign{kind: insightapi.DateExpiration, label: "Expiration date", confidence: 0.7, why: "The text before the date says when something ends."}, true
	case firstOfPeriod(before, after), validFrom.MatchString(before) && !ending.MatchString(validFrom.FindString(before)):
		return sign{kind: insightapi.DateEffective, label: "Effective date", confidence: 0.85, why: "The text before the date says when the contract takes effect."}, true
	}
	return sign{}, false
}

// firstOfPeriod reports whether a date is the first of two between which a contract lasts.
func firstOfPeriod(before, after string) bool {
	labelled := labelled.MatchString(before)
	return (labelled || runs.MatchString(before)) && runsTo.MatchString(after) || labelled && dashed.MatchString(after)
}

// ofOther returns the sign of a date on which something other than the contract starts or ends.
func ofOther(before, after string) (sign, bool) {
	switch {
	case otherEnd.MatchString(before) && !coveredYears.MatchString(before):
		return sign{kind: insightapi.DateOther, label: "Other end date", confidence: 0.7, why: "The text before the date says when something other than the contract ends."}, true
	case lastNotice.MatchString(before):
		return sign{kind: insightapi.DateNotice, label: "Notice date", confidence: 0.65, why: "The text before the date sets a deadline for giving notice."}, true
	case replyBy.MatchString(before), otherFrom.MatchString(before):
		return sign{kind: insightapi.DateOther, label: "Other date", confidence: 0.7, why: "The text before the date is about an acceptance, a price or a termination."}, true
	case firstPayment.MatchString(before), fromThen.MatchString(before) && paidFrom.MatchString(after):
		return sign{kind: insightapi.DatePayment, label: "Payment date", confidence: 0.65, why: "The text says what is paid, or allowed, from this date on."}, true
	case otherUntil.MatchString(before) && !endsContract(before), until.MatchString(before) && untilDuty.MatchString(after):
		return sign{kind: insightapi.DateOther, label: "Other end date", confidence: 0.7, why: "The text says until when something other than the contract lasts."}, true
	}
	return sign{}, false
}

// Patterns for the day on which a term begins.
var (
	beginsOn = regexp.MustCompile(`\b(?:commenc\w*|begin\w*|start\w*|from|effective|(?:in|into)\s+(?:force|effect)|takes?\s+effect)\s+(?:(?:on|from|as of|and including)\s+)*(?:\w+day,?\s+)?(?:the\s+)?$`)
	termOf   = regexp.MustCompile(`\b(?:for|of|is|be|have|lasts?|runs?|continues?|covers?)\s+(?:a\s+)?(?:(?:initial|fixed|further|total|minimum)\s+)*(?:(?:term|period|duration)\s+of\s+)?(?:approximately\s+)?$`)
	// endsAfter and afterStart match the text on both sides of a term after its first day: "and ends
	// two years later".
	endsAfter  = regexp.MustCompile(`\b(?:ends?|expires?|lapses?|terminates?|finish(?:es)?|ceases?) $`)
	afterStart = regexp.MustCompile(`^ (?:later|thereafter|afterwards|after (?:that|this)(?: date| day)?)\b`)
	termIsFor  = regexp.MustCompile(`^[^a-z]*it (?:lasts?|runs?|continues?|is for)\b|\b(?:term|duration|(?:appoint|engage|retain|employ|hire)(?:s|d|ed)|(?:we|i) (?:appoint|engage|retain|employ|hire)|grants|lets|this (?:[\w-]+ ){0,3}(?:agreement|contract|lease|license|deed|letter|msa|dpa|nda|order)|(?:the|your|this|our) (?:agreement|contract|lease|licen[sc]e|tenancy|engagement|appointment|employment|arrangement|hire|placement|subscription|services?|franchise|programme|program|project|distributorship|agency|retainer|consultancy|mandate|secondment|charter|supply)|(?:licen[sc]e|subscription|contract|hire|rental|lease|project|service|option|funding|grant|research|initial|fixed|supply) period)\b`)
)

// termReach is the maximum distance in bytes between a term and the day on which it
// begins.
const termReach = 140

// beginsIn returns the date in s on which the term begins.
func beginsIn(d *structure.Document, s layout.Span, dates []finding.Found[insightapi.Date]) (finding.Found[insightapi.Date], bool) {
	for _, f := range dates {
		if f.Span.Start < s.Start || f.Span.End > s.End || f.Item.DateEpochMS == nil {
			continue
		}
		if before, _ := passage.Around(d, f.Span, dateReach); beginsOn.MatchString(before + " ") {
			return f, true
		}
	}
	return finding.Found[insightapi.Date]{}, false
}

// termFromDay returns the day on which a term ends, if one sentence gives the term and
// the day on which it begins.
func termFromDay(d *structure.Document, s structure.Sentence, text string, dates []finding.Found[insightapi.Date]) (finding.Found[insightapi.Date], bool) {
	at, p, ok := termIn(d, s, text, dates)
	if !ok {
		return finding.Found[insightapi.Date]{}, false
	}
	return endOfTerm(date.Find(at.Item.DateValue, 1)[0], p, s.Span), true
}

// startOfTerm returns the date on which a term begins, if one sentence gives it and the term.
func startOfTerm(d *structure.Document, s structure.Sentence, text string, dates []finding.Found[insightapi.Date]) (finding.Found[insightapi.Date], bool) {
	at, _, ok := termIn(d, s, text, dates)
	return at, ok
}

// termIn returns the date on which a term begins and its length, if one sentence gives both.
func termIn(d *structure.Document, s structure.Sentence, text string, dates []finding.Found[insightapi.Date]) (finding.Found[insightapi.Date], period.Period, bool) {
	none := finding.Found[insightapi.Date]{}
	if !termIsFor.MatchString(text) {
		return none, period.Period{}, false
	}
	at, ok := beginsIn(d, passage.Cut(d.Text, s.Span), dates)
	if !ok {
		return none, period.Period{}, false
	}
	before := passage.Lower(d.Text[max(s.Start, at.Span.Start-termReach):at.Span.Start])
	if p, ok := lengthOf(before); ok {
		return at, p, true
	}
	after := passage.Lower(d.Text[at.Span.End:min(s.End, at.Span.End+termReach)])
	p, ok := lengthOf(after)
	if !ok || !termOf.MatchString(after[:p.Start]) && !(endsAfter.MatchString(after[:p.Start]) && afterStart.MatchString(after[p.End:])) {
		return none, period.Period{}, false
	}
	return at, p, true
}
