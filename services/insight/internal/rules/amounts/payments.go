package amounts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for sentences about payments, on one line in lower case.
var (
	paying = regexp.MustCompile(`\b(?:pay|pays|paid|payable|payments?|due|invoice[ds]?|remit(?:ted|s)?|reimburse[ds]?|royalt(?:y|ies)|fees?)\b`)
	often  = regexp.MustCompile(`\b(?:monthly|quarterly|annual(?:ly)?|yearly|weekly|bi-?weekly|semi-?annual(?:ly)?|per (?:calendar )?(?:day|week|month|quarter|year|annum|hour)|(?:each|every) anniversary|each (?:calendar |contract )?(?:day|week|month|quarter|year)|every (?:\w+ )?(?:days?|weeks?|months?|quarters?|years?)|an hour|hourly|(?:a|per) (?:month|year))\b`)
)

// Payments returns what must be paid according to a document; see Reader.Payments.
func Payments(d *structure.Document, rates Rates, weights *learn.Model) []finding.Found[insightapi.Payment] {
	return NewReader(d, rates).Payments(weights, learn.WordsOf(d))
}

// Payments returns what must be paid: each amount with its due date or frequency, and,
// for a sentence without an amount, the due date or the part of the price. The weights judge
// what the rules find, and what they miss. words returns the words of the document. Without
// weights, the rules alone decide.
func (r *Reader) Payments(weights *learn.Model, words func() *learn.Words) []finding.Found[insightapi.Payment] {
	p := &payer{Document: r.doc, amounts: r}
	read := p.all()
	var found []finding.Found[insightapi.Payment]
	if weights != nil {
		found = p.judge(weights, words(), read)
	} else {
		for _, x := range read {
			found = append(found, x.found...)
		}
	}
	return finding.ByPlace(slices.DeleteFunc(found, func(f finding.Found[insightapi.Payment]) bool {
		return unpayable(p.Sentences[passage.SentenceAt(p.Document, f.Span.Start)].Lower)
	}))
}

// payer reads the payments of a document, sentence by sentence.
type payer struct {
	*structure.Document
	amounts *Reader
	// listed is how many of the next sentences may be items of a list of payments.
	listed int
}

// reading is what the rules find in a sentence.
type reading struct {
	found []finding.Found[insightapi.Payment]
	votes learn.Votes
}

// all reads all sentences.
func (r *payer) all() []reading {
	all := make([]reading, len(r.Sentences))
	for i, s := range r.Sentences {
		switch kind := r.Paragraphs[s.Paragraph].Kind; {
		case kind == structure.Margin:
			continue
		case kind == structure.Heading && s.Len() < passage.MinClause:
			r.entitle(s.Span)
			continue
		}
		var sure duty
		all[i], sure = r.read(s)
		r.follow(s, sure, len(all[i].found))
	}
	return all
}

// listItem matches an item of a list of payments, in lower case.
var listItem = regexp.MustCompile(`[$€£]\s?[.\d]|\b(?:usd|eur|gbp|rmb|chf|cad|aud)\s?\d|\d[.,'-]* ?(?:usd|eur|gbp|rmb|chf|cad|aud|euros?|€|£)(?:\W|$)|\bdollars\b|\d\s?%|\d per ?cent`)

// announces matches the end of a sentence that announces a list of payments.
var announces = regexp.MustCompile(`(?i)(?::|\bas follows|\b(?:set forth|set out|stated|listed|described) below|\b(?:table|schedule) below)\W*$`)

// maxPerItem is the maximum number of amounts of a line of an item. One with more is the row of a
// table that compares amounts.
const maxPerItem = 4

// withoutLongRows returns the amounts of a text without those in such rows.
func withoutLongRows(raw string, all []money.Amount) []money.Amount {
	var kept []money.Amount
	for len(all) > 0 {
		n := 1
		for n < len(all) && !strings.ContainsRune(raw[all[0].Start:all[n].Start], '\n') {
			n++
		}
		if n <= maxPerItem {
			kept = append(kept, all[:n]...)
		}
		all = all[n:]
	}
	return kept
}

// maxListed is the maximum number of items of a list of payments.
const maxListed = 16

