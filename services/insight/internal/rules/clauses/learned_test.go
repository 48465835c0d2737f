package clauses_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// licensed is a contract that is long enough for the weights.
const licensed = `SOFTWARE LICENSE AGREEMENT

This Software License Agreement is made between Elm Software Inc. ("Licensor") and Oak Stores LLC ("Licensee").

1. Grant. Licensor hereby grants to Licensee a perpetual, irrevocable, non-exclusive and non-transferable license to use the Software.
Licensee shall not sublicense, sell or transfer the Software to any third party.

2. Delivery. Licensor shall deliver the Software within ten days. The Software is delivered in object code.
Licensee shall inspect the Software after delivery. Licensee shall report every defect that it finds.

3. Fees. Licensee shall pay the fees in Exhibit A. All fees are due within thirty days of the invoice. Late payments bear interest.

4. Audit. Licensor may, on ten days' notice, audit the books and records of Licensee to verify the fees that are due.

5. Liability. In no event shall either party be liable for any indirect or consequential damages. The total liability of Licensor
under this Agreement shall not exceed the fees paid by Licensee in the preceding twelve months. %s

6. Insurance. Licensee shall maintain commercial general liability insurance with limits of at least $1,000,000 per occurrence.

7. Assignment. Neither party may assign this Agreement without the prior written consent of the other party.

8. Audits by others. Oak shall have no right to audit the books of Elm.

9. Law. This Agreement shall be governed by the laws of the State of Oregon. The courts of Oregon have jurisdiction.

10. Notices. All notices shall be in writing. A notice is effective when it is received. Notices shall be sent to the addresses above.

11. General. This Agreement is the entire agreement of the parties. It may be amended only in writing. A waiver must be in writing.
`

// byKind returns the clauses that the embedded weights find, by kind.
func byKind(t *testing.T, text string) map[string][]finding.Found[insightapi.Clause] {
	t.Helper()
	d := rulestest.Read(text)
	chosen := clauses.Choose(learn.Clauses(), d, learn.WordsOf(d))
	if chosen == nil {
		t.Fatal("the weights did not decide")
	}
	found := chosen.Clauses(d)
	rulestest.Sane(t, d, found)
	all := map[string][]finding.Found[insightapi.Clause]{}
	for _, f := range found {
		if f.Item.ClauseDescription == "" || !slices.Contains(clauses.Kinds(), f.Item.ClauseType) {
			t.Errorf("%q: got %+v", d.Quote(f.Span), f.Item)
		}
		all[f.Item.ClauseType] = append(all[f.Item.ClauseType], f)
	}
	return all
}

// TestChosen shows that the weights find clauses, also of kinds without a rule, and say
// which words weighed most.
func TestChosen(t *testing.T) {
	all := byKind(t, fmt.Sprintf(licensed, ""))
	for _, kind := range []string{
		"License Grant", "Irrevocable Or Perpetual License", "Non-Transferable License", "Audit Rights", "Cap On Liability", "Insurance", "Anti-Assignment",
	} {
		if len(all[kind]) == 0 {
			t.Errorf("got no %s", kind)
		}
	}
	if law := all["Governing Law"]; len(law) != 1 || law[0].Item.ClauseDescription != "Governed by the laws of the State of Oregon." {
		t.Errorf("got %+v, want the law of Oregon", law)
	}
	for _, f := range all["Insurance"] {
		if !strings.Contains(f.Reasoning, "What weighed most: \"") || !strings.Contains(strings.ToLower(f.Reasoning), "insurance") {
			t.Errorf("got the reason %q, want one that names the word insurance", f.Reasoning)
		}
	}
}

// TestChosenRefuses shows that a sentence that denies what a kind of clause says is not of
// that kind.
func TestChosenRefuses(t *testing.T) {
	text := fmt.Sprintf(licensed, "")
	for _, f := range byKind(t, text)["Audit Rights"] {
		if strings.Contains(text[f.Span.Start:f.Span.End], "no right to audit") {
			t.Errorf("got the sentence that denies a right to audit")
		}
	}
}

// TestChosenFragments shows that cells of tables and a few words without a verb are no clauses.
func TestChosenFragments(t *testing.T) {
	text := "TERMS OF EMPLOYMENT\n\nOffer of employment - Warehouse Operations Manager\n\n38 per week plus reasonable additional hours\n\nBooking deposit (non refundable)\n\nAUD 118,000 per annum plus 11.5%\n\nThis document may be signed in any number of counterparts.\n"
	for kind, found := range byKind(t, text) {
		if kind != "Counterparts" {
			t.Errorf("got %s: %q", kind, text[found[0].Span.Start:found[0].Span.End])
		}
	}
}

