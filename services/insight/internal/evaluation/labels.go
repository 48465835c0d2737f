package evaluation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// LabelRequests asks for what is labelled. AddLabels measures the answer.
func LabelRequests() []insightapi.Request {
	return []insightapi.Request{
		{Type: insightapi.DocumentSigners}, {Type: insightapi.DocumentParties}, {Type: insightapi.ContractValues}, {Type: insightapi.Payments}, {Type: insightapi.DocumentClauses},
	}
}

// AddLabels measures an answer to LabelRequests about the plain text d. The spans of l are
// positions in it. What l does not label is not measured.
func (r *Report) AddLabels(d *layout.Document, a *insightapi.Answer, l Labels) {
	t := r.begin(d, a)
	if l.Signers != nil {
		var gold []signerGold
		for _, s := range l.Signers {
			gold = append(gold, signerGold{s.Name, value(s.Party), value(s.Title)})
		}
		r.signers(listed(a.DocumentSigners), gold)
	}
	if l.Parties != nil {
		addSet(r.score("parties"), listed(a.DocumentParties), func(p insightapi.Party) string { return partyKey(p.PartyName) },
			l.Parties, func(p PartyLabel) string { return partyKey(p.Name) })
	}
	if l.Values != nil {
		addSet(r.score("contract values"), listed(a.ContractValues), func(v insightapi.ContractValue) money { return money{v.ContractValue, v.Currency} },
			l.Values, func(v ValueLabel) money { return money{v.Amount, v.Currency} })
	}
	if l.Payments != nil {
		r.payments(t, listed(a.Payments), l)
	}
	if l.Clauses != nil {
		r.clausesOfKinds(t, listed(a.DocumentClauses), l.Clauses, LabelledKinds)
	}
}

// money is an amount in a currency.
type money struct {
	amount   float64
	currency string
}

// addSet counts the different values on both sides, without empty ones. A value is right if
// the other side has it.
func addSet[F, G any, V comparable](s *Score, found []F, valueOf func(F) V, gold []G, goldOf func(G) V) {
	has, said := map[V]bool{}, map[V]bool{}
	for _, g := range gold {
		has[goldOf(g)] = true
	}
	for _, f := range found {
		said[valueOf(f)] = true
	}
	var empty V
	delete(has, empty)
	delete(said, empty)
	for v := range said {
		s.addFound(has[v])
	}
	for v := range has {
		s.addGold(said[v])
	}
}

// nameAdditions are words that some spell with a name and others do not.
var nameAdditions = []string{
	"mr", "mrs", "ms", "miss", "dr", "prof", "professor", "ing", "lic", "mag", "atty", "engr", "chief", "hon", "smt", "shri", "dña", "dott", "esq", "jr", "sr", "ii", "iii", "ph", "phd", "md", "jd",
}

// nameAddition reports whether a word, in lower case, is such a word.
func nameAddition(w string) bool { return slices.Contains(nameAdditions, w) }

// personName returns a name for comparison: its words in lower case, without initials,
// titles and degrees.
func personName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return strings.Join(slices.DeleteFunc(words, func(w string) bool {
		return len([]rune(w)) < 2 || nameAddition(w)
	}), " ")
}

// payments scores payments. A payment is right if it overlaps a labelled one.
func (r *Report) payments(t *text, found []insightapi.Payment, l Labels) {
	var spans, gold []layout.Span
	var labels []PaymentLabel
	for _, p := range l.Payments {
		for _, span := range t.labelled(p.Span) {
			gold, labels = append(gold, span), append(labels, p)
		}
	}
	s, places := r.score("payments"), inTurn{t, map[string]int{}}
	var placed []insightapi.Payment
	for _, f := range found {
		span, ok := places.find(f.Place)
		if ok {
			spans, placed = append(spans, span), append(placed, f)
		}
		right := ok && slices.ContainsFunc(gold, span.Overlaps)
		s.addFound(right)
		r.Calibration.Add(f.ConfidenceScore, right)
	}
	for i, g := range gold {
		recalled := slices.ContainsFunc(spans, g.Overlaps)
		s.addGold(recalled)
		if recalled && (labels[i].Amount != nil || labels[i].Percentage != nil) {
			r.score("payments with their amounts").Add(true, true, labels[i].saidBy(placed, spans, g))
		}
	}
}

// saidBy reports whether one of the payments that overlap a label says its amount or its
// percentage.
func (p PaymentLabel) saidBy(found []insightapi.Payment, spans []layout.Span, at layout.Span) bool {
	for i, f := range found {
		if !spans[i].Overlaps(at) {
			continue
		}
		if p.Amount != nil && f.PaymentValueNumber != nil && *f.PaymentValueNumber == *p.Amount {
			return true
		}
		if value, ok := percentageOf(f.PaymentValue); p.Percentage != nil && ok && value == *p.Percentage {
			return true
		}
	}
	return false
}

// percentages matches a percentage, also one with a fraction, such as "1 1/2%".
var percentages = regexp.MustCompile(`(\d+(?:\.\d+)?)(?:[ -](\d)/(\d))?\)? ?(?:%|per ?cent)`)

// percentageOf returns the percentage in the value of a payment.
func percentageOf(value string) (float64, bool) {
	m := percentages.FindStringSubmatch(value)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if m[2] != "" && m[3] != "0" {
		x += float64(m[2][0]-'0') / float64(m[3][0]-'0')
	}
	return x, err == nil
}

// clausesOfKinds scores the clauses of the kinds that were labelled, each kind and all together. A
// clause is right if it shares at least half of the shorter of both with a labelled passage
// of its kind.
func (r *Report) clausesOfKinds(t *text, found []insightapi.Clause, labels []ClauseLabel, kinds []string) {
	gold, spans := map[string][]layout.Span{}, map[string][]layout.Span{}
	for _, c := range labels {
		gold[c.Kind] = append(gold[c.Kind], t.labelled(c.Span)...)
	}
	for _, f := range found {
		if !slices.Contains(kinds, f.ClauseType) {
			continue
		}
		span, err := t.find(item{insightapi.DocumentClauses, f.Place, listed(f.InsertionPositions)})
		right := err == nil && slices.ContainsFunc(gold[f.ClauseType], sharesHalf(span))
		if err == nil {
			spans[f.ClauseType] = append(spans[f.ClauseType], span)
		}
		r.score(allClauses).addFound(right)
		r.score(prefixClause + f.ClauseType).addFound(right)
		r.Calibration.Add(f.ConfidenceScore, right)
	}
	for kind, all := range gold {
		for _, g := range all {
			recalled := slices.ContainsFunc(spans[kind], sharesHalf(g))
			r.score(allClauses).addGold(recalled)
			r.score(prefixClause + kind).addGold(recalled)
		}
	}
}

// allClauses is the score of all labelled kinds of clauses together.
const allClauses = "clauses"

// sharesHalf returns a function that reports whether a span has at least half of the shorter
// of both in common with s.
func sharesHalf(s layout.Span) func(layout.Span) bool {
	return func(o layout.Span) bool {
		common := min(s.End, o.End) - max(s.Start, o.Start)
		return common > 0 && 2*common >= min(s.Len(), o.Len())
	}
}

// labelled returns the span of a label in bytes, or nothing if the text does not have it.
func (t *text) labelled(r Range) []layout.Span {
	s, ok := t.bytes(insightapi.Position{Start: r[0], End: r[1]})
	if !ok {
		return nil
	}
	return []layout.Span{s}
}