// read reads a sentence, and returns how certain it is that it requires a payment.
func (r *payer) read(s structure.Sentence) (x reading, best duty) {
	cut := passage.Cut(r.Text, s.Span)
	text := r.Quote(cut)
	may := mayPay(text)
	x.vote(voteMay, may)
	x.vote(voteAmount, listItem.MatchString(s.Lower) || len(r.amounts.amountsIn(s.Span)) > 0)
	if r.listed == 0 && !may {
		return x, none
	}
	x.vote(voteListed, r.listed > 0)
	for _, part := range unconditional(text) {
		at := layout.Span{Start: cut.Start + part.Start, End: cut.Start + part.End}
		lower := passage.Lower(r.Quote(at))
		sure, refused := paymentTerms(lower)
		x.vote(voteExcluded, refused)
		if sure == none && r.listed > 0 && !excluded(lower) {
			sure = itemDuty(lower, listItem.MatchString(lower) || len(r.amounts.amountsIn(at)) > 0)
		}
		best = max(best, sure)
		if sure == none {
			continue
		}
		if x.found = r.paymentsOf(at, s.Span, lower, sure, r.listed > 0); len(x.found) > 0 {
			break
		}
	}
	x.vote(voteFound, len(x.found) > 0)
	x.vote(voteCertain, best == certain)
	x.vote(voteLikely, best == likely)
	return x, best
}

// vote notes a vote if it is true.
func (x *reading) vote(v int, is bool) {
	if is {
		x.votes |= 1 << v
	}
}

// itemDuty returns how certain it is that an item of a list of payments, in lower case, is a
// payment. priced means that it has an amount or a percentage. Its amount may be left out.
func itemDuty(lower string, priced bool) duty {
	switch {
	case sumOf.MatchString(lower):
		return none
	case priced && !verbal.MatchString(lower):
		return certain
	case priced:
		return likely
	case hidden.MatchString(lower) && itemWord.MatchString(lower) && !notice.MatchString(lower):
		return certain
	}
	return none
}

// sumOf matches the sum of a table, hidden an amount that is left out, itemWord what is said
// of one in a list, and notice a note on what is left out.
var (
	sumOf    = regexp.MustCompile(`\btotals?\b[^;.]{0,30}(?:[$€£]|\b(?:usd|eur|gbp)) ?\d`)
	hidden   = regexp.MustCompile(`\[\s*[*•●…]|\*\*\*|[$€£]\s*[\[*]|\bxxxx`)
	itemWord = regexp.MustCompile(`[$€£%]|\b(?:upon|per|fees?|royalt(?:y|ies)|on or before|percent|sales)\b`)
	notice   = regexp.MustCompile(`\b(?:confidential|omitted|filed|defined|means?|exceed)\b`)
)

// follow decides whether the sentences after s are items of a list of payments: s announces
// the list, is an item of it, or has the first row of a scale.
func (r *payer) follow(s structure.Sentence, sure duty, found int) {
	text := strings.TrimSpace(r.Quote(s.Span))
	switch {
	case sure != none && (announces.MatchString(text) || tier.MatchString(text)):
		r.listed = maxListed
	case r.listed > 0 && strings.IndexFunc(text, unicode.IsLetter) < 0 && found == 0:
		// the number of an item
	case r.listed > 0 && (found > 0 || len(text) < 2*passage.MinClause && !strings.HasSuffix(text, ".")):
		r.listed--
	case len(text) < 2*maxTitle && isTitle(s.Lower):
		r.listed = maxListed
	default:
		r.listed = 0
	}
}

// entitle begins a list of payments with its title, such as "Schedule of Fees".
func (r *payer) entitle(s layout.Span) {
	if isTitle(passage.Lower(r.Quote(s))) {
		r.listed = maxListed
	}
}

// maxTitle is the maximum length of the title of a table in bytes.
const maxTitle = 160

// isTitle reports whether a line in lower case is the title of a table of prices.
func isTitle(text string) bool {
	return len(text) < maxTitle && titled.MatchString(text) && !verbal.MatchString(text) && !listItem.MatchString(text)
}

// titled matches what the title of a table of prices says, and verbal the words that only a
// sentence has.
var (
	titled = regexp.MustCompile(`\b(?:prices?|pricing|fees|fee schedule|rates?|charges|payments?|milestones?|discounts?|annual fee)\b`)
	verbal = regexp.MustCompile(`\b(?:shall|will|may|must|is|are|was|has|have|means?|agrees?|hereby|pursuant)\b`)
)

// netReach is how many bytes before a payment term in accountants' notation are read.
const netReach = 20

// paymentTerms returns how certain it is that a sentence, on one line in lower case,
// requires a payment or states payment terms, and whether it requires one that is not a
// term of the contract.
func paymentTerms(text string) (sure duty, refused bool) {
	if termDays.MatchString(text) {
		return certain, false
	}
	if len(text) < passage.MinClause || len(text) < 3*passage.MinClause && netDays.MatchString(text) {
		if netDays.MatchString(text) && (paying.MatchString(text) || onlyNet.MatchString(text)) {
			return certain, false
		}
		return none, false
	}
	if m := netDays.FindStringIndex(text); m != nil && m[0] < netReach && strings.Contains(text, "days") {
		return certain, false
	}
	if sure, refused = dutyIn(text); sure != none {
		return sure, false
	}
	if share.MatchString(text) && !excluded(text) {
		return certain, false
	}
	return none, refused
}

