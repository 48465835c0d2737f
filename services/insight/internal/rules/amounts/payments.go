package amounts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Patterns for sentences about payments, on one line in lower case.
var (
	paying = regexp.MustCompile(`\b(?:pay|pays|paid|payable|payments?|due|invoice[ds]?|remit(?:ted|s)?|reimburse[ds]?|royalt(?:y|ies)|fees?)\b`)
	// mayPay is a cheap test that every sentence about payments passes.
	mayPay  = regexp.MustCompile(`(?i)pa(?:y|id)|due|invoice|remit|reimburse|royalt|fee|\bnet\b|n/|%|per ?cent`)
	payVerb = regexp.MustCompile(`\b(?:shall|will|must|agrees? to|is|are|be)\b[^.;]{0,80}\b(?:pay|paid|payable|remit(?:ted)?|due|invoiced?|reimbursed?)\b|\bpayable\b|\bpayment terms\b|\bpays\b`)
	notPaid = regexp.MustCompile(`\b(?:insurance|coverage|indemnif\w+|par value|liab(?:le|ility)|in no event|not exceed)\b`)
	// dueByItself matches a due phrase that is worth reporting without an amount.
	dueByItself = regexp.MustCompile(`(?i)\d|\bdays\b|\breceipt\b`)
	often       = regexp.MustCompile(`\b(?:monthly|quarterly|annual(?:ly)?|yearly|weekly|bi-?weekly|semi-?annual(?:ly)?|per (?:calendar )?(?:day|week|month|quarter|year|annum|hour)|each (?:calendar |contract )?(?:day|week|month|quarter|year)|every (?:\w+ )?(?:days?|weeks?|months?|quarters?|years?)|an hour|hourly|(?:a|per) (?:month|year))\b`)
)

// Payments returns what must be paid: each amount with its due date or frequency, and,
// for a sentence without an amount, the due date or the part of the price.
func Payments(d *structure.Document, rates Rates) []finding.Found[insightapi.Payment] {
	var found []finding.Found[insightapi.Payment]
	means := denominationOf(d)
	for _, s := range d.Sentences {
		if len(found) >= finding.MaxItems {
			break
		}
		if kind := d.Paragraphs[s.Paragraph].Kind; kind == structure.Margin || kind == structure.Heading && s.Len() < passage.MinClause {
			continue
		}
		cut := passage.Cut(d.Text, s.Span)
		if !mayPay.MatchString(d.Quote(cut)) {
			continue
		}
		part := unconditional(d.Quote(cut))
		if text := passage.Lower(part); paymentTerms(text) {
			cut.End = cut.Start + len(part)
			found = append(found, paymentsOf(d, cut, s.Span, text, means, rates)...)
		}
	}
	return finding.ByPlace(found)
}

// paymentTerms reports whether a sentence, on one line in lower case, requires a payment
// or states payment terms.
func paymentTerms(text string) bool {
	if lending.MatchString(text) || notPaid.MatchString(text) {
		return false
	}
	if len(text) < passage.MinClause || netDays.MatchString(text) && len(text) < 3*passage.MinClause {
		return netDays.MatchString(text) && (paying.MatchString(text) || onlyNet.MatchString(text))
	}
	return paying.MatchString(text) && payVerb.MatchString(text) || share.MatchString(text)
}

// SaysWhen reports whether a sentence, on one line, says when or how often a payment is
// due.
func SaysWhen(sentence string) bool {
	return dueOf(sentence) != "" || often.MatchString(passage.Lower(sentence))
}

// paymentsOf returns the payments in the part s of a sentence.
func paymentsOf(d *structure.Document, s, sentence layout.Span, text string, means denomination, rates Rates) []finding.Found[insightapi.Payment] {
	quote := passage.OneLine(d.Quote(s))
	due := dueOf(quote)
	amounts := amountsIn(d, s, sentence)
	if len(amounts) == 0 {
		f, ok := withoutAmount(quote, text, due)
		if !ok {
			return nil
		}
		f.Span = sentence
		return []finding.Found[insightapi.Payment]{f}
	}
	var found []finding.Found[insightapi.Payment]
	for _, a := range amounts {
		a = means.settle(a)
		a.Start, a.End = s.Start+a.Start, s.Start+a.End
		f := payment(d, a, text, due, rates)
		f.Span = sentence
		found = append(found, f)
	}
	return found
}

// withoutAmount returns the payment in a sentence, as quote and as text in lower case,
// that says when something is due or what part of the price, but no amount.
func withoutAmount(quote, text, due string) (f finding.Found[insightapi.Payment], ok bool) {
	part := share.FindString(quote)
	if part == "" && !dueByItself.MatchString(due) {
		return f, false
	}
	f = finding.Found[insightapi.Payment]{
		Item:      insightapi.Payment{PaymentType: paymentType(text), PaymentLabel: "Payment is due " + due, PaymentValue: due},
		Reasoning: "The sentence says when a payment is due.", Confidence: 0.62,
	}
	if part != "" {
		f.Item.PaymentLabel, f.Item.PaymentValue, f.Reasoning = "Part of the price: "+part, part, "The sentence says when part of the price is due."
	}
	return f, true
}

// payment returns an amount of a sentence in lower case as a payment that is due then.
func payment(d *structure.Document, a money.Amount, text, due string, rates Rates) finding.Found[insightapi.Payment] {
	_, label, sure := valueOf(d, a.Span)
	if due != "" {
		label += ", " + due
	}
	value, currency := a.Value.InexactFloat64(), a.Currency
	return finding.Found[insightapi.Payment]{
		Item: insightapi.Payment{
			PaymentType: paymentType(text), PaymentLabel: label, PaymentValue: passage.Text(d, a.Span), PaymentValueNumber: &value,
			PaymentValueUSD: rates.USD(a.Value, a.Currency), PaymentCurrency: &currency,
		},
		Reasoning: "The sentence requires this amount to be paid.", Confidence: sure - 0.1,
	}
}

// Limits for the amounts of a sentence: how many are read, and how many bytes after the
// part that is read.
const (
	maxAmounts  = 20
	amountReach = 80
)

// amountsIn returns the amounts in the part s of a sentence. It skips an amount that
// continues after s, because its first digits alone are a different amount.
func amountsIn(d *structure.Document, s, sentence layout.Span) []money.Amount {
	amounts := money.Find(d.Text[s.Start:max(s.End, min(sentence.End, s.End+amountReach))], maxAmounts)
	return slices.DeleteFunc(amounts, func(a money.Amount) bool { return a.End > s.Len() })
}

// paymentType returns the type of a payment from the sentence that requires it.
func paymentType(text string) string {
	switch {
	case strings.Contains(text, "royalt"):
		return "royalty"
	case often.MatchString(text):
		return "recurring"
	case strings.Contains(text, "milestone"):
		return "milestone"
	case strings.Contains(text, "installment") || strings.Contains(text, "instalment"):
		return "installment"
	case strings.Contains(text, "reimburse"):
		return "reimbursement"
	case strings.Contains(text, "invoice"):
		return "invoice"
	}
	return "one_time"
}
