package parties_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// supplied is an agreement between two parties, each with a signature block.
const supplied = `SUPPLY AGREEMENT

This Supply Agreement is made on 3 June 2022 between Norden Pumps Ltd (the "Supplier") and Zoë & Söhne GmbH (the "Customer").

NORDEN PUMPS LTD

By: ____________
Name: Ada Kern
Title: Director

ZOË & SÖHNE GMBH

By: ____________
Name: Bo Lund
Title: Manager
`

// owners returns the names of the signers in a text whose party is the caller.
func owners(text string, c parties.Caller) string {
	d := rulestest.Read(text)
	found := parties.Signers(d)
	parties.MarkOwners(d, c, found)
	var names []string
	for _, f := range found {
		if f.Item.IsAgreementOwner {
			names = append(names, f.Item.SignerFullName)
		}
	}
	return strings.Join(names, " and ")
}

func TestOwnersByOrganization(t *testing.T) {
	for name, want := range map[string]string{
		"Norden Pumps Ltd": "Ada Kern", "norden pumps limited": "Ada Kern", "Norden Pumps": "Ada Kern", "  NORDEN  PUMPS, LTD. ": "Ada Kern",
		"The Norden Pumps Company": "Ada Kern", "Nørden Pumps Inc.": "Ada Kern",
		"Zoe & Soehne GmbH": "", "Zoe and Sohne": "Bo Lund", "Zoë & Söhne GmbH & Co. KG": "Bo Lund", "ZOË und SÖHNE": "",
		"Norden": "", "Norden Pumps Holdings Ltd": "", "Pumps": "", "Ltd": "", "": "", "…": "",
	} {
		if got := owners(supplied, parties.Caller{Organization: name}); got != want {
			t.Errorf("%q: got the owners %q, want %q", name, got, want)
		}
	}
}

func TestOwnersByContext(t *testing.T) {
	for context, want := range map[string]string{
		"We are Norden Pumps Ltd.":                                     "Ada Kern",
		"We are Norden Pumps Ltd. We sell pumps.":                      "Ada Kern",
		"We are Norden Pumps. We sell pumps.":                          "Ada Kern",
		"we're norden pumps, a maker of pumps":                         "Ada Kern",
		"Our company is called “Norden Pumps”.":                        "Ada Kern",
		"Please help. We represent Norden Pumps, Limited in this case": "Ada Kern",
		"We are the Customer.":                                         "Bo Lund",
		"We act as the customer under this agreement.":                 "Bo Lund",
		"Our role: Supplier":                                           "Ada Kern",
		"I work for Zoe & Sohne and read this for them.":               "Bo Lund",
		"On behalf of Zoë & Söhne GmbH: when does it end?":             "Bo Lund",
		"The text is long.\nOn behalf of Norden Pumps Ltd, thank you.": "Ada Kern",
		"We are not the Customer.":                                     "",
		"We are reviewing what Norden Pumps Ltd has sent.":             "",
		"We are Norden Pumps Holdings.":                                "",
		"We are customers of Norden Pumps Ltd.":                        "",
		"They sign on behalf of Norden Pumps Ltd.":                     "",
		"Our counterparty is Norden Pumps Ltd.":                        "",
		"Norden Pumps Ltd":                                             "",
		"We are":                                                       "",
	} {
		if got := owners(supplied, parties.Caller{Context: context}); got != want {
			t.Errorf("%q: got %q, want %q", context, got, want)
		}
	}
	if got := owners(supplied, parties.Caller{Organization: "Norden Pumps", Context: "We are the Customer."}); got != "Ada Kern and Bo Lund" {
		t.Errorf("both: got %q", got)
	}
}

// TestOwnersByRole shows that a block signed with a role belongs to the party with that
// role.
func TestOwnersByRole(t *testing.T) {
	text := strings.NewReplacer("NORDEN PUMPS LTD", "SUPPLIER", "ZOË & SÖHNE GMBH", "CUSTOMER").Replace(supplied)
	if got := owners(text, parties.Caller{Organization: "Norden Pumps Ltd."}); got != "Ada Kern" {
		t.Errorf("by the name: got %q", got)
	}
	if got := owners(text, parties.Caller{Context: "We are the customer."}); got != "Bo Lund" {
		t.Errorf("by the role: got %q", got)
	}
	labelled := strings.NewReplacer("\nNORDEN", "\nVENDOR: NORDEN").Replace(supplied)
	if got := owners(labelled, parties.Caller{Context: "We are the vendor."}); got != "Ada Kern" {
		t.Errorf("by the label: got %q", got)
	}
}

// TestOwnersWhoAreIndividuals shows that a person who signs for no company is a party.
func TestOwnersWhoAreIndividuals(t *testing.T) {
	if got := owners("This is agreed.\n\nBy: ____________\nName: Ada Kern\n", parties.Caller{Context: "I am Ada Kern."}); got != "Ada Kern" {
		t.Errorf("got %q", got)
	}
}