// SaysWhen reports whether a sentence, on one line, says when or how often a payment is
// due. The row of a price list, such as "Storage, per week: $9", does not.
func SaysWhen(sentence string) bool {
	text := passage.Lower(sentence)
	return (paying.MatchString(text) || verbal.MatchString(text)) && (dueOf(sentence) != "" || often.MatchString(text))
}

// paymentsOf returns the payments in the part s of a sentence, which may be an item of a list.
func (r *payer) paymentsOf(s, sentence layout.Span, text string, sure duty, listed bool) []finding.Found[insightapi.Payment] {
	quote := passage.OneLine(r.Quote(s))
	due := dueOf(quote)
	amounts := r.amounts.amountsIn(s)
	found, ranges := r.tiersOf(s, sentence, text, due)
	if len(found) > 0 {
		amounts = slices.DeleteFunc(amounts, func(a money.Amount) bool { return slices.ContainsFunc(ranges, a.Span.Overlaps) })
	}
	raw := r.Quote(s)
	if listed {
		amounts = withoutLongRows(raw, amounts)
	}
	sums, terms := sumsOf(raw, amounts, ranges)
	if len(found) == 0 && len(amounts) == 0 && len(sums) < 2 {
		f, ok := withoutAmount(quote, text, due, sure)
		if !ok {
			return nil
		}
		f.Span = sentence
		return []finding.Found[insightapi.Payment]{f}
	}
	for i, x := range sums {
		f := paymentOfShare(raw, x.Span, terms[i])
		if x.amount != nil {
			a := r.amounts.means().settle(*x.amount)
			a.Start, a.End = s.Start+a.Start, s.Start+a.End
			f = payment(r.Document, a, terms[i], r.amounts.rates)
		}
		f.Span = sentence
		found = append(found, f)
	}
	return found
}

// scaled matches an amount with its scale, tier the rate for a range of amounts, such as
// "$0 - $25,000,000 1.75%" or "> €5m: 2 %", and rate its end.
const scaled = `(?:US)?[$€£]\s?[\d.,]+(?:\s?(?:million|billion|m|k)\b)?`

var (
	tier = regexp.MustCompile(`(?i)(?:(?:\b(?:over|above|up to|under|below|first|next|more than|less than)|[<>≥≤])\s?` + scaled + `(?:\s?\+| and (?:over|above|more)| or more)?` +
		`|` + scaled + `\s?(?:[-–—]|to|and|up to)\s?(?:US)?[$€£]?\s?[\d.,]+(?:\s?(?:million|billion|m|k)\b)?` +
		`|` + scaled + `(?:\s?\+| and (?:over|above|more)| or more))[\s:|-]+(?:at )?\d{1,2}(?:\.\d+)?\s?(?:%|per ?cent\b)`)
	rate = regexp.MustCompile(`(?i)\d{1,2}(?:\.\d+)?\s?(?:%|per ?cent)$`)
)

// maxTiers is the maximum number of ranges that are read in a sentence.
const maxTiers = 16

// tiersOf returns a payment for each range of amounts in the part s of a sentence: its rate is
// paid, and not its amounts. It returns the ranges too, as spans of the part.
func (r *payer) tiersOf(s, sentence layout.Span, text, due string) (found []finding.Found[insightapi.Payment], ranges []layout.Span) {
	raw := r.Quote(s)
	for _, m := range tier.FindAllStringIndex(raw, maxTiers) {
		ranges = append(ranges, layout.Span{Start: m[0], End: m[1]})
		found = append(found, finding.Found[insightapi.Payment]{
			Item: insightapi.Payment{
				PaymentType: paymentType(text), PaymentLabel: labelled(paidFor(text), due), PaymentValue: passage.OneLine(rate.FindString(raw[m[0]:m[1]])),
			},
			Span: sentence, Reasoning: "The sentence requires this percentage of a range of amounts to be paid.", Confidence: 0.85,
		})
	}
	return found, ranges
}

