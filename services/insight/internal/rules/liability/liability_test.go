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
		"The liability of Elm is capped at the fees paid in the previous year.":                                          {limit, "the fees paid in the previous year"},
		"Elm's maximum liability under this contract is the total of amounts paid to it.":                                {limit, "the total of amounts paid to it"},
		"Liability shall be limited to the greater of (a) $70,000 and (b) the fees paid in the year before the claim.":   {limit, "the greater of (a) $70,000 and (b) the fees paid in the year before the claim"},
		"In no event shall Elm be liable for more than $9,000.":                                                          {limit, "$9,000"},
		"Elm's liability for a box tops out at $80, whatever it contains.":                                               {limit, "$80"},
		"The most that Elm has to pay for a box is the price of the box; nothing else is owed.":                          {limit, "the price of the box"},
		"Elm's liability will not go beyond the fees of one year.":                                                       {limit, "the fees of one year"},
		"Elm earns $5 for each box, but its liability for a box shall not exceed $80.":                                   {limit, "$80"},
		"Elm's liability is limited to 150% of the annual fees; nothing else is owed.":                                   {limit, "150% of the annual fees"},
		"The Consultant's total liability shall be restricted to $2,000.":                                                {limit, "$2,000"},
		"The liability of Elm shall under no circumstances be greater than 100% of the annual charges.":                  {limit, "100% of the annual charges"},
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

