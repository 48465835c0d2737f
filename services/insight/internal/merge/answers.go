package merge

import (
	"cmp"
	"slices"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
)

// Answers returns the answers to one question, the best first, and who gave them. The
// model reads what is asked, and the rules its words: so the answers of the model come
// first, and after them those of the rules that rest on other text. Of two answers with
// overlapping text, that of the model is taken, since it is shorter. There are at most as
// many answers as without a model.
func Answers(byRules, byModel []finding.Found[insightapi.PromptAnswer], m Model) ([]finding.Found[insightapi.PromptAnswer], insightapi.Engine) {
	all := pair(apart(byModel), byRules, func(a, b finding.Found[insightapi.PromptAnswer]) bool { return a.Span.Overlaps(b.Span) })
	for i := range all {
		c := &all[i]
		// The model's are the first of each pair here.
		c.rules, c.model, c.r, c.m = c.model, c.rules, c.m, c.r
		if c.rules && c.model {
			c.Reasoning = reasonOf(byRules, c.Found)
		}
	}
	explain(all, m, func(insightapi.PromptAnswer) (string, bool) { return "", false })
	slices.SortStableFunc(all, func(a, b candidate[insightapi.PromptAnswer]) int {
		if a.model != b.model {
			return cmp.Compare(rank(a.model), rank(b.model))
		}
		return cmp.Compare(b.Confidence, a.Confidence)
	})
	all = all[:min(len(all), questions.MaxAnswers)]
	var found []finding.Found[insightapi.PromptAnswer]
	for _, c := range all {
		found = append(found, c.Found)
	}
	return found, engineOf(all, m)
}

// apart returns the answers of a model without those that share text with a better one:
// one with a higher confidence, or else a shorter one.
func apart(byModel []finding.Found[insightapi.PromptAnswer]) []finding.Found[insightapi.PromptAnswer] {
	sorted := slices.Clone(byModel)
	slices.SortStableFunc(sorted, func(a, b finding.Found[insightapi.PromptAnswer]) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), len(*a.Item.Value)-len(*b.Item.Value), a.Span.Start-b.Span.Start)
	})
	var kept []finding.Found[insightapi.PromptAnswer]
	for _, f := range sorted {
		if !slices.ContainsFunc(kept, func(k finding.Found[insightapi.PromptAnswer]) bool { return k.Span.Overlaps(f.Span) }) {
			kept = append(kept, f)
		}
		if len(kept) == questions.MaxAnswers {
			break
		}
	}
	return kept
}

// rank orders what is first before what is not.
func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// reasonOf returns the reasoning of the answer of the rules that shares text with an
// answer.
func reasonOf(byRules []finding.Found[insightapi.PromptAnswer], answer finding.Found[insightapi.PromptAnswer]) string {
	i := slices.IndexFunc(byRules, func(f finding.Found[insightapi.PromptAnswer]) bool { return f.Span.Overlaps(answer.Span) })
	return byRules[i].Reasoning
}