// withoutAmount returns the payment in a sentence, as quote and as text in lower case, that
// names no amount: what part of the price or what percentage is due, when it is due, or what
// is paid. It returns false if the sentence says nothing of this.
func withoutAmount(quote, text, due string, sure duty) (f finding.Found[insightapi.Payment], ok bool) {
	f.Item.PaymentType = paymentType(text)
	part, rate := share.FindString(quote), percentage(quote)
	if sure == likely && strings.HasPrefix(rate, "100") || onlyMeasures(text) {
		rate = "" // all costs are borne by one party, or it measures something else
	}
	if rate == "" {
		rate = fraction(quote)
	}
	switch {
	case part != "":
		f.Item.PaymentLabel, f.Item.PaymentValue, f.Reasoning = "Part of the price: "+part, part, "The sentence says when part of the price is due."
	case rate != "":
		f.Item.PaymentLabel, f.Item.PaymentValue, f.Reasoning = labelled(paidFor(text), due), rate, "The sentence requires this percentage to be paid."
	case due != "":
		f.Item.PaymentLabel, f.Item.PaymentValue, f.Reasoning = "Payment is due "+lowerFirst(due), due, "The sentence says when a payment is due."
	case (sure == certain || redacted.MatchString(quote) && (paying.MatchString(text) || strings.Contains(text, "amount of") || atPrice(text))) && !saysManner(text):
		what := paidFor(text)
		f.Item.PaymentLabel, f.Item.PaymentValue, f.Reasoning = labelled(what, ""), what, "The sentence requires a payment."
	default:
		return f, false
	}
	f.Confidence = 0.7
	switch {
	case sure == likely:
		f.Confidence = 0.75
	case part != "", rate != "", due != "":
		f.Confidence = 0.85
	}
	return f, true
}

// active matches who pays.
var active = regexp.MustCompile(`\b(?:shall|will|must|agrees? to) (?:\w+ ){0,3}(?:pay|remit|reimburse)\b`)

// saysManner reports whether a sentence, in lower case, is about how payments are made. One
// that says who pays, and how the payment is sent, requires it too.
func saysManner(text string) bool {
	text = aside.ReplaceAllString(text, "")
	return manner.MatchString(text) || means.MatchString(text) && !active.MatchString(text)
}

// payNoun matches what is paid, with up to two words before it.
var payNoun = regexp.MustCompile(`((?:[a-z][a-z'-]*\s){0,2})\b(purchase price|price|fees?|deposits?|royalt(?:y|ies)|salary|compensation|penalt(?:y|ies)|liquidated damages|rent|wages?|bonus|commissions?|instal?lments?|milestone payments?|costs?|expenses?|charges?|interest|payments?|remuneration|amounts?|sums?|consideration|balance|share)\b`)

// redacted matches an amount that is left out or not filled in.
var redacted = regexp.MustCompile(`\[\s*[*•●…]|\*\*\*|[$€£]\s*[\[_*]|_{4}|\b(?:xxxx|XXXX)`)

// paidFor returns what a sentence says is paid, such as "reasonable costs".
func paidFor(text string) string {
	at := max(strings.Index(text, "pay "), strings.Index(text, "reimburse "), 0)
	m := payNoun.FindStringSubmatchIndex(text[at:])
	if m == nil {
		if m = payNoun.FindStringSubmatchIndex(text); m == nil {
			return "payment"
		}
		at = 0
	}
	return strings.ToLower(mentionAt(text[at:], m).label())
}

// labelled returns the label of a payment for something, with its due date.
func labelled(what, due string) string {
	if due != "" {
		what += ", " + lowerFirst(due)
	}
	return passage.SentenceCase(what)
}

// lowerFirst returns a phrase that may have begun a sentence as it is within one.
func lowerFirst(phrase string) string {
	first, size := utf8.DecodeRuneInString(phrase)
	return string(unicode.ToLower(first)) + phrase[size:]
}

// payment returns an amount with its terms as a payment.
func payment(d *structure.Document, a money.Amount, t terms, rates Rates) finding.Found[insightapi.Payment] {
	_, label, sure := valueWithin(d, a.Span, t.reach)
	if t.due != "" {
		label += ", " + lowerFirst(t.due)
	}
	value, currency, usd := a.Value.InexactFloat64(), a.Currency, rates.USD(a.Value, a.Currency)
	return finding.Found[insightapi.Payment]{
		Item: insightapi.Payment{
			PaymentType: t.kind, PaymentLabel: label, PaymentValue: passage.Text(d, a.Span), PaymentValueNumber: &value,
			PaymentValueUSD: usd, PaymentCurrency: &currency,
		},
		Reasoning: rates.because("The sentence requires this amount to be paid.", currency, usd), Confidence: sure + 0.1,
	}
}

// The types of payments that depend on more than one word.
const (
	oneTime     = "one_time"
	recurring   = "recurring"
	milestone   = "milestone"
	installment = "installment"
)

// staged matches a payment for a stage of the work.
var staged = regexp.MustCompile(`\bmilestones?\b|\bstage payments?\b|\bin (?:\w+ ){0,3}stages\b`)

// paymentType returns the type of a payment from the sentence that requires it.
func paymentType(text string) string {
	switch {
	case strings.Contains(text, "royalt"):
		return "royalty"
	case often.MatchString(text):
		return recurring
	case staged.MatchString(text):
		return milestone
	case strings.Contains(text, "installment") || strings.Contains(text, "instalment"):
		return installment
	case strings.Contains(text, "reimburse"):
		return "reimbursement"
	case strings.Contains(text, "invoice"):
		return "invoice"
	}
	return oneTime
}
