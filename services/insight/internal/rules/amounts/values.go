// Package amounts finds the amounts of money in a contract: their purpose, their
// currency, their value in US dollars, and when they must be paid.
package amounts

import (
	"slices"
	"strings"
	"sync"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/money"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// valueReach is how many bytes around an amount are read.
const valueReach = 160

// valueNoun matches a word for an amount, with up to two words before it.
var valueNoun = regexp.MustCompile(`((?:[a-z][a-z'-]*\s){0,2})\b(purchase price|price|fees?|deposits?|royalt(?:y|ies)|salary|compensation|penalt(?:y|ies)|liquidated damages|` +
	`liability|insurance|coverage|insured?|combined single limit|rent|wages?|bonus|commissions?|budget|commitment|minimum|capital|investment|contribution|loan|principal|` +
	`instal?lments?|milestone|cost|costs|expenses?|charges?|rate|payments?|payment|damages|amount|sum|total|consideration|credit|revenues?|sales|shares?|stock|value)\b`)

// valueTypes maps a word for an amount to the type of the value.
var valueTypes = map[string]string{
	"purchase price": "price", "price": "price", "fee": "fee", "fees": "fee", "deposit": "deposit", "deposits": "deposit",
	"royalty": "royalty", "royalties": "royalty", "salary": "salary", "compensation": "salary", "wage": "salary", "wages": "salary",
	"bonus": "bonus", "penalty": "penalty", "penalties": "penalty", "liquidated damages": "penalty", "liability": "cap",
	"insurance": "insurance", "coverage": "insurance", "insured": "insurance", "insure": "insurance", "combined single limit": "insurance", "rent": "rent",
	"commission": "commission", "commissions": "commission", "budget": "budget", "commitment": "minimum", "minimum": "minimum",
	"capital": "investment", "investment": "investment", "contribution": "investment", "loan": "loan", "principal": "loan",
	"installment": "payment", "installments": "payment", "instalment": "payment", "instalments": "payment", "milestone": "milestone",
	"cost": "expense", "costs": "expense", "expense": "expense", "expenses": "expense", "charge": "fee", "charges": "fee", "rate": "rate",
	"payment": "payment", "payments": "payment", "total": "total", "consideration": "total",
}

// past matches text before an amount that tells the history of a party or of a relation: what
// it sold, raised, spent or insured. promises matches text in which such words are terms.
var (
	past = regexp.MustCompile(`\b(?:had|has|have|reported|achieved|produced|received|generated|closed)\b[^.;]{0,60}\b(?:turnover|revenues?|sales|premiums|proceeds|financing)\b[^.;]{0,20}\bof(?: about| roughly| approximately| some| over)?$` +
		`|\b(?:has|have|had) (?:\w+ )?(?:spent|invested|raised|paid out)\b[^.;]{0,30}$|\blast year\b[^.;]{0,40}\b(?:of|at|for)(?: an?)?(?: \w+ of)?$|\b(?:which|charges|fees|costs|price|rent|proposal|quote|offer)\b[^.;]{0,12}\b(?:was|were)(?: for)?(?: about| roughly)?$`)
	promises = regexp.MustCompile(`\b(?:shall|will|must|agrees?|if|until|unless|exceed\w*|provided|once|after)\b`)
)

// Values returns the amounts of money in a contract; see Reader.Values.
func Values(d *structure.Document, rates Rates) []finding.Found[insightapi.ContractValue] {
	return NewReader(d, rates).Values()
}

// Values returns the amounts of money in the contract, each with its value in US dollars.
func (r *Reader) Values() []finding.Found[insightapi.ContractValue] {
	var found []finding.Found[insightapi.ContractValue]
	d, weights := r.doc, sync.OnceValue(func() bool { return weighsPounds(r.doc) })
	for _, a := range r.found() {
		if !passage.InBody(d, a.Start) || strings.HasSuffix(strings.ToLower(d.Quote(a.Span)), "pounds") && weights() {
			continue
		}
		if before, _ := passage.Around(d, a.Span, valueReach); past.MatchString(before) && !promises.MatchString(before) {
			continue
		}
		found = append(found, value(d, r.means().settle(a), r.rates))
	}
	return found
}

// withColumns adds the amounts in columns to the others, without those that are part of one.
func withColumns(found, columns []money.Amount) []money.Amount {
	next := 0
	var all []money.Amount
	for _, c := range columns {
		for next < len(found) && found[next].End <= c.Start {
			all, next = append(all, found[next]), next+1
		}
		if next == len(found) || found[next].Start >= c.End {
			all = append(all, c)
		}
	}
	all = append(all, found[next:]...)
	return all[:min(len(all), finding.MaxItems)]
}

// value returns an amount as a value of the contract.
func value(d *structure.Document, a money.Amount, rates Rates) finding.Found[insightapi.ContractValue] {
	kind, label, sure := valueOf(d, a.Span)
	usd := rates.USD(a.Value, a.Currency)
	return finding.Found[insightapi.ContractValue]{
		Item: insightapi.ContractValue{
			ContractValueType: kind, ContractValueLabel: label, ContractValue: a.Value.InexactFloat64(), Currency: a.Currency,
			ContractValueUSD: usd,
		},
		Span: a.Span, Reasoning: rates.because("The document states this amount: "+strings.ToLower(label)+".", a.Currency, usd), Confidence: sure,
	}
}

// valueOf returns the type of an amount, its label, and the confidence.
func valueOf(d *structure.Document, s layout.Span) (kind, label string, sure float64) {
	return valueWithin(d, s, valueReach)
}

// valueWithin is valueOf, but reads at most reach bytes after the amount.
func valueWithin(d *structure.Document, s layout.Span, reach int) (kind, label string, sure float64) {
	before, after := passage.Around(d, s, valueReach)
	after = after[:min(len(after), reach)]
	before = passage.WithLabel(d, s, before)
	if strings.HasSuffix(before, "par value") || strings.Contains(after[:min(len(after), 40)], "par value") {
		return "other", "Par value", 0.8
	}
	m, named := nearest(before, after)
	switch kind := m.kind(); {
	case kind != "cap" && isCap(d, s, before):
		return "cap", "Liability cap", 0.8
	case liability.From(before):
		return "other", "Threshold for claims", 0.7
	case kind != "":
		return kind, m.label(), 0.8
	case named:
		return "other", m.label(), 0.7
	}
	if label := passage.LabelOf(d, s); label != "" {
		return "other", passage.SentenceCase(strings.ToLower(label)), 0.7
	}
	if label := rowLabel(d, s); label != "" {
		return "other", label, 0.7
	}
	if i := passage.SentenceAt(d, s.Start); i >= 0 {
		if t := passage.SectionTitle(d, d.Sentences[i].Paragraph); t != "" && len(t) < 80 {
			return "other", passage.SentenceCase(strings.ToLower(t)), 0.65
		}
	}
	return "other", "Amount", 0.6
}

// isCap reports whether an amount after a text is a limit of liability.
func isCap(d *structure.Document, s layout.Span, before string) bool {
	if liability.Limits(before) {
		return true
	}
	before, _ = passage.Around(d, s, liability.Reach)
	return liability.LimitsOr(before)
}

// mention is a word that says what an amount is for, with the words before it.
type mention struct{ lead, noun string }

// nearest returns the mention closest to an amount: the last one before it or, if that is
// far away, the first one after it.
func nearest(before, after string) (mention, bool) {
	last := mentionsIn(before)
	var first []int
	if all := mentionsIn(after); len(all) > 0 {
		first = all[0]
	}
	switch {
	case len(last) > 0 && (first == nil || len(before)-last[len(last)-1][1] <= first[0]+20):
		return mentionAt(before, last[len(last)-1]), true
	case first != nil && first[4] < 60:
		return mentionAt(after, first), true
	case len(last) > 0:
		return mentionAt(before, last[len(last)-1]), true
	}
	return mention{}, false
}

// Patterns for the text after the word "principal". mainly matches a word, after which it may be an
// adjective: "principal place of business". sumsLent matches the words that follow the noun.
var (
	mainly   = regexp.MustCompile(`^ [a-z]`)
	sumsLent = regexp.MustCompile(`^ (?:amounts?|sums?|balances?|and|or|of|is|are|was|shall|will|must|to|plus|in|on|at|due|outstanding|payable|repay\w*|payments?|instal?lments?|debts?|indebtedness|under|then|with|by|for|from|as|has|may|being|remain\w*|hereof|thereof|hereunder)\b`)
)

// mentionsIn returns the places of the words for amounts in a text in lower case.
func mentionsIn(text string) [][]int {
	return slices.DeleteFunc(valueNoun.FindAllStringSubmatchIndex(text, -1), func(m []int) bool {
		rest := text[m[1]:]
		if strings.HasSuffix(text[:m[0]], "principal ") {
			return true // "principal sum"
		}
		return text[m[4]:m[5]] == "principal" && mainly.MatchString(rest) && !sumsLent.MatchString(rest)
	})
}

func mentionAt(s string, m []int) mention { return mention{s[m[2]:m[3]], s[m[4]:m[5]]} }

// insuring matches the words before "liability" that make it the name of an insurance.
var insuring = regexp.MustCompile(`\b(?:public|general|products?|professional|employers?'?|automobile|motor|vehicle|umbrella|cyber)\b`)

// kind returns the type of the value, "" if the word does not tell.
func (m mention) kind() string {
	switch {
	case m.noun == "liability" && insuring.MatchString(m.lead):
		return "insurance"
	case valueTypes[m.noun] == "" && strings.HasSuffix(m.lead, "principal "):
		return "loan"
	}
	return valueTypes[m.noun]
}

// label returns the name of an amount, such as "Monthly license fee".
func (m mention) label() string {
	words := strings.Fields(m.lead)
	for i := len(words) - 1; i >= 0; i-- {
		if passage.IsEmpty(words[i]) {
			words = words[i+1:]
			break
		}
	}
	return passage.SentenceCase(strings.Join(append(words, m.noun), " "))
}
