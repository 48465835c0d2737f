package amounts

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Reader reads the amounts of one document. It computes once what several insights share, and is
// safe for concurrent use.
type Reader struct {
	doc   *structure.Document
	rates Rates
	found func() []money.Amount
	means func() denomination
}

// NewReader returns a Reader for d that converts to US dollars with rates.
func NewReader(d *structure.Document, rates Rates) *Reader {
	found := sync.OnceValue(func() []money.Amount {
		found := withinCells(d, money.Find(d.Text, finding.MaxItems))
		found = withColumns(found, money.InColumns(d.Text, finding.MaxItems))
		return withColumns(found, inRows(d))
	})
	return &Reader{doc: d, rates: rates, found: found, means: sync.OnceValue(func() denomination { return denominationOf(d, found()) })}
}

// Limits for the amounts at a place: how many are read, and how many bytes around it. An
// amount that begins before the place, or ends after it, is read as a whole.
const (
	maxWithin     = 64
	aroundAmounts = 2 * valueReach
)

// Within returns the amounts that a span contains or cuts.
func (r *Reader) Within(s layout.Span) []money.Amount {
	from, to := max(0, s.Start-aroundAmounts), min(len(r.doc.Text), s.End+aroundAmounts)
	var found []money.Amount
	for _, a := range money.Find(r.doc.Text[from:to], maxWithin) {
		a.Start, a.End = a.Start+from, a.End+from
		if !a.Overlaps(s) {
			continue
		}
		found = append(found, r.means().settle(a))
	}
	return found
}

// maxAmounts is the maximum number of amounts that are read of a sentence.
const maxAmounts = 20

// amountsIn returns the amounts in a part of the text that are no thresholds, with their places in the
// part. It leaves out an amount that continues after the part, because its first digits alone are a
// different amount.
func (r *Reader) amountsIn(s layout.Span) []money.Amount {
	all := r.found()
	first, _ := slices.BinarySearchFunc(all, s.Start, func(a money.Amount, at int) int { return cmp.Compare(a.Start, at) })
	var found []money.Amount
	for _, a := range all[first:] {
		if a.Start >= s.End || len(found) == maxAmounts {
			break
		}
		if a.End <= s.End && !threshold(r.doc.Text[s.Start:a.Start]) {
			a.Start, a.End = a.Start-s.Start, a.End-s.Start
			found = append(found, a)
		}
	}
	return found
}

// Value returns an amount as a value of the contract, as Values does.
func (r *Reader) Value(a money.Amount) finding.Found[insightapi.ContractValue] {
	return value(r.doc, a, r.rates)
}

// notDue matches a denial of a payment, in lower case.
var notDue = regexp.MustCompile(`\b(?:shall|will|must|need|does|do|is|are) not (?:be )?(?:pay|payable|due|(?:required|obliged|obligated) to (?:pay|reimburse))\b|\bno (?:\w+ )?(?:fees?|payments?|royalt(?:y|ies)|commissions?|compensation) (?:\w+ ){0,4}(?:shall|will|is|are)\b|^\W*no (?:\w+[ ,]+){1,20}(?:shall|will)\b`)

// requires reports whether a sentence, on one line, is about a payment and does not deny
// one.
func requires(quote string) bool {
	text := passage.Lower(quote)
	return (paying.MatchString(text) || paymentDuty(text) != none) && !notDue.MatchString(text)
}

// Payment returns an amount that a sentence requires to be paid, as Payments does. It
// returns false if the sentence is not about a payment.
func (r *Reader) Payment(a money.Amount, sentence layout.Span) (finding.Found[insightapi.Payment], bool) {
	f := payment(r.doc, a, r.termsFor(a, sentence), r.rates)
	f.Span = sentence
	return f, requires(passage.Text(r.doc, sentence))
}

// termsFor returns what a sentence says about one of its amounts.
func (r *Reader) termsFor(a money.Amount, sentence layout.Span) terms {
	sums, all := sumsOf(r.doc.Quote(sentence), r.amountsIn(sentence), nil)
	for i, x := range sums {
		if x.Start+sentence.Start < a.End && a.Start < x.End+sentence.Start {
			return all[i]
		}
	}
	return termsIn(r.doc.Quote(sentence))
}

// maxUnpriced is the maximum length in bytes of the value of a payment without an amount.
const maxUnpriced = 300

// Unpriced returns a payment without an amount: when it is due, what part of the price it
// is or, if the sentence says neither, the quoted text. It returns false if the sentence
// is not about a payment.
func (r *Reader) Unpriced(quoted, sentence layout.Span) (finding.Found[insightapi.Payment], bool) {
	quote := passage.Text(r.doc, sentence)
	text := passage.Lower(quote)
	f, ok := withoutAmount(quote, text, dueOf(quote), likely)
	if !ok {
		quoted.End = min(quoted.End, quoted.Start+maxUnpriced)
		value := passage.OneLine(strings.ToValidUTF8(r.doc.Quote(quoted), ""))
		f.Item = insightapi.Payment{PaymentType: paymentType(text), PaymentLabel: "Payment", PaymentValue: value}
	}
	f.Span = sentence
	return f, requires(quote)
}
