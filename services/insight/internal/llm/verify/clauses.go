package verify

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/period"
	"github.com/rectohq/recto/services/insight/internal/rules/renewals"
)

// statement returns the sentences that a quote is part of. A part of a sentence alone may
// mean the opposite of the whole. It reports false if the quote points to none.
func (r *reader) statement(s layout.Span) (layout.Span, bool) {
	whole, _ := sentences(r.doc, s)
	return whole, saying(r.doc, s)
}

// clause returns the sentences of the quote as a clause of a known kind.
func (r *reader) clause(c prompts.Clause, s layout.Span, confidence float64) (finding.Found[insightapi.Clause], bool) {
	kinds := rules.ClauseKinds()
	i := slices.IndexFunc(kinds, func(k string) bool { return strings.EqualFold(k, c.Type) })
	whole, says := r.statement(s)
	if i < 0 || !says {
		return finding.Found[insightapi.Clause]{}, false
	}
	item, around, ok := clauses.Named(r.doc, kinds[i], whole)
	if around {
		confidence = min(confidence, aroundPrior)
	}
	return found(item, whole, confidence), ok
}

// limit returns the sentences of the quote as a limit of liability.
func (r *reader) limit(l prompts.Limit, s layout.Span, confidence float64) (finding.Found[insightapi.Limit], bool) {
	whole, says := r.statement(s)
	item, ok := liability.Named(r.doc, l.Type, whole)
	return found(item, whole, confidence), ok && says
}

// renewal returns the renewal in the sentences of the quote. The model's term says which
// of the periods there is meant; the quote itself must state it.
func (r *reader) renewal(n prompts.Renewal, s layout.Span, confidence float64) (finding.Found[insightapi.Renewal], bool) {
	term, ok := termOf(n.Term)
	if !ok {
		return finding.Found[insightapi.Renewal]{}, false
	}
	if _, ok := renewals.Stated(r.doc, s, term); !ok {
		return finding.Found[insightapi.Renewal]{}, false
	}
	whole, _ := r.statement(s)
	item, ok := renewals.Named(r.doc, whole, term)
	return found(item, whole, confidence), ok
}

// lengths are those that are not written as a number and a unit.
var lengths = map[string]period.Period{
	"year": {Count: 1, Unit: period.Year}, "annual": {Count: 1, Unit: period.Year}, "annually": {Count: 1, Unit: period.Year}, "yearly": {Count: 1, Unit: period.Year},
	"month": {Count: 1, Unit: period.Month}, "monthly": {Count: 1, Unit: period.Month},
}

// termOf returns the length that a model gives as a term.
func termOf(term string) (period.Period, bool) {
	if len(term) > maxField {
		return period.Period{}, false
	}
	if all := period.Find(term, 2); len(all) > 0 {
		return all[0], len(all) == 1
	}
	for _, w := range wordsOf(term) {
		if p, ok := lengths[w.lower]; ok {
			return p, true
		}
	}
	return period.Period{}, false
}
