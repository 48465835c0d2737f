package clauses_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// stated returns the clauses of a kind in a text.
func stated(t *testing.T, text, kind string) []finding.Found[insightapi.Clause] {
	t.Helper()
	d := rulestest.Read(text)
	found := clauses.Find(d)
	rulestest.Sane(t, d, found)
	return slices.DeleteFunc(found, func(f finding.Found[insightapi.Clause]) bool { return f.Item.ClauseType != kind })
}

// TestBoilerplateWording shows which sentences state a clause without any heading.
func TestBoilerplateWording(t *testing.T) {
	for _, w := range append(slices.Clone(wordings), moreWordings...) {
		if len(w.states) < 6 || len(w.denies) < 4 {
			t.Errorf("%s: got %d and %d sentences, want at least 6 and 4", w.kind, len(w.states), len(w.denies))
		}
		for _, text := range w.states {
			if found := stated(t, text+"\n", w.kind); len(found) != 1 || found[0].Item.ClauseDescription == "" {
				t.Errorf("%s: %q: got %+v, want one", w.kind, text, found)
			}
		}
		for _, text := range w.denies {
			if found := stated(t, text+"\n", w.kind); len(found) != 0 {
				t.Errorf("%s: %q: got %+v, want none", w.kind, text, found)
			}
		}
	}
}

// headed are sentences that state a clause below a heading, and need not say enough by
// themselves.
var headed = []struct{ kind, heading, text string }{
	{"Confidentiality", "Confidentiality", "Each party keeps the confidential information of the other secret for five years after the end of this Agreement."},
	{"Confidentiality", "NON-DISCLOSURE", "The recipes are proprietary and stay in the kitchen, and nobody else may see them."},
	{"Indemnification", "Indemnity", "The indemnity of the Supplier covers all claims that concern the lamps."},
	{"Term", "TERM", "This Agreement runs for twelve months from the day on which it is signed."},
	{"Term", "Term and Termination", "This Agreement stays in force until the boxes have been delivered."},
	{"Termination For Cause", "Termination for Cause", "A party that suffers from a serious breach may end the contract at once."},
	{"Force Majeure", "Force Majeure", "Strikes and floods extend the time for delivery by as long as they last and cause delay."},
	{"Entire Agreement", "Entire Agreement", "Nothing that was said before the date of this document is part of the agreement."},
	{"Severability", "Severability", "A void provision is replaced by a valid one that comes close to it."},
	{"Amendment", "Amendments", "Amendments need the written form, also to waive this form."},
	{"Waiver", "No Waiver", "A party that waits does not waive anything by this."},
	{"Notices", "Notices", "Letters and notices go to the addresses on the first page."},
	{"Counterparts", "Counterparts", "Each party gets one of the signed counterparts of this document."},
	{"Dispute Resolution", "Dispute Resolution", "Disputes go to the managers first."},
	{"Arbitration", "Arbitration", "The seat of the arbitration is Vienna and its language is English."},
	{"Jurisdiction And Venue", "Jurisdiction", "Only the courts in Basel decide about this contract."},
	{"Data Protection", "Data Protection", "The Provider deletes the data of all persons when the contract is over."},
	{"Survival", "Survival", "Sections 4 and 5 survive."},
	{"Assignment Permitted", "Permitted Assignment", "An affiliate of Elm may be the assignee of all rights in this contract."},
}

// TestBoilerplateHeadings shows that a heading makes a sentence a clause that is none
// without it.
func TestBoilerplateHeadings(t *testing.T) {
	const contract = "SUPPLY AGREEMENT\n\nThis Supply Agreement is made between Elm Ltd and Oak Ltd.\n\n1. Delivery\n\nThe Supplier delivers ten boxes each month to the north gate of the yard.\n\n2. %s\n\n%s\n\n3. Price\n\nEach box costs ten dollars and is paid on delivery.\n"
	for _, h := range headed {
		found := stated(t, fmt.Sprintf(contract, h.heading, h.text), h.kind)
		if len(found) != 1 || !strings.Contains(found[0].Reasoning, h.heading) {
			t.Errorf("%s: got %+v, want one below the heading", h.kind, found)
		}
		runIn := strings.Replace(fmt.Sprintf(contract, h.heading, h.text), h.heading+"\n\n", h.heading+". ", 1)
		if found := stated(t, runIn, h.kind); len(found) != 1 {
			t.Errorf("%s: got %+v, want one after a heading on the same line", h.kind, found)
		}
	}
}

// TestBoilerplateSentences shows that a section gives an item for each sentence that states the
// clause, and none for its other sentences; and that a table of contents and a heading alone
// give none.
func TestBoilerplateSentences(t *testing.T) {
	const text = `SUPPLY AGREEMENT

This Supply Agreement is made between Elm Ltd and Oak Ltd.

Confidentiality .......................... 3
Notices .................................. 4

1. Confidentiality

1.1 Meaning. "Confidential Information" means all information that Elm discloses to Oak.

1.2 Duty. Oak shall keep the Confidential Information secret and shall not disclose it to anyone.
Oak shall protect the Confidential Information as its own, and hold it in confidence. All copies stay the property of Elm.

1.3 Exceptions. Confidential Information shall not include information that is in the public domain.

2. Indemnification

2.1 By Elm. Elm shall indemnify Oak against all claims that concern the boxes.

2.2 By Oak. Oak shall indemnify Elm against all claims that concern the yard.

3. Notices

4. Severability; Waiver

If any provision is invalid, the remaining provisions are not affected. No waiver is valid unless it is in writing.
`
	d := rulestest.Read(text)
	var got []string
	for _, f := range clauses.Find(d) {
		quote := d.Quote(f.Span)
		got = append(got, f.Item.ClauseType+": "+quote[:min(len(quote), 28)])
	}
	want := []string{
		"Confidentiality: Oak shall keep the Confident", "Confidentiality: Oak shall protect the Confid", "Indemnification: Elm shall indemnify Oak agai", "Indemnification: Oak shall indemnify Elm agai",
		"Severability: If any provision is invalid,", "Waiver: No waiver is valid unless it",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBoilerplateConfidence shows that a heading and the wording together count most, and a
// heading alone least.
func TestBoilerplateConfidence(t *testing.T) {
	const intro = "SUPPLY AGREEMENT\n\nThis Supply Agreement is made between Elm Ltd and Oak Ltd.\n\n1. Delivery\n\nElm delivers ten boxes each month to the north gate of the yard.\n\n"
	var last float64
	for _, text := range []string{
		"2. Notices\n\nLetters and notices go to the addresses on the first page.\n",
		"2. Other\n\nAll notices shall be in writing.\n",
		"2. Notices\n\nAll notices shall be in writing.\n",
	} {
		found := stated(t, intro+text, "Notices")
		if len(found) != 1 || found[0].Confidence <= last {
			t.Fatalf("%q: got %+v, want one with a confidence above %v", text, found, last)
		}
		last = found[0].Confidence
	}
}

// TestNamedBoilerplate shows that a language model can name boilerplate, if the text has
// the words of the kind and does not deny it.
func TestNamedBoilerplate(t *testing.T) {
	d := rulestest.Read("Disputes go to arbitration.\n\nDisputes shall not be settled by arbitration.\n\nThe gate is green.\n")
	for i, want := range []bool{true, false, false} {
		if item, _, ok := clauses.Named(d, "Arbitration", d.Sentences[i].Span); ok != want || ok && item.ClauseDescription == "" {
			t.Errorf("%q: got %+v, %v, want %v", d.Quote(d.Sentences[i].Span), item, ok, want)
		}
	}
}
