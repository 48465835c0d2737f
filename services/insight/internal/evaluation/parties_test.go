package evaluation

import (
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

// TestGoldParties shows which annotations of parties are legal names.
func TestGoldParties(t *testing.T) {
	for _, c := range []struct {
		answer  string
		clauses []string
		want    []string
	}{
		{
			`Alder, Inc. ("Alder"); Birch Limited ("Birch Limited"); (Alder and Birch each a "Party")`,
			[]string{"Alder", "Alder, Inc.", "Birch Limited", `each a "Party"`, "Alder and Birch are the Parties", "the ALDER INC"},
			[]string{"Alder, Inc.", "Birch Limited"},
		},
		{
			"CEDAR CORP. (“Licensor”); Dogwood Lmtd (the \"Buyer\")",
			[]string{"Licensor: CEDAR CORP.", "Licensor", "Dogwood Ltd d/b/a Woods", `"Buyer"`, "formerly Elm"},
			[]string{"CEDAR CORP.", "Dogwood Ltd"},
		},
		{`Agent ("Agent")`, []string{"Agent", "[ ]"}, nil},
		{"", nil, nil},
	} {
		contract := Contract{Answers: map[string]string{"Parties": c.answer}, Clauses: map[string][]Marked{}}
		for _, text := range c.clauses {
			contract.Clauses["Parties"] = append(contract.Clauses["Parties"], Marked{Text: text})
		}
		if got := GoldParties(contract); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.answer, got, c.want)
		}
	}
}

// TestScoreParties shows that names count by their words, and in one half of the companies.
func TestScoreParties(t *testing.T) {
	r := NewReport()
	c := Contract{
		File: "AlderInc_2001.pdf", Answers: map[string]string{"Parties": `Alder, Inc. ("Alder"); Birch Ltd`},
		Clauses: map[string][]Marked{"Parties": {{Text: "Alder, Inc."}, {Text: "Birch Ltd"}}},
	}
	r.parties([]insightapi.Party{{PartyName: "ALDER INCORPORATED"}, {PartyName: "Alder"}, {PartyName: "The Birch Limited"}}, c)
	want := Score{Found: 3, RightFound: 2, Gold: 2, Recalled: 2}
	if got := *r.Scores["parties"]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := *r.Scores["parties, "+half(c)+" half"]; got != want {
		t.Errorf("the half has %+v, want %+v", got, want)
	}
	if half(c) != half(Contract{File: "AlderInc_2002.pdf"}) {
		t.Error("contracts of a company are in different halves")
	}
	r.parties([]insightapi.Party{{PartyName: "Cedar"}}, Contract{})
	if len(r.Scores) != 2 || r.Scores["parties"].Found != 3 {
		t.Errorf("a contract without annotated parties counts: %+v", r.Scores)
	}
}
