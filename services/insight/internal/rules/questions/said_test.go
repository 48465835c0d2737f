package questions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// moored is a contract about a mooring, with questions about what it says in other words.
const moored = `MOORING AGREEMENT

This Agreement is made on 6 June 2023 between Saltmarsh Harbour Ltd (the "Harbour") and Ines Kolbe (the "Owner").

1. Berth

1.1 The Harbour shall have the pontoons washed three days each week.

1.2 The Owner may not carry passengers for reward.

1.3 The Owner may not paint the hull without the consent of the Harbour.

1.4 The Owner shall have all diesel supplied by the Harbour and by no other chandler.

1.5 The Harbour is at liberty to shift the yacht.

1.6 The Owner has no right to anchor in the fairway.

2. Money

2.1 A mooring charge of £210 for each full month is payable in advance.

2.2 If the Owner vacates late, the Owner forfeits £35 for each such day.

2.3 The cost of dredging is advanced by the Harbour.

2.4 A quarrel about the depth of the berth shall be decided by an independent marine surveyor whose opinion is final.

2.5 The keys to the crane shall be lodged by the Harbour with Tidewater Custodians.

2.6 The launch leaves before eight o'clock in the morning.
`

// TestSaid shows the values of answers to questions in few words, about other parties and about
// what is forbidden.
func TestSaid(t *testing.T) {
	d := rulestest.Read(moored)
	for _, tt := range []struct{ question, value, quote string }{
		{"monthly mooring charge", "£210", "in advance"},
		{"penalty for late vacating", "£35 for each such day", "forfeits"},
		{"What's the mooring charge?", "£210 for each full month", "in advance"},
		{"How often are the pontoons washed?", "three days each week", "washed"},
		{"Who fronts the cost of dredging?", "the Harbour", "dredging"},
		{"Who foots the bill for dredging?", "the Harbour", "dredging"},
		{"Can I get fuel elsewhere?", "No", "diesel"},
		{"Who decides a quarrel about the depth?", "an independent marine surveyor", "surveyor"},
		{"Who holds the keys to the crane?", "Tidewater Custodians", "lodged"},
		{"By what time does the launch leave?", "eight o'clock in the morning", "launch"},
		{"Can I take paying passengers?", "No", "passengers"},
		{"Can I buy diesel from another chandler?", "No", "no other"},
		{"May the Harbour shift the yacht?", "Yes", "liberty"},
		{"Can I drop anchor in the fairway?", "No", "fairway"},
		{"Can I paint the hull?", "The Owner may not paint the hull without the consent of the Harbour.", "hull"},
	} {
		answer(t, d, tt.question, tt.value, tt.quote)
	}
}

// TestSetClauses shows questions that only the given clauses answer.
func TestSetClauses(t *testing.T) {
	d := rulestest.Read(moored)
	for _, tt := range []struct{ question, kind, quote string }{
		{"Is there a non-compete?", "Non-Compete", "The Owner may not carry passengers for reward."},
		{"Is there an audit right?", "Audit Rights", "The Harbour is at liberty to shift the yacht."},
		{"Is there a change of control clause?", "Change Of Control", "If the Owner vacates late, the Owner forfeits £35 for each such day."},
	} {
		without, with := questions.New(d, ""), questions.New(d, "")
		with.SetClauses(func() []finding.Found[insightapi.Clause] {
			at := strings.Index(d.Text, tt.quote)
			return []finding.Found[insightapi.Clause]{{
				Item: insightapi.Clause{ClauseType: tt.kind}, Span: layout.Span{Start: at, End: at + len(tt.quote)}, Confidence: 0.9,
			}}
		})
		if got := rulestest.Quotes(d, without.Answers(tt.question)); slices.Contains(got, tt.quote) {
			t.Errorf("%q: got %q without clauses", tt.question, got)
		}
		if got := rulestest.Quotes(d, with.Answers(tt.question)); !slices.Contains(got, tt.quote) {
			t.Errorf("%q: got %q, want %q", tt.question, got, tt.quote)
		}
	}
}
