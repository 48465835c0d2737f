package liability_test

import (
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestValuesOfLimits shows that the value of a limit is quoted from the text.
func TestValuesOfLimits(t *testing.T) {
	const (
		limit, exclusion, uncapped = insightapi.LimitCap, insightapi.LimitExclusion, insightapi.LimitUncapped
	)
	for text, want := range map[string][2]string{
		"The liability of Elm is capped at the fees paid in the previous year.":                                          {limit, "the fees paid in the previous year"},
		"Elm's maximum liability under this contract is the total of amounts paid to it.":                                {limit, "the total of amounts paid to it"},
		"Liability shall be limited to the greater of (a) $70,000 and (b) the fees paid in the year before the claim.":   {limit, "the greater of (a) $70,000 and (b) the fees paid in the year before the claim"},
		"In no event shall Elm be liable for more than $9,000.":                                                          {limit, "$9,000"},
		"Elm earns $5 for each box, but its liability for a box shall not exceed $80.":                                   {limit, "$80"},
		"Elm's liability is limited to 150% of the annual fees; nothing else is owed.":                                   {limit, "150% of the annual fees"},
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
