package rules_test

import (
	"slices"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

func TestClauseKinds(t *testing.T) {
	kinds := rules.ClauseKinds()
	if len(kinds) != 53 || !slices.IsSorted(kinds) || len(slices.Compact(slices.Clone(kinds))) != 53 {
		t.Errorf("got %d kinds, %q, want 53 in alphabetical order", len(kinds), kinds)
	}
	for _, text := range []string{
		"This Agreement shall be governed by the laws of the State of Ohio.", "The liability of the Supplier shall not exceed $500.",
		"Nothing in this Agreement shall limit liability for fraud.", "The Supplier shall maintain insurance.", "All notices shall be in writing.",
	} {
		d := rulestest.Read(text)
		found := rules.Clauses(d, nil, rules.Limits(d, nil))
		if len(found) == 0 || !slices.Contains(kinds, found[0].Item.ClauseType) {
			t.Errorf("%q: got %+v, want a clause of one of the kinds", text, found)
		}
	}
}
