package liability_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestValuesOfLimits shows that the value of a limit is quoted from the text.
func TestValuesOfLimits(t *testing.T) {
	const (
		limit, exclusion, uncapped = insightapi.LimitCap, insightapi.LimitExclusion, insightapi.LimitUncapped
	)
	for text, want := range map[string][2]string{
		"The liability of Elm is capped at the fees paid in the previous year.":                                        {limit, "the fees paid in the previous year"},
		"Elm's maximum liability under this contract is the total of amounts paid to it.":                              {limit, "the total of amounts paid to it"},
		"Liability shall be limited to the greater of (a) $70,000 and (b) the fees paid in the year before the claim.": {limit, "the greater of (a) $70,000 and (b) the fees paid in the year before the claim"},
		"In no event shall Elm be liable for more than $9,000.":                                                        {limit, "$9,000"},
		"Elm earns $5 for each box, but its liability for a box shall not exceed $80.":                                 {limit, "$80"},
		"Elm's liability is limited to 150% of the annual fees; nothing else is owed.":                                 {limit, "150% of the annual fees"},
		"The Consultant's total liability shall be restricted to $2,000.":                                              {limit, "$2,000"},
		"The liability of Elm shall under no circumstances be greater than 100% of the annual charges.":                {limit, "100% of the annual charges"},
		"Liability is limited to $100.":                                                                                  {limit, "$100"},
		"Elm's liability under this Agreement shall be unlimited.":                                                       {uncapped, "Elm's liability under this Agreement shall be unlimited."},
		"There is no limit on Elm's liability for fraud.":                                                                {uncapped, "fraud"},
		"Elm excludes all liability to the extent that the law lets it.":                                                 {exclusion, "Elm excludes all liability to the extent that the law lets it."},
		"Elm accepts no liability for boxes that are wet.":                                                               {exclusion, "Elm accepts no liability for boxes that are wet."},
		"Elm shall not be liable for a claim unless the amount exceeds $20,000.":                                         {"", ""},
		"Elm shall maintain liability insurance of more than $20,000 for boxes.":                                         {"", ""},
		"Elm Limited Liability Company is a company that stores more than ten boxes.":                                    {"", ""},
		"Elm shall not be liable unless a claim exceeds $20, and in no event shall its liability exceed $900 in a year.": {limit, "$900"},
	} {
		got := liability.Find(rulestest.Read("The parties have met several times.\n\n" + text + "\n"))
		switch {
		case want[0] == "" && len(got) > 0:
			t.Errorf("%q: got %+v, want none", text, got)
		case want[0] != "" && (len(got) != 1 || got[0].Item.LimitType != want[0] || got[0].Item.LimitValue != want[1]):
			t.Errorf("%q: got %+v, want %v", text, got, want)
		}
	}
}

// TestChosen shows that each sentence that weights chose is a limit, whose type the rules
// tell.
func TestChosen(t *testing.T) {
	const text = "Elm's total responsibility for the boxes ends at $80.\n\n" +
		"Elm shall not be liable for indirect damages.\n\n" +
		"Elm is in no event answerable for wet boxes.\n\n" +
		"Nothing limits what Elm owes for fraud.\n\n" +
		"Elm sells boxes.\n"
	d := rulestest.Read(text)
	got := liability.Chosen(d, []learn.Passage{
		{Kind: liability.UncappedLiability, Sentence: 3, Probability: 0.6},
		{Kind: liability.CapOnLiability, Sentence: 0, Probability: 0.9},
		{Kind: liability.CapOnLiability, Sentence: 1, Probability: 0.8, Voted: true},
		{Kind: liability.CapOnLiability, Sentence: 2, Probability: 0.7},
		{Kind: "Insurance", Sentence: 4, Probability: 0.9},
	})
	want := []insightapi.Limit{
		{LimitType: insightapi.LimitCap, LimitLabel: "Liability cap", LimitValue: "$80"},
		{LimitType: insightapi.LimitExclusion, LimitLabel: "Exclusion of damages", LimitValue: "indirect"},
		{LimitType: insightapi.LimitExclusion, LimitLabel: "Exclusion of damages", LimitValue: "Elm is in no event answerable for wet boxes."},
		{LimitType: insightapi.LimitUncapped, LimitLabel: "Exceptions to the limits of liability", LimitValue: "fraud"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v, want %d limits", got, len(want))
	}
	for i, f := range got {
		if f.Item.LimitType != want[i].LimitType || f.Item.LimitLabel != want[i].LimitLabel || f.Item.LimitValue != want[i].LimitValue {
			t.Errorf("got %+v, want %+v", f.Item, want[i])
		}
	}
	if why := got[1].Reasoning; !strings.Contains(why, "typical of limits of liability, and a rule recognizes it") && !strings.Contains(why, "The place") || got[1].Confidence != 0.8 {
		t.Errorf("got %+v", got[1])
	}
}
