package liability

import (
	"slices"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// The kinds of clauses that limit liability.
const (
	CapOnLiability    = "Cap On Liability"
	UncappedLiability = "Uncapped Liability"
)

// Chosen returns the sentences that weights chose as limits of liability, or as exceptions
// to a limit, and those that state one by their structure. The rules say what each of them
// limits.
func Chosen(d *structure.Document, chosen []learn.Passage) []finding.Found[insightapi.Limit] {
	var found []finding.Found[insightapi.Limit]
	ofLiability := func(p learn.Passage) bool { return p.Kind == CapOnLiability || p.Kind == UncappedLiability }
	if len(d.Sentences) >= shortContract && !slices.ContainsFunc(chosen, ofLiability) {
		// By folds, the weights know better whether a long contract has any limit.
		return nil
	}
	stated := Stated(d)
	for _, p := range chosen {
		if !ofLiability(p) {
			continue
		}
		s := d.Sentences[p.Sentence]
		kind := chosenKind(p.Kind, s.Lower)
		if kinds := stated[p.Sentence]; len(kinds) > 0 && !slices.Contains(kinds, kind) {
			// The structure says better what is limited than the weights, which know one
			// kind for caps and exclusions.
			continue
		}
		found = append(found, limit(d, s, kind, finding.Weighed("limits of liability", d, p), p.Probability))
	}
	return addStated(d, found, stated)
}

// chosenKind returns the type of limit that a sentence states, whose kind of clause is
// known.
func chosenKind(clause, text string) string {
	if clause == UncappedLiability {
		return insightapi.LimitUncapped
	}
	if kind, _, ok := KindOf(text); ok && kind != insightapi.LimitUncapped {
		return kind
	}
	if caps(text) || !denied.MatchString(text) {
		return insightapi.LimitCap
	}
	return insightapi.LimitExclusion
}
