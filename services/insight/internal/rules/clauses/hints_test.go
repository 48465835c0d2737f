package clauses

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestHints shows that each hint votes for a sentence with its wording, that no hint is a
// rule, and that hints leave the votes of the other rules their places.
func TestHints(t *testing.T) {
	sentences := []string{
		"Elm and its Affiliates grant Oak a license to the patents.",
		"The exclusivity does not apply, and Elm may sell lamps to the navy, notwithstanding the above.",
		"The Software may be used by no more than fifty users.",
		"Except for fraud, neither party is liable for consequential damages.",
		"Oak shall pay Elm a royalty of 5 percent of what it earns.",
		"Oak shall sell not less than nine lamps in each calendar year.",
		"Oak shall not operate a business that is similar to that of Elm.",
		"Elm shall inform Oak of each bona fide offer of a third party for the hall, and Oak may buy it on these terms.",
		"Oak shall not challenge the validity of the marks.",
		"Elm shall pay a cancellation fee, and not as a penalty.",
		"The lamps are free from defects for two years.",
		"Elm shall not appoint any other distributor in Japan.",
		"If any other customer pays lower prices, Oak gets the lowest price at once.",
		"Oak shall not make derogatory statements about Elm.",
		"A merger of Elm is deemed an assignment that may not take place.",
		"No person is a beneficiary of this Agreement, except Ash, who may enforce it.",
		"After the termination, Elm shall repurchase the unsold lamps.",
	}
	if len(sentences) != len(hints) {
		t.Fatalf("got %d sentences for %d hints", len(sentences), len(hints))
	}
	if len(rules)+len(hints) > voteLaw {
		t.Fatalf("got %d rules and hints, want at most %d", len(rules)+len(hints), voteLaw)
	}
	for i, text := range sentences {
		vote := learn.Votes(1) << (len(rules) + i)
		if votes := Votes(rulestest.Read(text + "\n")); len(votes) == 0 || votes[0]&vote == 0 {
			t.Errorf("%q: got the votes %b, want %b among them", text, votes, vote)
		}
		for _, kind := range Learned() {
			if VotesOf(kind)&vote != 0 {
				t.Errorf("hint %d decides about %s, want that it is only a feature", i, kind)
			}
		}
	}
}
