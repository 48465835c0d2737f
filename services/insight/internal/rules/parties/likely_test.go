package parties_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestUsedAsParties shows that the parties to letters, notes and forms are found by how these use their
// names, with the reasons, and that the rules alone do not find them.
func TestUsedAsParties(t *testing.T) {
	for text, want := range map[string]string{
		"GARAGE\n\nTom Reed rents the garage behind Elm Street 4 from Ann Ash, from 1 May, for 60 a month. He pays by the 3rd. Her neighbour Mr. Gum has the second key.\n\nTom Reed, 28 April\nAnn Ash\n":                                                                                  "Tom Reed (person) ; Ann Ash (person) ",
		"IOU\n\nI, Thomas Whelan, owe Aoife Brennan 400 euros, which she lent me on 3 May 2024 for my car. I will pay it back in four parts of 100 euros on the first of each month, from July.\n\nSigned: Thomas Whelan\nWitness: Dara Walsh\n":                                            "Thomas Whelan (person) ; Aoife Brennan (person) ",
		"CAR SPACE LICENCE\n\nOwner of space:  Priya Ash\nDriver:          Lars Doyle\nSpace:           B2, bay 41, \"The Foundry\", 8 Mallett Lane\nVehicle:         white Mazda 2\n\nThe Driver may leave one car in the bay. The fee is $78 per week.\n\nSigned:  P. Ash     L. Doyle\n": "Priya Ash (person) ; Lars Doyle (person) Driver",
		"RENTAL AGREEMENT\n\nThis agreement is between Maria Santos (landlord) and Kevin O'Brien (tenant) for the apartment at 12 Elm Street.\n\nRent: $1,200\n":                                                                                                                            "Maria Santos (person) ; Kevin O'Brien (person) ",
	} {
		d := rulestest.Read(text)
		found := parties.Find(d)
		rulestest.Sane(t, d, found)
		var got []string
		for _, f := range found {
			reference := ""
			if f.Item.ReferenceName != nil {
				reference = *f.Item.ReferenceName
			}
			got = append(got, fmt.Sprintf("%s (%s) %s", f.Item.PartyName, f.Item.PartyKind, reference))
			if f.Confidence < 0.3 || f.Confidence > 0.99 || f.Reasoning == "" {
				t.Errorf("%s: got the confidence %v, reasoning %q", f.Item.PartyName, f.Confidence, f.Reasoning)
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%.40q: got %q, want %q", text, got, want)
		}
		if alone := parties.FindWith(d, nil); len(alone) >= len(found) {
			t.Errorf("%.40q: the rules alone find %d parties", text, len(alone))
		}
	}
}

// TestTitleOfNote shows that the title of a note is no party, although the rules take it for a letterhead.
func TestTitleOfNote(t *testing.T) {
	d := rulestest.Read("GARAGE SHARING\n\nTom Reed shares the garage behind Elm Street 4 with Ann Ash, from 1 May, for 60 a month. He pays by the 3rd.\n\nTom Reed, 28 April\nAnn Ash\n")
	names := func(found []finding.Found[insightapi.Party]) (all []string) {
		for _, f := range found {
			all = append(all, f.Item.PartyName)
		}
		return all
	}
	if got := names(parties.FindWith(d, nil)); !slices.Contains(got, "GARAGE SHARING") {
		t.Errorf("the rules alone find %q: this test shows nothing", got)
	}
	if got := names(parties.Find(d)); !slices.Equal(got, []string{"Tom Reed", "Ann Ash"}) {
		t.Errorf("got %q", got)
	}
}

// TestCalledAlone shows that the rules alone do not take a single name for a party because it is called
// something.
func TestCalledAlone(t *testing.T) {
	d := rulestest.Read("Our Lamps\n\nAlder Kaisha Seiko (hereinafter referred to as \"A\") sells lamps. The parties (hereinafter referred to as \"the Parties\") like them.\n")
	if found := parties.FindWith(d, nil); len(found) > 0 {
		t.Errorf("got %+v, want none", found)
	}
}

// TestReasons shows what the reason for a party says.
func TestReasons(t *testing.T) {
	d := rulestest.Read("IOU\n\nI, Thomas Whelan, owe Aoife Brennan 400 euros, which she lent me on 3 May 2024 for my car.\n\nDara Walsh saw it.\n")
	found := parties.FindWith(d, learn.Parties())
	if len(found) != 2 {
		t.Fatalf("got %d parties, want 2", len(found))
	}
	if f := found[1]; f.Item.PartyName != "Aoife Brennan" || !strings.HasPrefix(f.Reasoning, "The document uses this name like that of a party: it ") || !strings.HasSuffix(f.Reasoning, ".") {
		t.Errorf("%s: %s", f.Item.PartyName, f.Reasoning)
	}
}
