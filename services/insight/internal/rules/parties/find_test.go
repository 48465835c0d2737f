package parties_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// named returns the names of the parties to a document.
func named(t *testing.T, d *structure.Document) []string {
	t.Helper()
	found := parties.Find(d)
	rulestest.Sane(t, d, found)
	var names []string
	for i, f := range found {
		if f.Item.PartyIndex != i {
			t.Errorf("%s has the index %d, want %d", f.Item.PartyName, f.Item.PartyIndex, i)
		}
		names = append(names, f.Item.PartyName)
	}
	return names
}

func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a preamble before signature blocks": {
			"This Agreement is made between Alder Inc. (\"Alder\") and Birch Ltd (\"Birch\").\n\nALDER INCORPORATED\n\nBy: ________\nName: Ada Kern\n\nGUARANTOR CORP.\n\nBy: ________\nName: Bo Lund\n",
			[]string{"Alder Inc.", "Birch Ltd"},
		},
		"the same name, spelled differently": {
			"This Agreement is made between Alder, Inc. and ALDER INCORPORATED (\"Alder\") and The Birch Company (\"Birch\") and BIRCH CO.",
			[]string{"Alder, Inc.", "The Birch Company"},
		},
		"a preamble with one party, and labels": {
			"Cedar Corp.\n\nSeller: Dogwood LLC\nBuyer: Elm GmbH\n",
			[]string{"Dogwood LLC", "Elm GmbH"},
		},
		"a letter": {
			"Dear Ms. Fir:\n\nGum Bank, a Maryland bank (the \"Bank\"), engages Hazel Advisors LLC (\"Advisor\") as follows.\n",
			[]string{"Gum Bank", "Hazel Advisors LLC"},
		},
		"a letter to a person": {
			"ALDER WATER PTY LTD\n9 Bridge Street, Sydney\n\n3 May 2021\n\nDr Ada Kern\n14 Wattle Crescent\nArmidale NSW 2350\n\nRe: Our lamps\n\nDear Dr Kern\n\nWe engage you.\n\nYours sincerely\n\nBo Lund\nManager\nFor Alder Water Pty Ltd\n",
			[]string{"Ada Kern", "Alder Water Pty Ltd"},
		},
		"a letter with a letterhead, and a subject that is not marked": {
			"ALDER TAIDE SR\nBusiness ID 2916044-7\n\nMs Ada Kern\nRua da Bica 60\nLisbon\n\nAutumn residency: \"Tide\"\n\nDear Ada,\n\nWe offer you a stay.\n\nWith warm wishes\n\nBo Lund\ndirector\n",
			[]string{"ALDER TAIDE SR", "Ada Kern"},
		},
		"letters whose first line is no letterhead": {
			"Offer Letter 12\n12 Elm Street\n\nMs Ada Kern\nRua da Bica 60\nLisbon\n\nDear Ada,\n\nWe offer you a stay.\n",
			[]string{"Ada Kern"},
		},
		"what parties are called, without a list of them": {
			"Basic Agreement\n\nKabushiki Alder Seiko (hereinafter referred to as \"A\") and Godo Birch Minato (hereinafter referred to as \"B\") hereby conclude the following agreement.\n\n1. A and B act in good faith.\n",
			[]string{"Kabushiki Alder Seiko", "Godo Birch Minato"},
		},
		"what parties are called, each in a paragraph": {
			"1. Who we are\n\n1.1 The Alder Point Scouts are a scout group. In this memorandum they are called the Scouts.\n\n1.2 Birch Waka Club Incorporated is a society. In this memorandum it is called the Waka Club.\n\nThe Scouts must not use the ramp.\n",
			[]string{"Alder Point Scouts", "Birch Waka Club Incorporated"},
		},
		"one party that is called something": {
			"Our Lamps\n\nAlder Kaisha Seiko (hereinafter referred to as \"A\") sells lamps. The parties (hereinafter referred to as \"the Parties\") like them.\n",
			[]string{"Alder Kaisha Seiko"}, // by its use: TestCalledAlone
		},
		"the letterhead of a form, and the person who hires": {
			"ALDER VILLAGE HALL ASSOCIATION\nRegistered charity no. 1099412\n\nHALL HIRE FORM\n\nHirer ............ Ada Kern\nAddress .......... 4 Kiln Row\n\n1. The hall is let to the Hirer.\n2. The Hirer leaves the hall clean.\n",
			[]string{"ALDER VILLAGE HALL ASSOCIATION", "Ada Kern"},
		},
		"a first line that is a title": {
			"ALDER SPONSORSHIP RULES\n12 Elm Street\n\nThe rules apply.\n", nil,
		},
		"people who sign for themselves": {
			"Loan\n\nThe loan is paid back in ten parts.\n\nBy: ________________\nName: Ada Kern\n\nBy: ________________\nName: Bo Lund\n",
			[]string{"Ada Kern", "Bo Lund"},
		},
		"people who sign below their roles": {
			"Note\n\nThe sum is paid back in ten parts.\n\nSigned at Oslo on 3 May 2021.\n\n________________          ________________\nLENDER                    BORROWER\nAda Kern                  Bo Lund\n",
			[]string{"Ada Kern", "Bo Lund"},
		},
		"the letterhead of an agency that writes for another": {
			"ALDER STAFFING\n20 Elm Street, Leeds\nTelephone 0113 555 0147\n\n3 May 2021\n\nDr Ada Kern\n6 Fir Court\nRipon\n\nDear Dr Kern,\n\nI write for Birch Practice Limited (\"the Practice\"), which engages you from 1 June 2021.\n\nYours sincerely,\n\n________________\nBo Lund\nPractice Manager\nFor and on behalf of Birch Practice Limited\n",
			[]string{"Ada Kern", "Birch Practice Limited"},
		},
		"a firm that writes for another to a firm": {
			"ALDER & FIR SOLICITORS\n14 Elm Street\nLincoln LN1 1TT\n\n9 April 2026\n\nMessrs Birch Plant Hire Ltd\n3 Canal Side\nNewark NG24 4UE\n\nDear Sirs\n\nWe act for a client, who hires the crane from you.\n\nYours faithfully\n\n________________\nAda Kern\nFor Alder & Fir LLP, on behalf of Cedar Works Limited\n",
			[]string{"Birch Plant Hire Ltd", "Cedar Works Limited"},
		},
		"people who sign for organizations": {
			"Loan\n\nThis loan is between us.\n\nBy: ________________\nName: Ada Kern\n\nBy: ________________\nName: Bo Lund\n", nil,
		},
		"co-signers of the only named party": {
			"Loan\n\nI, Ada Kern, lend the money.\n\nThe loan is paid back in ten parts.\n\nBy: ________________\nName: Ada Kern\n\nBy: ________________\nName: Bo Lund\n",
			[]string{"Ada Kern", "Bo Lund"},
		},
		"a job with a greeting": {
			"ALDER ORCHARDS (2009) INC.\n\nOFFER OF EMPLOYMENT\n\nTo: Ada Kern\n    General Delivery, Naramata\n\nJune 14, 2025\n\nHi Ada,\n\nWe'd like you back on the crew.\n",
			[]string{"ALDER ORCHARDS (2009) INC.", "Ada Kern"},
		},
		"people who sign as officers": {
			"Loan\n\nThe loan is paid back.\n\nBy: ________________\nName: Ada Kern\nTitle: President\n\nBy: ________________\nName: Bo Lund\n", nil,
		},
		"a letter to an officer of an organization without a legal form": {
			"ALDER TRUST FOR MUSIC\nThe Old Maltings, Framlingham\n\n9 June 2021\n\nBirch Valley Youth Brass\nc/o The Secretary, 4 Staithe Road\n\nDear Mrs Kern\n\nWe offer you a grant.\n",
			[]string{"ALDER TRUST FOR MUSIC", "Birch Valley Youth Brass"},
		},
		"a letter to an organization": {
			"May 3, 2021\n\nBirch Capital LLC\n12 Elm Street\nAttention: Ada Kern\n\nDear Ada:\n\nWe engage you.\n\nVery truly yours,\n\nALDER INC.\n\nBy: /s/ Bo Lund\n",
			[]string{"Birch Capital LLC", "ALDER INC."},
		},
		"a letter to a firm from two organizations with terms": {
			"May 3, 2021\n\nAlder, Birch & Cedar, Inc.\n12 Elm Street\n\nLadies and Gentlemen:\n\nDogwood Inc. (the \"Company\") and Elm Trust (the \"Trust\") issued the shares and engage you.\n",
			[]string{"Alder, Birch & Cedar, Inc.", "Dogwood Inc.", "Elm Trust"},
		},
		"a letter to the board of an organization": {
			"May 3, 2021\n\nBoard of Directors\nAlder Foundries, Inc.\n12 Elm Street\n\nGentlemen:\n\nWe engage you.\n",
			[]string{"Alder Foundries, Inc."},
		},
		"a letter about an agreement with a list of parties": {
			"May 3, 2021\n\nAlder Bank\n12 Elm Street\n\nLadies and Gentlemen:\n\nThe loan agreement is between Dogwood Inc. (the \"Company\") and Elm Trust (the \"Trust\").\n",
			[]string{"Dogwood Inc.", "Elm Trust"},
		},
		"a person in a street with the name of an organization": {
			"3 May 2021\n\nMr. Bo Lund\n1 Bank Street\nLondon\n\nDear Mr. Lund,\n\nWe engage you.\n\nVery truly yours,\n\nALDER INC.\n\nBy: /s/ Ada Kern\n",
			[]string{"Bo Lund", "ALDER INC."},
		},
		"a salutation that names no addressee": {
			"May 3, 2021\n\nNotes on Lamps\n\nDear Reader,\n\nWe like lamps.\n\nALDER INC.\n\nBy: /s/ Bo Lund\n",
			[]string{"ALDER INC."},
		},
		"signature blocks alone": {
			"POLICY\n\nThe rules apply.\n\nJUNIPER TRADING LTD\n\nBy: ____________\nName: Ada Kern\n\nKAURI FOODS INC.\n\nBy: ____________\nName: Bo Lund\n",
			[]string{"JUNIPER TRADING LTD", "KAURI FOODS INC."},
		},
		"signature blocks side by side": {
			"POLICY\n\nThe rules apply.\n\nJUNIPER TRADING LTD                  KAURI FOODS INC.\n\nBy: ____________________             By: ____________________\nName: Ada Kern                       Name: Bo Lund\n",
			[]string{"JUNIPER TRADING LTD", "KAURI FOODS INC."},
		},
		"on behalf of": {
			"The operators agree.\n\nFor and on behalf of Larch Telecom plc\n\n----------\n\nSigned for and on behalf of: Maple Cable A/S\n\n----------\n",
			[]string{"Larch Telecom plc", "Maple Cable A/S"},
		},
		"on behalf of organizations without legal forms, and roles": {
			"\"Maple\" means a cable.\n\nFor and on behalf of Larch Telecom\n\n----------\n\nFor and on behalf of Maple\n\nFor and on behalf of the Prospective Purchaser\n\nFor and on behalf of Service Provider\n\nFor and on behalf of\nAuthorised Signatory\n\nFor and on behalf of Birch Cable in Ohio\n",
			[]string{"Larch Telecom"},
		},
		"no parties": {"This policy applies to all employees.", nil},
	} {
		if got := named(t, rulestest.Read(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestFindInTable reads labels and names in the columns of a table.
func TestFindInTable(t *testing.T) {
	d := rulestest.Pairs("Licensor:", "Nutmeg Media LLC", "Licensee:", "Olive Games Ltd.")
	if got := named(t, d); !slices.Equal(got, []string{"Nutmeg Media LLC", "Olive Games Ltd."}) {
		t.Errorf("got %q", got)
	}
	beside := rulestest.Pairs("Supplier", "Customer", "Pine Tools LLC", "Quince Stores Ltd")
	if got := named(t, beside); !slices.Equal(got, []string{"Pine Tools LLC", "Quince Stores Ltd"}) {
		t.Errorf("below labels: got %q", got)
	}
	if got := named(t, rulestest.Pairs("Buyer", "Rowan plc", "Seller", "Sage AG")); !slices.Equal(got, []string{"Rowan plc", "Sage AG"}) {
		t.Errorf("beside labels: got %q", got)
	}
	if role := parties.Find(d)[1].Item.PartyRole; role == nil || *role != "Licensee" {
		t.Errorf("the role is %v", role)
	}
}

// TestFindIsBounded reads a document with more signature blocks than an answer has items,
// and reads it again.
func TestFindIsBounded(t *testing.T) {
	var text strings.Builder
	for i := range 1500 {
		name := "Company " + string(rune('A'+i%26)) + string(rune('A'+i/26%26)) + string(rune('A'+i/676)) + " Ltd"
		text.WriteString(strings.ToUpper(name) + "\n\nBy: ____________\nName: Ada Kern\n\n")
	}
	d := rulestest.Read(text.String())
	found := parties.Find(d)
	if len(found) != finding.MaxItems {
		t.Errorf("found %d parties, want %d", len(found), finding.MaxItems)
	}
	if again := parties.Find(d); !reflect.DeepEqual(again, found) {
		t.Error("reading again gives another result")
	}
}
