package title_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/rules/title"
)

// TestEverydayTitles shows which lines of everyday papers are titles.
func TestEverydayTitles(t *testing.T) {
	for text, want := range map[string]string{
		"LUCKY HERON\n4 Elm Street\nPAWN TICKET\n\nPawner: Ada Kern\n":                                  "PAWN TICKET",
		"KLOOF GYM – MEMBERSHIP FORM\n\nMember: Ada Kern\n":                                             "MEMBERSHIP FORM",
		"Horse sharing – our rules for Fleur\n\nFleur is ridden by turns.\n":                            "Horse sharing – our rules for Fleur",
		"BOOKING FORM      No. 12\n\nAct: The Birches\n":                                                "BOOKING FORM",
		"ORDER CONFIRMATION No. 12 of 3 May\n\nCustomer: Ada Kern\n":                                    "ORDER CONFIRMATION",
		"I.O.U.\n\nI owe Bo Lund 40 crowns.\n":                                                          "I.O.U.",
		"Winter place on land\n\nWe keep your boat on the quay.\n":                                      "Winter place on land",
		"From: Ada Kern\nTo: Bo Lund\nSubject: Painting at Elm Street\n\nBo, this is what we agreed.\n": "Painting at Elm Street",
		"Re: the lamps\n\nGood evening Bo,\n\nI sell you ten lamps.\n":                                  "the lamps",
		"ALDER BARN\nTerms on which we hire out the barn\n\nThe barn is let by the day.\n":              "Terms on which we hire out the barn",
		"Hi Bo Lund,\n\nI sell you ten lamps.\n":                                                        "",
		"Kia ora Ada and Bo\n\nYou mind the house.\n":                                                   "",
		"Lisbon, 3rd March 2022\n\nYou mind the house.\n":                                               "",
		"Lisbon, Sunday\n\nYou mind the house.\n":                                                       "",
		"the order of the lamps was a mistake\n\nYou mind the house.\n":                                 "",
		"Conditions:\n\nMind the house.\n":                                                              "",
	} {
		d := rulestest.Read(text)
		found := title.Find(d, "")
		rulestest.Sane(t, d, found)
		got := ""
		if len(found) > 0 {
			got = found[0].Item.Title
		}
		if got != want {
			t.Errorf("%q: got the title %q, want %q", text, got, want)
		}
	}
}
