package verify

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
)

// Findings are what a language model found in a document. Each rests on text of the
// document, and its values are those of that text. Confidence is that of the model alone;
// Reasoning is "". Lists are in the order of the text.
type Findings struct {
	Titles   []finding.Found[insightapi.Title]
	Types    []finding.Found[insightapi.TypeName]
	Signers  []finding.Found[insightapi.Signer]
	Clauses  []finding.Found[insightapi.Clause]
	Values   []finding.Found[insightapi.ContractValue]
	Dates    []finding.Found[insightapi.Date]
	Limits   []finding.Found[insightapi.Limit]
	Renewals []finding.Found[insightapi.Renewal]
	Payments []finding.Found[insightapi.Payment]
	// Answers holds the answers to each question, by its message.
	Answers map[string][]finding.Found[insightapi.PromptAnswer]
	Checks  Checks
}

// Checks counts what became of the quotes of a model.
type Checks struct {
	// Exact, Normalized and Fuzzy are the quotes that were found in the document, by how.
	Exact, Normalized, Fuzzy int
	// Ungrounded are the items that were dropped because the document does not have their
	// quote, or were not looked for because there are too many. Unverified are those whose
	// quote does not state their value.
	Ungrounded, Unverified int
}

// Plus returns the sum of c and o.
func (c Checks) Plus(o Checks) Checks {
	return Checks{
		Exact: c.Exact + o.Exact, Normalized: c.Normalized + o.Normalized, Fuzzy: c.Fuzzy + o.Fuzzy,
		Ungrounded: c.Ungrounded + o.Ungrounded, Unverified: c.Unverified + o.Unverified,
	}
}

// Combine returns the findings of several parts of a document, which may overlap. Of items
// with the same value and overlapping text it keeps the one with the highest confidence.
func Combine(parts []Findings) Findings {
	all := Findings{Answers: map[string][]finding.Found[insightapi.PromptAnswer]{}}
	for _, p := range parts {
		all.Titles = append(all.Titles, p.Titles...)
		all.Types = append(all.Types, p.Types...)
		all.Signers = append(all.Signers, p.Signers...)
		all.Clauses = append(all.Clauses, p.Clauses...)
		all.Values = append(all.Values, p.Values...)
		all.Dates = append(all.Dates, p.Dates...)
		all.Limits = append(all.Limits, p.Limits...)
		all.Renewals = append(all.Renewals, p.Renewals...)
		all.Payments = append(all.Payments, p.Payments...)
		for message, answers := range p.Answers {
			all.Answers[message] = append(all.Answers[message], answers...)
		}
		all.Checks = all.Checks.Plus(p.Checks)
	}
	return all.distinct()
}

// distinct returns f without duplicates, in the order of the text.
func (f Findings) distinct() Findings {
	f.Titles = distinct(f.Titles, func(t insightapi.Title) string { return t.Title })
	f.Types = distinct(f.Types, func(t insightapi.TypeName) string { return t.DocumentType })
	f.Signers = distinct(f.Signers, func(s insightapi.Signer) string { return s.SignerFullName })
	f.Clauses = distinct(f.Clauses, func(c insightapi.Clause) string { return c.ClauseType })
	f.Values = distinct(f.Values, func(v insightapi.ContractValue) string {
		return strconv.FormatFloat(v.ContractValue, 'g', -1, 64) + v.Currency
	})
	f.Dates = distinct(f.Dates, func(d insightapi.Date) string { return d.DateType + d.DateValue })
	f.Limits = distinct(f.Limits, func(l insightapi.Limit) string { return l.LimitType })
	f.Renewals = distinct(f.Renewals, func(r insightapi.Renewal) string { return r.TermValue })
	f.Payments = distinct(f.Payments, func(p insightapi.Payment) string { return p.PaymentValue })
	for message, answers := range f.Answers {
		f.Answers[message] = distinct(answers, func(a insightapi.PromptAnswer) string { return *a.Value })
	}
	return f
}

// distinct returns the found items without those that have the value and some text of
// another one. It puts them in the order of the text and keeps the first
// finding.MaxItems.
func distinct[T any](found []finding.Found[T], value func(T) string) []finding.Found[T] {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b finding.Found[T]) int {
		return cmp.Or(a.Span.Start-b.Span.Start, b.Span.End-a.Span.End, strings.Compare(value(a.Item), value(b.Item)))
	})
	// last is the index of the last item that was kept, by value, and ends where the text
	// of its duplicates ends.
	type group struct {
		last int
		ends layout.Span
	}
	groups, kept := map[string]group{}, found[:0]
	for _, f := range found {
		key := strings.ToLower(value(f.Item))
		g, seen := groups[key]
		if !seen || !g.ends.Overlaps(f.Span) {
			groups[key] = group{len(kept), f.Span}
			kept = append(kept, f)
			continue
		}
		g.ends.End = max(g.ends.End, f.Span.End)
		groups[key] = g
		if f.Confidence > kept[g.last].Confidence {
			kept[g.last] = f
		}
	}
	return finding.ByPlace(kept)
}
