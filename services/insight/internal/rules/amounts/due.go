package amounts

import (
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// maxDue is the maximum length in bytes of a phrase that says when a payment is due.
const maxDue = 70

const (
	counted = `(?:\d{1,3}|[a-z]+(?:-[a-z]+)?(?: \(\d{1,3}\))?)`
	months  = `(?:january|february|march|april|may|june|july|august|september|october|november|december)`
)

// Patterns for due dates, on one line.
var (
	// termDays matches a payment term after its label: "Payment terms: 30 days after receipt".
	termDays = regexp.MustCompile(`(?i)^\W*(?:(?:\d+\.)*\d*\s*)?payment terms?:? (?:(?:is|are|shall be) )?(?:\d{1,3}|[a-z]+(?:-[a-z]+)?(?: \(\d{1,3}\))) (?:\w+ )?days\b`)

	// netDays matches a payment term in accountants' notation: "net 30", "2/10 net 30".
	netDays = regexp.MustCompile(`(?i)(?:\b\d{1,2}(?:\.\d)?%?\s?/\s?\d{1,2},?\s+)?\b(?:net|n/)\s?(?:\d{1,3}|(?:ten|fifteen|thirty|forty-five|sixty|ninety)(?:\s\(\d{1,3}\))?)(?:\s+(?:calendar\s+|business\s+)?days)?\b`)
	onlyNet = regexp.MustCompile(`(?i)^\W*(?:(?:\d+\.)*\d*\s*)?(?:terms:?\s*)?(?:\d{1,2}(?:\.\d)?%?\s?/\s?\d{1,2},?\s+)?net\b[^,;]{0,40}$`)
	within  = regexp.MustCompile(`(?i)\b(?:within|no later than|not later than|at the latest|by|on or before)\s+(?:the\s+)?(?:[\w()\[\]*-]+\s+){0,4}(?:days?|months?|weeks?)\b(?:\s+(?:of|after|from|following|prior to|before)\b[^.;,:]{0,60})?|\b(?:within|(?:no|not) later than)\s+(?:\[\s?\*+\s?\]|\*\*\*+)(?:\s+(?:of|after|from|following)\b[^.;,:]{0,60})?`)
	after   = regexp.MustCompile(`(?i)\b(?:\d{1,3}|[a-z]+(?:-[a-z]+)? \(\d{1,3}\)) (?:business |calendar |working )?days (?:of|after|from|following|prior to|before)\b[^.;,:]{0,50}`)
	upon    = regexp.MustCompile(`(?i)\b(?:up)?on (?:(?:the|practical|final|full|successful|substantial) ){0,2}(?:execution|signing|receipt|completion|delivery|acceptance|signature|closing|commissioning|handover|exchange)\b[^.;,:]{0,50}`)
	ahead   = regexp.MustCompile(`(?i)(\bnot\s+(?:\w+\s+){0,3})?\b(?:(?:monthly|quarterly|annually|yearly)\s+)?in (?:advance|arrears)\b`)
	onDay   = regexp.MustCompile(`(?i)\bon (?:or before )?the (?:\w+ )?(?:first|last|\d+(?:st|nd|rd|th)?|\w+th) (?:business |working )?day\b[^.;,:]{0,50}`)
	basis   = regexp.MustCompile(`(?i)\b(?:on an? (?:monthly|quarterly|weekly|annual|yearly|semi-?annual|daily) basis|in (?:[\w()-]+ ){0,3}(?:monthly|quarterly|annual|weekly|semi-?annual) instal?lments|(?:on|at|upon|prior to) (?:the )?(?:closing|completion|termination|demand|effective date|closing date)\b|on (?:the|each|every) (?:\w+ )?anniversary\b(?: of (?:(?:the|this|its) )?(?:\w+ date|\w+))?|(?:at the (?:beginning|end) of|for|in|during) each (?:\w+ )?(?:month|quarter|year|week)|per (?:month|annum|year|quarter)|(?:at|on) the (?:date|time) of (?:the )?(?:signing|signature|execution|delivery|closing|order)|on the date (?:on which|that)?|promptly|prompt (?:payment|reimbursement)|on demand)\b`)
	regular = regexp.MustCompile(`(?i)\b(?:paid|payable|pay|invoiced?|bill(?:ed)?|due|installments)(?: \w+){0,3},? (monthly|quarterly|annually|weekly|yearly)\b`)
	onDate  = regexp.MustCompile(`(?i)\b(?:on or before|no later than|by|on)\s+(?:` + months + `\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?|\d{1,2}(?:st|nd|rd|th)?\s+` + months + `(?:,?\s+\d{4})?)\b`)

	// clauseEnd matches the start of another clause after a phrase of time.
	clauseEnd = regexp.MustCompile(`(?i)[\s(]+(?:and|or|if|unless|provided|except|subject|which|that|shall|will|must|is|are|with|during|together|but|whether|via|by|at|to|in|as|for|without|whichever|plus|less)\b`)
	// share matches a part of a price that is due upfront, on an event such as signing,
	// or as a deposit.
	share = regexp.MustCompile(`(?i)\b\d{1,3}\s?(?:%|per ?cent)[^.;,]{0,40}?\b(?:up-?front|in advance|(?:up)?on (?:signing|signature|order|delivery|completion|execution|acceptance|commencement)|as (?:a )?deposit|down ?payment)`)
	// lending matches a loan, which is not a payment for anything.
	lending = regexp.MustCompile(`\b(?:promises?|agrees?|undertakes?|commits?|shall|will|hereby)\s+(?:to\s+)?(?:loan|lend|advance|make (?:a|the) loan)\b`)
	// unpaid matches the start of a clause about missed payments.
	unpaid = regexp.MustCompile(`(?i)\b(?:if|where|when|unless|should|in the event(?: that)?|in case|to the extent)\b[^.;]{0,120}?\b(?:not\s+(?:been\s+|be\s+|so\s+|fully\s+)?(?:paid|pay|made|received)|unpaid|overdue|past due|(?:is|are|paid|made|becomes) late|fails?|failure|default)\b|\bfailure to (?:pay|make)\b`)
)

// supposed matches a condition at the beginning of a sentence, with the beginning of the obligation
// that depends on it.
var supposed = regexp.MustCompile(`(?i)^\W*(?:\w{1,3}[.)]\s+)?(?:(?:if|unless|should|where)\b|in (?:the event|case)\b|to the extent\b)[^;]*?,\s+(?:then\s+)?((?:[\w'’&()-]+\s+){1,8}(?:shall|will|must|agrees?|pays?|owes?|bears?|refunds?|reimburses?|is|are)\b)`)

// dueOf returns when a sentence, on one line, says that a payment is due: in its own
// words, without the text that follows. It returns "" if the sentence does not say so. A time in
// the condition of the payment, as in "If the seal is not replaced within 5 days, …", is not when
// it is due.
func dueOf(sentence string) string {
	if m := supposed.FindStringSubmatchIndex(sentence); m != nil {
		sentence = sentence[m[2]:]
	}
	if m := netDays.FindString(sentence); m != "" {
		return m
	}
	for _, re := range []*regexp.Regexp{within, after, upon, onDay, onDate, basis} {
		for _, m := range re.FindAllStringIndex(sentence, 4) {
			if phrase := sentence[m[0]:m[1]]; re != within && re != after || timed.MatchString(phrase) && !salesPeriod.MatchString(sentence[:m[0]]) {
				return clauseOnly(phrase)
			}
		}
	}
	if m := ahead.FindStringSubmatchIndex(sentence); m != nil && m[2] < 0 {
		return sentence[m[0]:m[1]]
	}
	if m := regular.FindStringSubmatch(sentence); m != nil {
		return m[1]
	}
	return ""
}

var (
	// timed matches a number of days. salesPeriod matches the text before a number of
	// days that is not a payment term.
	timed       = regexp.MustCompile(`(?i)\d|\b(?:one|two|three|five|seven|ten|fourteen|fifteen|twenty|thirty|forty|forty-five|sixty|ninety|a)\b|\*`)
	salesPeriod = regexp.MustCompile(`(?i)\bnet (?:sales|revenues?|profits?|income|proceeds|receipts)\s+(?:within\s+)?$`)
)

// clauseOnly truncates a phrase before the next clause and to at most maxDue bytes, at a
// word boundary.
func clauseOnly(phrase string) string {
	// Skip the words that make the phrase a time: the clause ends after them.
	from := len(timeWord.FindString(phrase))
	if m := clauseEnd.FindStringIndex(phrase[from:]); m != nil {
		phrase = phrase[:from+m[0]]
	}
	if len(phrase) > maxDue {
		cut := strings.LastIndexByte(phrase[:maxDue], ' ')
		phrase = phrase[:max(cut, 0)]
	}
	if open := strings.LastIndexByte(phrase, '('); open > 0 && !strings.Contains(phrase[open:], ")") {
		phrase = phrase[:open]
	}
	phrase = strings.TrimRight(phrase, " ,(-")
	for danglingWord.MatchString(phrase) {
		phrase = strings.TrimRight(danglingWord.ReplaceAllString(phrase, ""), " ,(-")
	}
	return phrase
}

// timeWord matches a phrase up to the word that makes it a time.
var timeWord = regexp.MustCompile(`(?i)^(?:on or before|(?:no|not) later than|by|on)\s+(?:` + months + `\s+\d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)?\s+` + months + `)(?:,?\s+\d{4})?|^.{0,60}?\b(?:days?|months?|weeks?|execution|signing|receipt|completion|delivery|acceptance|signature|closing|\d{4})\b`)

// danglingWord matches a word that cannot end a phrase.
var danglingWord = regexp.MustCompile(`(?i)\s(?:of|the|a|an|each|any|such|its|from|after|this|on)$`)

// unconditional returns the parts of a sentence outside a clause about missed payments: the
// part before and the part after it.
func unconditional(sentence string) []layout.Span {
	m := unpaid.FindStringIndex(sentence)
	if m == nil {
		return []layout.Span{{End: len(sentence)}}
	}
	parts := []layout.Span{{End: m[0]}}
	if comma := strings.IndexByte(sentence[m[1]:], ','); comma >= 0 {
		parts = append(parts, layout.Span{Start: m[1] + comma + 1, End: len(sentence)})
	}
	return parts
}

var (
	percent = regexp.MustCompile(`(?i)\b\d{1,3}(?:\.\d{1,4})?(?:[ -]\d/\d)?\s?(?:[%‰]|per ?cent(?:um)?\b|percentage points?\b)|\b[a-z]+(?:-[a-z]+)? \(\d{1,3}(?:\.\d{1,4})?\) per ?cent\b` +
		`|\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen)(?: and (?:a|one)[ -](?:half|quarter))?\s(?:per ?cent(?:um)?|percentage points?)\b`)
	// compared matches the text before a number that others are compared with.
	// The first and the next part of an amount are only the basis of a percentage.
	compared = regexp.MustCompile(`(?i)(\b(?:not|no)(?: be)? )?\b(?:exceed(?:s|ed|ing)?|excess of|(?:more|greater|less|lower|higher|fewer|other) than|below|above|by|(?:is|are|was|were|reach|reaches) at least|(?:of|on|for)(?: the)? (?:first|next|initial)|(?:assets|sales|revenues?|income|receipts) (?:of )?(?:up to|over|between|from|at least))(?: (?:the|an?|amount|sum|equal|to|of|(?:[a-z-]+ ){1,3}per ?cent|[a-z]+ dollars))*[\s("'“]{0,3}$`)
)

// percentage returns the first percentage of a sentence, on one line, that is not a
// threshold, or "" if there is none.
func percentage(sentence string) string {
	for _, at := range percentagesIn(sentence) {
		if !threshold(sentence[:at.Start]) {
			return sentence[at.Start:at.End]
		}
	}
	return ""
}

// inDigits matches the digits that repeat a percentage in words: "ten percent (10%)".
var inDigits = regexp.MustCompile(`^[ \n]?\( ?\d`)

// percentagesIn returns the places of the percentages in a text. Of one that is repeated in
// parentheses, it returns the digits.
func percentagesIn(text string) []layout.Span {
	var found []layout.Span
	for _, m := range percent.FindAllStringIndex(text, maxParts) {
		at := layout.Span{Start: m[0], End: m[1]}
		words := !strings.ContainsAny(text[m[0]:m[1]], "0123456789")
		last := len(found) - 1
		switch {
		case words && inDigits.MatchString(text[m[1]:]):
		case last >= 0 && strings.Trim(text[found[last].End:at.Start], " (\n") == "":
		default:
			found = append(found, at)
		}
	}
	return found
}

// Patterns for a part of a sum in words: the part, the text before one that is part of a period, and
// the period.
var (
	inParts  = regexp.MustCompile(`(?i)\b(?:(?:one[- ])?half|(?:one|two|three)[- ](?:third|quarter|fourth|fifth|tenth)s?) of\b`)
	ordinal  = regexp.MustCompile(`(?i)\b(?:first|second|latter|last|more than|less than|at least)\s(?:an?\s)?$`)
	ofPeriod = regexp.MustCompile(`(?i)^\s(?:(?:the|each|an?|that|any)\s)?(?:\w+\s)?(?:days?|weeks?|months?|quarter|year|term|period|hours?)\b`)
)

// fraction returns the part of a sum that a sentence, on one line, says in words, such as "one half",
// or "" if there is none.
func fraction(sentence string) string {
	for _, m := range inParts.FindAllStringIndex(sentence, maxParts) {
		if !ordinal.MatchString(sentence[:m[0]]) && !ofPeriod.MatchString(sentence[m[1]:]) {
			return sentence[m[0] : m[1]-len(" of")]
		}
	}
	return ""
}

// threshold reports whether a number after the text before is one that others are compared
// with, such as "more than $100". "Not less than $100" is no threshold.
func threshold(before string) bool {
	m := compared.FindStringSubmatchIndex(passage.OneLine(before[max(0, len(before)-thresholdReach):]) + " ")
	return m != nil && m[2] < 0
}

// thresholdReach is how many bytes before a number are read.
const thresholdReach = 60

// maxMeasure is the maximum number of words of a measure.
const maxMeasure = 6

// onlyMeasures reports whether the percentage in a text, in lower case, is not a payment: the text is a few words
// without a noun or a verb for paying, such as "MAPE < 12%" or "VAT 20%".
func onlyMeasures(text string) bool {
	return len(strings.Fields(text)) <= maxMeasure && !strings.Contains(text, " of ") && !payNoun.MatchString(text) && !paying.MatchString(text) && !verbal.MatchString(text) && strings.ContainsFunc(text, unicode.IsLetter)
}
