package evaluation

import (
	"os"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// TestNDALabels shows that each field of an agreement is compared with its label, by value.
func TestNDALabels(t *testing.T) {
	day, law, term, elsewhere := "2024-05-01", "Delaware", "2 years", "Texas"
	l := NDALabels{Parties: []PartyLabel{{Name: "Alder, Inc.", Kind: "organization"}, {Name: "Birch Ltd", Kind: "organization"}}, EffectiveDate: &day, Jurisdiction: &law, Term: &term}
	ms, answer := int64(0), "two (2) years"
	a := &insightapi.Answer{
		DocumentParties: &[]insightapi.Party{{PartyName: "ALDER INC"}, {PartyName: "Cedar LLC"}},
		DocumentDates:   &[]insightapi.Date{{DateType: insightapi.DateExecution, DateValue: day, DateEpochMS: &ms, Place: insightapi.Place{ConfidenceScore: 0.5}}},
		DocumentClauses: &[]insightapi.Clause{{ClauseType: "Governing Law", ClauseDescription: "Governed by the laws of the State of Delaware.", Place: insightapi.Place{ConfidenceScore: 0.5}}},
		CustomPrompt:    &[]insightapi.PromptAnswer{{Message: "?", Value: &answer, Place: insightapi.Place{ConfidenceScore: 0.5}}},
	}
	right := Score{Found: 1, RightFound: 1, Gold: 1, Recalled: 1}
	for name, test := range map[string]struct {
		labels NDALabels
		want   map[string]Score
	}{
		"right": {l, map[string]Score{
			"parties": {Found: 2, RightFound: 1, Gold: 2, Recalled: 1}, "effective date": right, "governing law of": right, "term": right,
			"all fields": {Found: 5, RightFound: 4, Gold: 5, Recalled: 4},
		}},
		"anniversary": {l, map[string]Score{"term": right}},
		"nothing labelled": {NDALabels{}, map[string]Score{
			"parties": {Found: 2}, "effective date": {Found: 1}, "governing law of": {Found: 1}, "term": {Found: 1}, "all fields": {Found: 5},
		}},
		"other values": {NDALabels{EffectiveDate: &term, Jurisdiction: &elsewhere, Term: &day}, map[string]Score{
			"effective date": {Found: 1, Gold: 1}, "governing law of": {Found: 1, Gold: 1},
		}},
	} {
		said := answer
		if name == "anniversary" {
			said = "the second anniversary of the Effective Date"
		}
		(*a.CustomPrompt)[0].Value = &said
		r := NewReport()
		r.AddNDALabels(&layout.Document{Text: contractText}, a, test.labels)
		for field, want := range test.want {
			if got := r.Scores[field]; got == nil || *got != want {
				t.Errorf("%s: %s: got %+v, want %+v", name, field, got, want)
			}
		}
	}
}

func TestParseNDALabels(t *testing.T) {
	const file = `"file": "a.pdf", "sha256": "0000000000000000000000000000000000000000000000000000000000000000"`
	all, err := parseLabels[NDALabels](strings.NewReader(`{` + file + `, "parties": [{"name": "A", "reference": null, "kind": "person"}], "effective_date": "2024-05-01", "jurisdiction": null, "term": "18 months"}`))
	if err != nil || len(all) != 1 || len(all[0].Parties) != 1 || *all[0].Term != "18 months" {
		t.Fatalf("got %+v, %v", all, err)
	}
	for text, want := range map[string]string{
		`{"file": "a.pdf"}`: "no digest",
		`{` + file + `, "parties": [{"name": "", "kind": "ship"}]}`: "parties[0] has a value",
		`{` + file + `, "effective_date": "May"}`:                   "is no date",
		`{` + file + `, "effective_date": "May 1, 2024"}`:           "is no date",
		`{` + file + `, "term": "long"}`:                            "is no period",
		`{` + file + `, "term": ""}`:                                "is no period",
	} {
		if _, err := parseLabels[NDALabels](strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", text, err, want)
		}
	}
	if _, err := ReadNDALabels(t.TempDir(), NDASets[0]); !os.IsNotExist(err) {
		t.Errorf("got %v, want that there is no file", err)
	}
}

// TestNDALabelsOfProject shows that the labels of the project are valid.
func TestNDALabelsOfProject(t *testing.T) {
	agreements := map[string]bool{}
	for _, set := range NDASets {
		all, err := ReadNDALabels(goldFolder, set)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			if agreements[l.File] {
				t.Errorf("%s is in two sets, or twice in one", l.File)
			}
			agreements[l.File] = true
		}
	}
	if len(agreements) != 61 {
		t.Errorf("got labels of %d agreements, want 61", len(agreements))
	}
}
