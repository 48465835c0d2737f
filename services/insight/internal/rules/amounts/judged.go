package amounts

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// What the rules say about a sentence. Learned weights use it to judge whether the sentence
// requires a payment.
const (
	voteFound    = iota // the rules find a payment
	voteCertain         // a part of it requires a payment in so many words
	voteLikely          // a part of it may require one
	voteExcluded        // it requires a payment that is not a term of the contract, such as a tax
	voteListed          // it is an item of a list of payments
	voteAmount          // it names an amount of money
	voteMay             // it has a word that sentences about payments have
)

// VotesOfPayments are the votes of the rules that find a payment.
const VotesOfPayments learn.Votes = 1 << voteFound

// The probabilities from which the weights find a payment that the rules do not find, and up
// to which they drop one that the rules find. By folds, F1 is about the same for an addFrom
// between 0.4 and 0.5, and a dropUpTo between 0.3 and 0.4.
const (
	addFrom  = 0.45
	dropUpTo = 0.35
)

// Votes returns the votes of the rules on each sentence of a document.
func Votes(d *structure.Document) []learn.Votes {
	r := &payer{Document: d, amounts: NewReader(d, Rates{})}
	votes := make([]learn.Votes, len(d.Sentences))
	for i, read := range r.all() {
		votes[i] = read.votes
	}
	return votes
}

// Judged reports whether the weights judge a sentence with such votes. No payment is found in
// other sentences.
func Judged(v learn.Votes) bool { return v&(1<<voteMay|1<<voteFound|1<<voteAmount) != 0 }

// judge returns the payments of the sentences that the weights accept. read holds what the
// rules find in each sentence.
func (r *payer) judge(m *learn.Model, words *learn.Words, read []reading) []finding.Found[insightapi.Payment] {
	features := m.Features()
	votes := make([]learn.Votes, len(read))
	for i := range read {
		votes[i] = read[i].votes
	}
	var found []finding.Found[insightapi.Payment]
	for i := range read {
		if len(found) >= finding.MaxItems {
			break
		}
		if !Judged(votes[i]) {
			continue
		}
		p, byRule := m.Judge(features, words, votes, i), len(read[i].found) > 0
		switch {
		case byRule && p > dropUpTo:
			found = append(found, withConfidence(read[i].found, p)...)
		case !byRule && p >= addFrom:
			reason := finding.Weighed("a payment", r.Document, m.Explained(features, words, votes, i, p))
			found = append(found, withConfidence(r.weighed(i, votes[i], reason), p)...)
		}
	}
	return found
}

// withConfidence sets the confidence of payments.
func withConfidence(found []finding.Found[insightapi.Payment], p float64) []finding.Found[insightapi.Payment] {
	for i := range found {
		found[i].Confidence = p
	}
	return found
}

// weighed returns the payments of sentence i, in which the rules find none: each amount or, if
// there is none, the part of the price, when it is due, or what is paid.
func (r *payer) weighed(i int, votes learn.Votes, reason string) []finding.Found[insightapi.Payment] {
	s, text := r.Sentences[i].Span, r.Sentences[i].Lower
	cut := passage.Cut(r.Text, s)
	found := r.paymentsOf(cut, s, text, certain, votes&(1<<voteListed) != 0)
	if len(found) == 0 {
		what := paidFor(text)
		found = []finding.Found[insightapi.Payment]{{Span: s, Item: insightapi.Payment{
			PaymentType: paymentType(text), PaymentLabel: labelled(what, ""), PaymentValue: what,
		}}}
	}
	for i := range found {
		x := &found[i].Item
		found[i].Reasoning = reason
		if x.PaymentCurrency != nil {
			found[i].Reasoning = r.amounts.rates.because(reason, *x.PaymentCurrency, x.PaymentValueUSD)
		}
	}
	return found
}