// TestChosenLaw shows that a clause about the law that governs the contract names that law:
// sentences about arbitration and courts have much of its wording.
func TestChosenLaw(t *testing.T) {
	const about = "This Agreement shall be governed by the laws of the State of Oregon."
	if !strings.Contains(licensed, about) {
		t.Fatal("the contract has no sentence about its law")
	}
	for _, other := range []string{
		"Any controversy arising under this Agreement shall be settled by arbitration in Paris, without regard to the principles of conflicts of laws.",
		"This Amendment shall be governed by and construed under the law governing the Distributor Agreement, without regard to conflict of law rules.",
	} {
		if found := byKind(t, fmt.Sprintf(strings.Replace(licensed, about, other, 1), ""))["Governing Law"]; len(found) != 0 {
			t.Errorf("%q: got %+v, want no governing law", other, found[0].Item)
		}
	}
}

// TestChosenUncapped shows what is said about liability without a limit.
func TestChosenUncapped(t *testing.T) {
	const exception = "The foregoing limitation of liability shall not apply to fraud, gross negligence, or the indemnification obligations of a party."
	found := byKind(t, fmt.Sprintf(licensed, exception))["Uncapped Liability"]
	if len(found) == 0 || found[0].Item.ClauseDescription != "Some liability is not limited." {
		t.Errorf("got %+v, want the exceptions from the limit", found)
	}
}

// TestChooseShort shows that weights find clauses in short texts too, and that the rules alone decide
// without weights.
func TestChooseShort(t *testing.T) {
	short := rulestest.Read("Dear Ms Elm,\n\nYou look after our garden from May. Whichever of us has had enough may end this with a month's warning, and need not say why.\n")
	chosen := clauses.Choose(learn.Clauses(), short, learn.WordsOf(short))
	if chosen == nil || !slices.ContainsFunc(chosen.Passages, func(p learn.Passage) bool { return p.Kind == "Termination For Convenience" }) {
		t.Errorf("a short text: got %+v", chosen)
	}
	if chosen := clauses.Choose(nil, short, learn.WordsOf(short)); chosen != nil {
		t.Errorf("no weights: got %+v", chosen)
	}
}

// TestChosenAlone shows that a decision that adds passages alone adds none of a kind that the rules
// find, and others without asking them.
func TestChosenAlone(t *testing.T) {
	certain := learn.Calibration{Slope: 1, Offset: 10}
	alone := func(kind string) learn.Decision {
		return learn.Decision{Kind: kind, Bias: 9, Presence: certain, Passage: certain, Short: learn.Addition{From: 0.9, Alone: true}}
	}
	file, err := learn.Encode(learn.Shared, []learn.Decision{alone("Entire Agreement"), alone("Force Majeure")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	added, unnamed := map[string]int{}, rulestest.Read(fmt.Sprintf(licensed, ""))
	for _, p := range clauses.Choose(m, unnamed, learn.WordsOf(unnamed)).Passages {
		added[p.Kind]++
	}
	if added["Entire Agreement"] != 0 || added["Force Majeure"] == 0 {
		t.Errorf("got %v, want only the kind that the rules do not find", added)
	}
}

// TestChosenByRule shows that the rules decide about the kinds for which they are better than
// the weights, and give the reason and the confidence.
func TestChosenByRule(t *testing.T) {
	const stated = "Licensee shall not disparage the Software or Licensor in any advertisement."
	file, err := learn.Encode(learn.Shared, []learn.Decision{
		{Kind: "Non-Disparagement", Votes: clauses.VotesOf("Non-Disparagement"), ByRule: true},
		{Kind: "Cap On Liability", Votes: clauses.VotesOf("Cap On Liability"), ByRule: true},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	d := rulestest.Read(fmt.Sprintf(licensed, stated))
	byWeights, byRules := clauses.Choose(m, d, learn.WordsOf(d)).Clauses(d), clauses.Find(d)
	for kind, want := range map[string]int{"Non-Disparagement": 1, "Cap On Liability": 2} {
		other := func(f finding.Found[insightapi.Clause]) bool { return f.Item.ClauseType != kind }
		got, expected := slices.DeleteFunc(slices.Clone(byWeights), other), slices.DeleteFunc(slices.Clone(byRules), other)
		if len(got) != want || !slices.EqualFunc(got, expected, func(a, b finding.Found[insightapi.Clause]) bool {
			return a.Span == b.Span && a.Reasoning == b.Reasoning && a.Confidence == b.Confidence
		}) {
			t.Errorf("%s: got %+v, want what the rules find: %+v", kind, got, expected)
		}
	}
}

// TestNamedLearned shows that a language model can name clauses of the kinds without a
// rule, if the text has the words of the kind.
func TestNamedLearned(t *testing.T) {
	d := rulestest.Read("The licence is perpetual.\n\nThe parties jointly own the drawings.\n\nThe gate is green.\n")
	for i, kind := range []string{"Irrevocable Or Perpetual License", "Joint IP Ownership"} {
		if item, around, ok := clauses.Named(d, kind, d.Sentences[i].Span); !ok || around || item.ClauseDescription == "" {
			t.Errorf("%s: got %+v, around %v, %v", kind, item, around, ok)
		}
		if item, _, ok := clauses.Named(d, kind, d.Sentences[2].Span); ok {
			t.Errorf("%s: got %+v for a text without its words", kind, item)
		}
	}
}
