package parties_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

func TestSigners(t *testing.T) {
	text := "ALDER WORKS, INC.\nBy: ____\nName: Dr. Ludwig van der Berg, Jr.\nTitle: CEO –\nEmail: l@example.com\nBIRCH LLC\n"
	at := func(s string) layout.Span {
		i := strings.Index(text, s)
		return layout.Span{Start: i, End: i + len(s)}
	}
	d := &structure.Document{Document: &layout.Document{Text: text}, Signatures: []structure.Signature{
		{Span: layout.Span{Start: 0, End: 90}, Party: at("ALDER WORKS, INC."), Name: at("Dr. Ludwig van der Berg, Jr."), Title: at("CEO –"), Email: at("l@example.com")},
		{Span: at("BIRCH LLC"), Party: at("BIRCH LLC"), Name: at("____")},
	}}
	got := parties.Signers(d)
	rulestest.Sane(t, d, got)
	if len(got) != 2 {
		t.Fatalf("got %+v", got)
	}
	first, second := got[0].Item, got[1].Item
	if first.FirstName != "Ludwig" || first.LastName != "van der Berg" || first.SignerRole != "CEO, ALDER WORKS, INC." || *first.Email != "l@example.com" || *first.SignerIndex != 0 || first.SignerID != "signer-1" {
		t.Errorf("got %+v", first)
	}
	if second.SignerFullName != "" || second.SignerRole != "BIRCH LLC" || second.Email != nil || *second.SignerIndex != 1 || d.Quote(got[1].Span) != "BIRCH LLC" {
		t.Errorf("got %+v", second)
	}
}

// TestJointSigners shows that two people who sign in the same block are two signers.
func TestJointSigners(t *testing.T) {
	d := rulestest.Read("NORDEN PUMPS LLC\n\nBy: ____________\nName: Ada Kern and Bo Lund\nTitle: Members\n")
	got := parties.Signers(d)
	rulestest.Sane(t, d, got)
	if len(got) != 2 || got[0].Item.SignerFullName != "Ada Kern" || got[1].Item.SignerFullName != "Bo Lund" || got[1].Item.SignerRole != "Members, NORDEN PUMPS LLC" || *got[1].Item.SignerIndex != 1 {
		t.Errorf("got %+v, want both members", got)
	}
}
