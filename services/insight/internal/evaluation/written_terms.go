package evaluation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// WrittenTerms says which terms a written contract states, in the form of the files in
// tests/bench/written, whose README defines every member. A list is nil if its terms were not
// labelled. Each quote is part of the text.
type WrittenTerms struct {
	Type      *string           `json:"type"`
	Values    []WrittenValue    `json:"contract_values"`
	Payments  []WrittenPayment  `json:"payments"`
	Limits    []WrittenLimit    `json:"limits"`
	Renewal   *WrittenRenewal   `json:"renewal"`
	Dates     []WrittenDate     `json:"dates"`
	Clauses   []WrittenClause   `json:"clauses"`
	Questions []WrittenQuestion `json:"questions"`
}

// WrittenValue is an amount of money, with a type of ValueLabel.
type WrittenValue struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
	Type     string  `json:"type"`
	Quote    string  `json:"quote"`
}

// WrittenPayment is a sentence or a row that requires a payment. Members that it does not state
// are nil.
type WrittenPayment struct {
	Quote      string   `json:"quote"`
	Amount     *float64 `json:"amount"`
	Percentage *float64 `json:"percentage"`
	Currency   *string  `json:"currency"`
	Due        *string  `json:"due"`
}

// WrittenLimit is a sentence about limits of liability, with a type of insightapi.Limit. Value
// is the amount of a cap or the words that define it, nil for others.
type WrittenLimit struct {
	Type  string  `json:"type"`
	Quote string  `json:"quote"`
	Value *string `json:"value"`
}

// WrittenRenewal says how a contract is renewed. Length and Notice are periods such as
// "1 year", nil if they are not stated. Notice prevents a renewal.
type WrittenRenewal struct {
	Automatic bool    `json:"automatic"`
	Length    *string `json:"length"`
	Notice    *string `json:"notice"`
	Quote     string  `json:"quote"`
}

// WrittenDate is a date of a kind of insightapi.Date.
type WrittenDate struct {
	Kind  string `json:"kind"`
	Date  string `json:"date"`
	Quote string `json:"quote"`
}

// WrittenClause is a passage that states a clause.
type WrittenClause struct {
	Kind  string `json:"kind"`
	Quote string `json:"quote"`
}

// WrittenQuestion is a question about a contract. Quote is the passage that answers it, nil if
// the contract does not. Value is the shortest answer, nil if only the passage is one.
type WrittenQuestion struct {
	Question string  `json:"question"`
	Quote    *string `json:"quote"`
	Value    *string `json:"value"`
}

// Requests asks for everything about the contract that has a place, and the questions. AddWritten
// measures the answer.
func (w Written) Requests() []insightapi.Request {
	requests := ContractRequests()
	for _, q := range w.Questions {
		requests = append(requests, insightapi.Request{Type: insightapi.CustomPrompt, Message: q.Question})
	}
	return requests
}

// writtenTerms is the part of AddWritten about WrittenTerms.
func (r *Report) writtenTerms(a *insightapi.Answer, set string, w Written) {
	t := newText(&layout.Document{Text: w.Text})
	if w.Type != nil {
		kind := ""
		if types := listed(a.DocumentType); len(types) > 0 {
			kind = types[0].DocumentType
		}
		r.score("type").Add(kind != "", true, NameWithin(kind, *w.Type))
	}
	if w.Values != nil {
		addSet(r.score("contract values"), listed(a.ContractValues), func(v insightapi.ContractValue) money { return money{v.ContractValue, v.Currency} },
			w.Values, func(v WrittenValue) money { return money{v.Amount, v.Currency} })
	}
	if w.Payments != nil {
		labels := Labels{}
		for _, p := range w.Payments {
			labels.Payments = append(labels.Payments, PaymentLabel{Amount: p.Amount, Percentage: p.Percentage, Currency: p.Currency, Due: p.Due, Span: t.rangeOf(p.Quote)})
		}
		r.payments(t, listed(a.Payments), labels)
	}
	if w.Limits != nil {
		r.writtenLimits(t, listed(a.LimitOfLiability), w.Limits)
	}
	if w.Clauses != nil {
		var labels []ClauseLabel
		for _, c := range w.Clauses {
			labels = append(labels, ClauseLabel{c.Kind, t.rangeOf(c.Quote)})
		}
		r.clausesOfKinds(t, listed(a.DocumentClauses), labels, KindsOf(set))
	}
	if w.Values != nil { // renewals are labelled in the same sets
		r.writtenRenewal(a, w.Renewal)
	}
	for _, d := range w.Dates {
		r.score("other dates, recall").addGold(slices.ContainsFunc(listed(a.DocumentDates), func(f insightapi.Date) bool { return f.DateValue == d.Date }))
	}
	for _, q := range w.Questions {
		r.writtenQuestion(t, listed(a.CustomPrompt), q)
	}
}

// rangeOf returns the characters of the first place of a quote.
func (t *text) rangeOf(quote string) Range {
	before, _, found := strings.Cut(t.Text, quote)
	if !found || quote == "" {
		return Range{}
	}
	start := utf8.RuneCountInString(before)
	return Range{start, start + utf8.RuneCountInString(quote)}
}

