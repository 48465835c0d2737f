// Package merge combines what the rules and a language model found in a document: where
// they agree, differ, or stand alone. It sets the confidence accordingly and says in the
// reasoning who found what. What is certain without a model, such as ids, fields and
// computed dates, comes from the rules alone.
package merge

import (
	"cmp"
	"slices"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
)

// Model is a language model and what it read.
type Model struct {
	// Name is its name, as clients may see it.
	Name string
	// Read are the parts of the text that it read and answered about, in any order.
	Read []layout.Span
}

// has reports whether the model read all of a span in one part.
func (m Model) has(s layout.Span) bool {
	return slices.ContainsFunc(m.Read, func(r layout.Span) bool { return r.Contains(s) })
}

// Item is an item that both the rules and a model can find. Answers to questions are
// merged by Answers.
type Item interface {
	insightapi.Title | insightapi.TypeName | insightapi.Signer | insightapi.Clause | insightapi.ContractValue |
		insightapi.Date | insightapi.Limit | insightapi.Renewal | insightapi.Payment
}

// Items returns the items of the rules and of a model, and who named them.
//
// An item that both found is that of the rules: they derive more from its text, and
// clients get the same item as without a model. Signers are those of the rules, in their
// order and with their ids, to which fields refer, and then those of the model. Other
// items are in the order of the text, but where several values are given for what has
// only one, such as the title, the most probable comes first.
func Items[T Item](byRules, byModel []finding.Found[T], m Model) ([]finding.Found[T], insightapi.Engine) {
	all := pair(byRules, byModel, func(a, b finding.Found[T]) bool { return same(a.Item, b.Item, a.Span.Overlaps(b.Span)) })
	by := engineOf(all, m)
	explain(all, m, func(item T) (string, bool) { return only(item) })
	var found []finding.Found[T]
	for _, c := range all {
		found = append(found, c.Found)
	}
	if signers, ok := any(found).([]finding.Found[insightapi.Signer]); ok {
		number(signers)
		return found[:min(len(found), finding.MaxItems)], by
	}
	return bestFirst(finding.ByPlace(found)), by
}

// candidate is an item with those who found it.
type candidate[T any] struct {
	finding.Found[T]
	rules, model bool
	// r and m are the confidences of the rules and of the model, 0 for none.
	r, m float64
}

// pair returns the items of the rules, then those of the model alone. same reports
// whether two items mean the same.
func pair[T any](byRules, byModel []finding.Found[T], same func(a, b finding.Found[T]) bool) []candidate[T] {
	var all []candidate[T]
	taken := make([]bool, len(byModel))
	for _, f := range byRules {
		c := candidate[T]{Found: f, rules: true, r: f.Confidence}
		for i, other := range byModel {
			if same(f, other) {
				taken[i], c.model, c.m = true, true, max(c.m, other.Confidence)
			}
		}
		all = append(all, c)
	}
	for i, f := range byModel {
		if !taken[i] {
			all = append(all, candidate[T]{Found: f, model: true, m: f.Confidence})
		}
	}
	return all
}

// engineOf returns who named the items. If there are none, it is who looked for them.
func engineOf[T any](all []candidate[T], m Model) insightapi.Engine {
	if len(all) == 0 {
		return insightapi.EngineOf(true, len(m.Read) > 0)
	}
	byRules, byModel := false, false
	for _, c := range all {
		byRules, byModel = byRules || c.rules, byModel || c.model
	}
	return insightapi.EngineOf(byRules, byModel)
}

// explain sets the confidence and the reasoning of each item. only returns what an item
// is a value of, if there can be one value only.
func explain[T any](all []candidate[T], m Model, only func(T) (string, bool)) {
	rivals := rivalsOf(all, only)
	for i := range all {
		c := &all[i]
		of, _ := only(c.Item)
		rival := rivals[of].of(c.rules)
		switch {
		case c.rules && c.model:
			c.Confidence = Agreed(c.r, c.m)
			c.Reasoning += " The language model " + m.Name + " agrees."
		case c.model && rival > 0:
			c.Confidence = Disputed(c.m, rival)
			c.Reasoning = foundBy(m) + " The rules found something else."
		case c.model:
			c.Confidence, c.Reasoning = c.m, foundBy(m)
		case rival > 0:
			c.Confidence = Disputed(c.r, rival)
			c.Reasoning += " The language model " + m.Name + " found something else."
		case m.has(c.Span) && quotable(c.Item):
			c.Confidence = Unconfirmed(c.r)
			c.Reasoning += " The language model " + m.Name + " did not name it."
		}
	}
}

func foundBy(m Model) string {
	return "Found by the language model " + m.Name + "; the quote was checked against the document."
}

// rivals holds, for what has only one value, the highest confidence of the values that
// the rules give and of those that the model gives. It is zero if they share a value:
// then the others are further values rather than different ones.
type rivals struct {
	rules, model float64
	shared       bool
}

// of returns the confidence of the best rival of an item of the rules or of the model, 0
// if there is none.
func (r rivals) of(rules bool) float64 {
	switch {
	case r.shared:
		return 0
	case rules:
		return r.model
	}
	return r.rules
}

// rivalsOf returns the rivals by what they are a value of.
func rivalsOf[T any](all []candidate[T], only func(T) (string, bool)) map[string]rivals {
	best := map[string]rivals{}
	for _, c := range all {
		if of, single := only(c.Item); single {
			b := best[of]
			best[of] = rivals{max(b.rules, c.r), max(b.model, c.m), b.shared || c.rules && c.model}
		}
	}
	return best
}

// bestFirst puts the values of what has only one value in the order of their confidence,
// at the positions that they have together.
func bestFirst[T Item](found []finding.Found[T]) []finding.Found[T] {
	at := map[string][]int{}
	for i, f := range found {
		if of, single := only(f.Item); single {
			at[of] = append(at[of], i)
		}
	}
	ordered := slices.Clone(found)
	for _, positions := range at {
		values := make([]finding.Found[T], 0, len(positions))
		for _, i := range positions {
			values = append(values, found[i])
		}
		slices.SortStableFunc(values, func(a, b finding.Found[T]) int { return cmp.Compare(b.Confidence, a.Confidence) })
		for n, i := range positions {
			ordered[i] = values[n]
		}
	}
	return ordered
}
