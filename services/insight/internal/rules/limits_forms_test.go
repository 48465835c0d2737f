package rules_test

import (
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules"
)

// The value of a limit is what liability is limited to, in the words of the text.
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
		got := rules.Limits(read("Things of every kind are told here.\n\n" + text + "\n"))
		switch {
		case want[0] == "" && len(got) > 0:
			t.Errorf("%q: got %+v, want none", text, got)
		case want[0] != "" && (len(got) != 1 || got[0].Item.LimitType != want[0] || got[0].Item.LimitValue != want[1]):
			t.Errorf("%q: got %+v, want %v", text, got, want)
		}
	}
}

// A renewal that nobody has to ask for is automatic, and its length is none of a
// notice.
func TestFormsOfRenewals(t *testing.T) {
	for text, want := range map[string][2]string{
		"It shall be tacitly renewed for periods of one year unless a party ends it three months before.":  {"automatic", "1 year"},
		"It shall automatically renew for further periods of 6 (six) months each, unless it is cancelled.": {"automatic", "6 months"},
		"The term is extended by a further five years in each case if it is not ended in writing.":         {"automatic", "5 years"},
		"This Agreement renews annually.": {"automatic", "1 year"},
		"This Agreement renews for a year at a time, unless a party gives notice of its end 60 days before that.":     {"automatic", "1 year"},
		"The term shall be renewed, unless a party gives 60 days' notice, for one further year.":                      {"automatic", "1 year"},
		"Thereafter the lease shall continue month-to-month.":                                                         {"automatic", "1 month"},
		"This Agreement may be renewed for a further period of 2 (two) years by mutual consent.":                      {"optional", "2 years"},
		"The Tenant has the option to renew the lease for one additional term of five years.":                         {"optional", "5 years"},
		"The term may be renewed for three years unless the hall is sold.":                                            {"optional", "3 years"},
		"The agreement for two years shall not be renewed for further years.":                                         {"", ""},
		"This agreement of one year will not renew automatically for further years.":                                  {"", ""},
		"There is no right of renewal of the agreement for another two years.":                                        {"", ""},
		"The licence key must be entered again each 12 months under this agreement, and the successive keys are new.": {"", ""},
	} {
		got := rules.Renewals(read("Things of every kind are told here.\n\n" + text + "\n"))
		switch {
		case want[0] == "" && len(got) > 0:
			t.Errorf("%q: got %+v, want none", text, got)
		case want[0] != "" && (len(got) != 1 || got[0].Item.TermType != want[0] || got[0].Item.TermValue != want[1]):
			t.Errorf("%q: got %+v, want %v", text, got, want)
		}
	}
}