// writtenLimits scores limits of liability. A limit is right if it shares at least half of the
// shorter of both with a labelled one of its type, and the value of a cap if it has the same
// letters and digits, or is part of the label or the other way round.
func (r *Report) writtenLimits(t *text, found []insightapi.Limit, labels []WrittenLimit) {
	spans := map[string][]layout.Span{}
	gold := map[string][]layout.Span{}
	for _, l := range labels {
		gold[l.Type] = append(gold[l.Type], t.labelled(t.rangeOf(l.Quote))...)
	}
	for _, f := range found {
		s, err := t.find(item{insightapi.LimitOfLiability, f.Place, placed(f.InsertionPositions)})
		right := err == nil && slices.ContainsFunc(gold[f.LimitType], sharesHalf(s))
		if err == nil {
			spans[f.LimitType] = append(spans[f.LimitType], s)
		}
		r.score("limit " + f.LimitType).addFound(right)
		r.Calibration.Add(f.ConfidenceScore, right)
	}
	for _, l := range labels {
		for _, g := range t.labelled(t.rangeOf(l.Quote)) {
			r.score("limit " + l.Type).addGold(slices.ContainsFunc(spans[l.Type], sharesHalf(g)))
			if l.Value == nil {
				continue
			}
			for _, f := range found {
				if s, err := t.find(item{insightapi.LimitOfLiability, f.Place, placed(f.InsertionPositions)}); err == nil && f.LimitType == l.Type && sharesHalf(g)(s) {
					r.score("value of a cap").Add(f.LimitValue != "", true, NameWithin(f.LimitValue, *l.Value))
					break
				}
			}
		}
	}
}

// writtenKinds are the kinds of clauses that are labelled in all written contracts.
var writtenKinds = []string{
	"Amendment", "Anti-Assignment", "Arbitration", "Assignment Permitted", "Audit Rights", "Change Of Control", "Confidentiality", "Counterparts",
	"Data Protection", "Dispute Resolution", "Entire Agreement", "Exclusivity", "Force Majeure", "Governing Law", "IP Ownership Assignment",
	"Indemnification", "Insurance", "Jurisdiction And Venue", "License Grant", "Liquidated Damages", "Minimum Commitment", "No-Solicit Of Employees",
	"Non-Compete", "Notices", "Severability", "Survival", "Term", "Termination For Cause", "Termination For Convenience", "Third Party Beneficiary",
	"Waiver", "Warranty Duration",
}

// writtenRenewal scores the renewal and the notice that prevents it. w is nil for none.
func (r *Report) writtenRenewal(a *insightapi.Answer, w *WrittenRenewal) {
	c := Contract{}
	if w != nil {
		c.Answers = map[string]string{"Renewal Term": value(w.Length), "Notice Period to Terminate Renewal": value(w.Notice)}
	}
	r.renewals(listed(a.RenewalTermLength), c)
	r.notice(listed(a.DocumentClauses), c)
}

// writtenQuestion scores the first answer to a question: whether there is one, whether its
// passage answers it, and whether it gives the value.
func (r *Report) writtenQuestion(t *text, found []insightapi.PromptAnswer, q WrittenQuestion) {
	var best *insightapi.PromptAnswer
	for i, f := range found {
		if f.Message == q.Question && answered(f) {
			best = &found[i]
			break
		}
	}
	due := q.Quote != nil
	r.score(scoreAnswered).Add(best != nil, due, true)
	r.score(scoreUnanswered).Add(best == nil, !due, true)
	right := false
	if best != nil && due {
		s, err := t.search(best.Place)
		right = err == nil && slices.ContainsFunc(t.labelled(t.rangeOf(*q.Quote)), s.Overlaps)
	}
	r.score("answers").Add(best != nil, due, right)
	if best != nil {
		r.Calibration.Add(best.ConfidenceScore, right)
	}
	if q.Value != nil {
		r.score("values of answers").Add(best != nil && len(*best.Value) < len(best.Place.Quote), true, right && SameValue(*best.Value, *q.Value))
	}
}

// SameValue reports whether an answer gives a value: it has the same letters and digits, or is
// at most 30 characters longer or shorter and one contains the other, or both are the same day or
// the same period.
func SameValue(answer, gold string) bool {
	x, _ := goldDate(answer)
	y, _ := goldDate(gold)
	if x != "" && x == y {
		return true
	}
	x, _ = goldMonths(answer)
	y, _ = goldMonths(gold)
	if x != "" && x == y {
		return true
	}
	difference := len(answer) - len(gold)
	return SameName(answer, gold) || NameWithin(answer, gold) && max(difference, -difference) <= 30
}

// KindsOf returns the kinds of clauses that are labelled in a set, nil for none.
func KindsOf(set string) []string {
	switch {
	case strings.HasPrefix(set, "terms"):
		return writtenKinds
	case strings.HasPrefix(set, "clauses"):
		return slices.Concat(writtenKinds, moreKinds)
	case strings.HasPrefix(set, "sections"):
		return slices.Concat(writtenKinds, moreKinds, rareKinds)
	case strings.HasPrefix(set, "filings"):
		return slices.Concat(writtenKinds, moreKinds, rareKinds, filedKinds)
	}
	return nil
}

// Kinds of clauses that are labelled in some sets beside writtenKinds.
var (
	moreKinds = []string{
		"Cap On Liability", "Joint IP Ownership", "Most Favored Nation", "No-Solicit Of Customers", "Non-Disparagement", "Post-Termination Services",
		"Price Restrictions", "ROFR/ROFO/ROFN", "Renewal Term", "Revenue/Profit Sharing", "Source Code Escrow", "Uncapped Liability",
	}
	rareKinds = []string{
		"Covenant Not To Sue", "Irrevocable Or Perpetual License", "Non-Transferable License", "Notice Period To Terminate Renewal",
		"Unlimited/All-You-Can-Eat-License", "Volume Restriction",
	}
	filedKinds = []string{"Affiliate License-Licensee", "Affiliate License-Licensor", "Competitive Restriction Exception"}
)