// TestLabelsOfCaps shows that the label of a cap says whether it limits liability or what is deducted
// or owed for a delay.
func TestLabelsOfCaps(t *testing.T) {
	for text, want := range map[string]string{
		"Elm's aggregate liability shall not exceed $900.":                                                 "Aggregate liability cap",
		"Elm's liability for liquidated damages shall not exceed $900.":                                    "Liability cap",
		"Oak may deduct 1% of the price for each week of delay, up to 10% of its price.":                   "Cap on deductions",
		"Oak shall pay liquidated damages of $90 for each day of delay, up to a maximum of $900.":          "Cap on liquidated damages",
		"The service credits shall not exceed 15% of the fee of the month.":                                "Cap on service credits",
		"The penalties of a contract year, that is the delay penalties, shall not exceed 5% of the price.": "Cap on penalties",
	} {
		got := liability.Chosen(rulestest.Read("The parties have met several times.\n\n"+text+"\n"), nil)
		if len(got) != 1 || got[0].Item.LimitType != insightapi.LimitCap || got[0].Item.LimitLabel != want {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
	}
}

// TestStated shows that limits are found by the structure of a sentence, however it is
// worded: in plain English, in the manner of other countries, and in capitals. A sentence can
// state several.
func TestStated(t *testing.T) {
	const limit, exclusion, uncapped = insightapi.LimitCap, insightapi.LimitExclusion, insightapi.LimitUncapped
	for text, want := range map[string]string{
		"Our total liability to you will not be more than the price of the boxes.":                                                    limit,
		"Elm's liability for wet boxes shall be no greater than the rent of a month.":                                                 limit,
		"Your liability will in any event not go beyond the fees that you have received.":                                             limit,
		"Elm's liability tops out at $800.":                                                                                           limit,
		"THE LIABILITY OF ELM FOR A DEFECT IS LIMITED, AS IT CHOOSES, TO REPLACING THE BOX.":                                          limit,
		"Our liability will not be more than what our insurance pays.":                                                                limit,
		"Elm is liable to Oak for at most EUR 900 in total.":                                                                          limit,
		"You are responsible for damage to the shelves, but never for more than $80 a year.":                                          limit,
		"The most we will have to pay for a lost box is twice the monthly fee.":                                                       limit,
		"Neither of us owes the other more than the rent of a year.":                                                                  limit,
		"In this order the liability ceiling of clause 9 is increased to $900.":                                                       limit,
		"Our total exposure under this letter shall not exceed $80.":                                                                  limit,
		"Elm's duty to compensate is limited to the price of the box.":                                                                limit,
		"Oak waives all claims for consequential damages.":                                                                            exclusion,
		"Elm excludes its liability for loss of custom.":                                                                              exclusion,
		"Except for clause 7.1, for which liability is unlimited, the aggregate liability of either party shall not exceed $750,000.": uncapped + " " + limit,
		"Elm's liability for wet boxes is limited to $150,000, except in the case of fraud, for which there is no limit.":             limit + " " + uncapped,
		"Neither party excludes or limits its liability for fraud.":                                                                   uncapped,
		"Liability under the Product Safety Act remains unaffected.":                                                                  uncapped,
		"Payments under the indemnity fall outside the cap in clause 9.":                                                              uncapped,
		"Nothing here relieves Elm of liability for its own gross negligence.":                                                        uncapped,
		"Service credits in a quarter cannot exceed 12% of the fees.":                                                                 limit,
		"Elm shall pay $5 for each day of delay as liquidated damages, up to ten days.":                                               limit,
		"Oak may deduct 1% of the price for each week of delay, at most 6% of the price.":                                             limit,
		"Elm pays the cost of replacing a damaged box, up to $70 for each box.":                                                       limit,
		"Neither of us is answerable to the other for lost sales.":                                                                    exclusion,
		"In no case does Elm answer for loss of custom or other consequential loss.":                                                  exclusion,
		"Indirect loss and lost profit are not compensated.":                                                                          exclusion,
		"Oak shall not be entitled to compensation for goodwill.":                                                                     exclusion,
		"I am not responsible for coats, phones or bikes left at the studio.":                                                         exclusion,
		"We're not responsible for plants that die of drought.":                                                                       exclusion,
		"Elm isn't responsible for how either turns out.":                                                                             exclusion,
		"No partner or employee of Elm is liable personally.":                                                                         exclusion,
		"In the case of slight negligence she is not liable.":                                                                         exclusion,
		"Elm is liable only for having selected a good clerk.":                                                                        exclusion,
		"Liability for slight negligence is excluded.":                                                                                exclusion,
		"BOXES ARE STORED AT THE TENANT'S OWN RISK.":                                                                                  exclusion,
		"Neither party answers for lost boxes or loss of customers.":                                                                  exclusion,
		"What the Lender is not liable for":                                                                                           "",
		"Neither side answers for what it cannot do because of an earthquake.":                                                        "",
		"For slight negligence she is liable only for breach of duty, and only up to the fee.":                                        limit,
		"If a box is damaged at your house you pay for the repair, up to €600.":                                                       limit,
		"The Guarantor guarantees what Elm owes, up to $150,000.":                                                                     limit,
		"We are not responsible for loss or theft of your boxes.":                                                                     exclusion,
		"Boxes are stored at the sole risk of their owner.":                                                                           exclusion,
		"We do not accept liability for the cost of new boxes.":                                                                       exclusion,
		"Nothing in this letter limits our liability for a death that we cause.":                                                      uncapped,
		"Elm is liable without limitation for intent and gross negligence.":                                                           uncapped,
		"The limits in clauses 6.2 and 6.3 do not apply to fraud.":                                                                    uncapped,
		"Nothing in these terms takes away your rights under consumer law.":                                                           uncapped,
		"Elm's liability shall not exceed $80, and Elm is not liable for lost profits.":                                               exclusion + " " + limit,
		"Apart from the indemnity in clause 4, Elm's liability shall not exceed $80.":                                                 limit + " " + uncapped,
		"Elm's liability is limited to $80, but this ceiling shall not apply to wilful misconduct.":                                   limit + " " + uncapped,
		"Elm shall maintain public liability insurance with a limit of at least $900 for each claim.":                                 "",
		"Neither party is responsible for delay caused by strikes, floods or acts of government.":                                     "",
		"Elm is liable for all charges up to the day on which the term ends.":                                                         "",
		"Elm is a limited liability company whose members number more than the members of Oak.":                                       "",
		"The limitation period for actions about the boxes does not apply to the keys of the store.":                                  "",
		"Travel costs of Elm's staff are reimbursed up to $700 for each trip.":                                                        "",
		"Elm is not responsible for opening the store on Sundays.":                                                                    "",
		"Nothing in this agreement limits the number of boxes that Oak may store.":                                                    "",
		"The box fee may not be more than the fee of the previous year.":                                                              "",
		"The boxes include, without limitation, all boxes for which Elm is liable.":                                                   "",
		"If the liability of an insurer is at issue, Elm shall inform Oak not more than two days later.":                              "",
	} {
		var got []string
		for _, f := range liability.Find(rulestest.Read("The parties have met several times.\n\n" + text + "\n")) {
			got = append(got, f.Item.LimitType)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestStatedNear shows that an exception that does not name the limit follows it.
func TestStatedNear(t *testing.T) {
	const exception = "That ceiling does not apply if Elm has acted fraudulently."
	for text, want := range map[string]int{
		"Elm's liability is limited to $80. " + exception:                  2,
		"Oak may store as many boxes as the ceiling permits. " + exception: 0,
	} {
		if got := liability.Find(rulestest.Read("The parties have met several times.\n\n" + text + "\n")); len(got) != want {
			t.Errorf("%q: got %+v, want %d limits", text, got, want)
		}
	}
}

// TestReleaseInLongContract shows that a denial of liability for a loss that is no usual head
// of an exclusion counts in a short contract only: long ones mostly say whose duty something is.
func TestReleaseInLongContract(t *testing.T) {
	const denial = "Elm will not be liable for damage to boxes that Oak has opened.\n\n"
	for n, want := range map[int]int{2: 1, 150: 0} {
		if got := liability.Find(rulestest.Read(strings.Repeat("Oak shall label each of its boxes.\n\n", n) + denial)); len(got) != want {
			t.Errorf("after %d sentences: got %+v, want %d limits", n, got, want)
		}
	}
}

// TestChosenInLongContract shows that the weights decide whether a long contract has any limit.
func TestChosenInLongContract(t *testing.T) {
	const stated = "Elm's total liability shall not exceed $80.\n\n"
	for n, want := range map[int]int{2: 1, 150: 0} {
		d := rulestest.Read(strings.Repeat("Oak shall label each of its boxes.\n\n", n) + stated)
		if got := liability.Chosen(d, nil); len(got) != want {
			t.Errorf("after %d sentences: got %+v, want %d limits", n, got, want)
		}
		if got := liability.Chosen(d, []learn.Passage{{Kind: liability.CapOnLiability, Sentence: n, Probability: 0.9}}); len(got) != 1 {
			t.Errorf("after %d sentences: got %+v, want the limit that the weights chose", n, got)
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
