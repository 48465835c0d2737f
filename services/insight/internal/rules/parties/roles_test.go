package parties_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestSignerRoles checks the party and the title of signers in common layouts.
func TestSignerRoles(t *testing.T) {
	const witness = "IN WITNESS WHEREOF, the parties have executed this Agreement as of the date first above written."
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"the party is behind the sentence": {
			witness + " NORDEN PUMPS, INC.\n\nBy: /s/ Ada Kern Name: Ada Kern Title: President\n\nSUDEN FARMS LLC (formerly known as Suden Holdco, Inc.)\n\nBy: /s/ Bo Lund Name: Bo Lund Title: Manager\n",
			[]string{"Ada Kern: President, NORDEN PUMPS, INC.", "Bo Lund: Manager, SUDEN FARMS LLC"},
		},
		"both parties are behind the sentence": {
			witness + " NORDEN PUMPS, INC. SUDEN FARMS, INC.\n\nBy: /s/ Ada Kern By: /s/ Bo Lund Name: Ada Kern Name: Bo Lund Title: CEO Title: President\n",
			[]string{"Ada Kern: CEO, NORDEN PUMPS, INC.", "Bo Lund: President, SUDEN FARMS, INC."},
		},
		"the parties of collapsed columns are on two lines": {
			witness + "\n\nNorden Inc.\n\n                 Suden, Inc. By:   /s/ Ada Kern                  By:    /s/ Bo Lund       Name:  Ada Kern                     Name:  Bo Lund       Title: Vice Chairman                        Title: CEO\n",
			[]string{"Ada Kern: Vice Chairman, Norden Inc.", "Bo Lund: CEO, Suden, Inc."},
		},
		"lines are joined up to the next party": {
			"DATED: April 8, 2020 NORDEN CAPITAL LP\n\nBy: /s/ Ada Kern Ada Kern Chief Financial Officer NORDEN HOLDING CORPORATION\n\nBy: /s/ Ada Kern Ada Kern Chief Financial Officer\n",
			[]string{"Ada Kern: Chief Financial Officer, NORDEN CAPITAL LP", "Ada Kern: Chief Financial Officer, NORDEN HOLDING CORPORATION"},
		},
		"a trustee acts for the party": {
			"NORDEN 1998 TRUST,\nBy: SUDEN TRUST COMPANY, not in its individual\ncapacity but solely as Trustee\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: Vice President\n",
			[]string{"Ada Kern: Vice President, NORDEN 1998 TRUST"},
		},
		"a general partner acts for the party": {
			"NORDEN FUND L.P.\n\nBy:   Suden Management LLC\nIts:  Sole General Partner\n\nBy:   /s/ Ada Kern\nName: Ada Kern\nIts:  Managing Member\n",
			[]string{"Ada Kern: Managing Member, NORDEN FUND L.P."},
		},
		"only the general partner is named": {
			"By: Suden Management LLC, its general partner\nBy: /s/ Ada Kern\nName: Ada Kern\n",
			[]string{"Ada Kern: Suden Management LLC"},
		},
		"one signs for a list": {
			"GUARANTORS:\n1. Norden Pumps, Inc.\n2. Norden Valves LLC\n3. Norden Parts Ltd.,\n4. Norden Farms, Inc.\n5. Norden Steel, Inc., and\n6. Suden LLC\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: Treasurer\n",
			[]string{
				"Ada Kern: Treasurer, Norden Pumps, Inc.", "Ada Kern: Treasurer, Norden Valves LLC", "Ada Kern: Treasurer, Norden Parts Ltd.",
				"Ada Kern: Treasurer, Norden Farms, Inc.", "Ada Kern: Treasurer, Norden Steel, Inc.", "Ada Kern: Treasurer, Suden LLC",
			},
		},
		"names go over two lines in two columns": {
			"This Agreement is between the Alder Museum of Natural History (\"Museum\") and Birch Tide Modelling Corporation (\"Licensee\").\n\nTHE ALDER MUSEUM             BIRCH TIDE\nOF NATURAL HISTORY           MODELLING CORPORATION\n\nBy: /s/ Ada Kern             By: /s/ Bo Lund\nName: Ada Kern               Name: Bo Lund\nTitle: Director              Title: President\n",
			[]string{"Ada Kern: Director, Alder Museum of Natural History", "Bo Lund: President, Birch Tide Modelling Corporation"},
		},
		"a title goes over two lines": {
			"NORDEN PUMPS, INC.            SUDEN FARMS LLC\n\nBy: /s/ Ada Kern              By: /s/ Bo Lund\nName: Ada Kern                Name: Bo Lund\nTitle: Senior Vice President  Title: Managing\n       and Treasurer                 Member\n",
			[]string{"Ada Kern: Senior Vice President and Treasurer, NORDEN PUMPS, INC.", "Bo Lund: Managing Member, SUDEN FARMS LLC"},
		},
		"the office follows the name in a deed": {
			"Executed as a deed by                    )\nNORDEN ESTATES LIMITED                   )\nacting by Ada Kern,                      )   /s/ A. Kern\na director, in the presence of:          )\n\nWitness signature: /s/ Bo Lund\n",
			[]string{"Ada Kern: director, NORDEN ESTATES LIMITED"},
		},
		"a description is no party": {
			"NORDEN PUMPS, INC.,\na Delaware Corporation\nas Administrative Agent\n\nBy: /s/ Ada Kern\nName: Ada Kern\n\nSUDEN FARMS LLC\n\nBy: /s/ Bo Lund\nName: Bo Lund\n",
			[]string{"Ada Kern: NORDEN PUMPS, INC.", "Bo Lund: SUDEN FARMS LLC"},
		},
		"a name goes over two lines": {
			"SUPPLY AGREEMENT\n\nThis Agreement is made between Norden Industrial Pumps Manufacturing, Inc. (\"Norden\") and Suden, Inc. (\"Suden\").\n\nNORDEN INDUSTRIAL PUMPS\nMANUFACTURING, INC.\n\nBy: /s/ Ada Kern\nName: Ada Kern\n\nSUDEN\n\nBy: /s/ Bo Lund\nName: Bo Lund\n",
			[]string{"Ada Kern: Norden Industrial Pumps Manufacturing, Inc.", "Bo Lund: Suden, Inc."},
		},
		"a place for a seal is no title": {
			"NORDEN BANK, INC.\nBy: /s/ Ada Kern (SEAL)\nAda Kern, Senior Vice President\n\nSUDEN FARMS LLC\nBy: Bo Lund, Its Manager\n",
			[]string{"Ada Kern: Senior Vice President, NORDEN BANK, INC.", "Bo Lund: Manager, SUDEN FARMS LLC"},
		},
		"a term is no end of a name": {
			"SUPPLY AGREEMENT\n\nThis Agreement is made between Norden Pumps, Inc. (the \"Company\") and the Suden Farms Company (\"Suden\").\n\nCOMPANY\n\nBy: /s/ Ada Kern\nName: Ada Kern\n\nSUDEN\n\nBy: /s/ Bo Lund\nName: Bo Lund\n",
			[]string{"Ada Kern: COMPANY", "Bo Lund: SUDEN"},
		},
	} {
		t.Run(name, func(t *testing.T) { hasRoles(t, c.text, c.want) })
	}
}

// hasRoles checks the names and roles of all signers in a text.
func hasRoles(t *testing.T, text string, want []string) {
	t.Helper()
	d := rulestest.Read(text)
	got := parties.Signers(d)
	rulestest.Sane(t, d, got)
	var roles []string
	for _, f := range got {
		roles = append(roles, f.Item.SignerFullName+": "+f.Item.SignerRole)
	}
	if !slices.Equal(roles, want) {
		t.Errorf("got %q, want %q", roles, want)
	}
}

// TestSignersApart shows what does not belong together: blocks that are not signed yet, people of the same
// name, companies in a heading, and what is below a title.
func TestSignersApart(t *testing.T) {
	kern := "By: /s/ Ada Kern\nName: Ada Kern\nTitle: President\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a company below a line signs next": {
			"NORDEN PUMPS, INC.\n\nBy: ____________\n\nSUDEN FARMS LLC\n\nBy: ____________\nName: Bo Lund\nTitle: Manager\n",
			[]string{": NORDEN PUMPS, INC.", "Bo Lund: Manager, SUDEN FARMS LLC"},
		},
		"a company below an open label signs next": {
			"NORDEN PUMPS, INC.\n\nAccepted by:\n\nSUDEN FARMS LLC\n\nBy: /s/ Bo Lund\nName: Bo Lund\nTitle: Manager\n",
			[]string{": NORDEN PUMPS, INC.", "Bo Lund: Manager, SUDEN FARMS LLC"},
		},
		"father and son": {
			"THE KERN TRUST\n\nBy: /s/ John Kern, Sr.\nName: John Kern, Sr.\nTitle: Trustee\n\nTHE KERN TRUST\n\nBy: /s/ John Kern, Jr.\nName: John Kern, Jr.\nTitle: Trustee\n",
			[]string{"John Kern, Sr.: Trustee, THE KERN TRUST", "John Kern, Jr.: Trustee, THE KERN TRUST"},
		},
		"other initials": {
			"KERN BROTHERS LLC\n\nBy: /s/ John A. Kern\nName: John A. Kern\nTitle: Member\n\nKERN BROTHERS LLC\n\nBy: /s/ John B. Kern\nName: John B. Kern\nTitle: Member\n",
			[]string{"John A. Kern: Member, KERN BROTHERS LLC", "John B. Kern: Member, KERN BROTHERS LLC"},
		},
		"an officer and the same person": {
			"NORDEN PUMPS, INC.\n\n" + kern + "\nPERSONAL GUARANTY\n\n" + strings.Repeat("The Guarantor shall pay what the Company owes under the Agreement. ", 40) +
				"\n\nIN WITNESS WHEREOF, the undersigned has executed this Guaranty in person.\n\n___________________________\nAda Kern\n",
			[]string{"Ada Kern: President, NORDEN PUMPS, INC.", "Ada Kern: "},
		},
		"a company in a title": {
			"By: /s/ Ada Kern\nName: Ada Kern\nTitle: President, NORDEN PUMPS, INC.\n\nBy: /s/ Bo Lund\nName: Bo Lund\nTitle: Manager, SUDEN FARMS LLC\n",
			[]string{"Ada Kern: President, NORDEN PUMPS, INC.", "Bo Lund: Manager, SUDEN FARMS LLC"},
		},
		"a company behind a title": {
			"/s/ Ada Kern Ada Kern, President NORDEN PUMPS CORPORATION\n/s/ Bo Lund Bo Lund, Manager SUDEN FARMS LLC\n",
			[]string{"Ada Kern: President, NORDEN PUMPS CORPORATION", "Bo Lund: Manager, SUDEN FARMS LLC"},
		},
		"the other party has a label": {
			"Norden Pumps, Inc.\nCUSTOMER: Suden Farms LLC\nBy: _____________\nName: Bo Lund\nTitle: CFO\n", []string{"Bo Lund: CFO, Suden Farms LLC"},
		},
		"each company has a signature": {
			"NORDEN PUMPS, INC.\nSUDEN FARMS LLC\n\n" + kern + "\nBy: /s/ Bo Lund\nName: Bo Lund\nTitle: Manager\n",
			[]string{"Ada Kern: President, SUDEN FARMS LLC", "Bo Lund: Manager, SUDEN FARMS LLC"},
		},
		"one name over two lines":   {"KERN INSURANCE COMPANY\nHOLDINGS LTD.\n\n" + kern, []string{"Ada Kern: President, HOLDINGS LTD."}},
		"a subsidiary":              {"NORDEN VALVES LLC,\na wholly owned subsidiary of\nNORDEN PUMPS, INC.\n\n" + kern, []string{"Ada Kern: President, NORDEN PUMPS, INC."}},
		"another name":              {"Norden Enterprises Ltd\ntrading as\nNorden Pumps Ltd\n" + kern, []string{"Ada Kern: President, Norden Pumps Ltd"}},
		"parties in a heading":      {"Signature Page to the Agreement between\nNorden Pumps, Inc.\nSuden Farms LLC\n\n" + kern, []string{"Ada Kern: President, Suden Farms LLC"}},
		"a part of the company":     {"NORDEN PUMPS LLC\nA Member of the Norden Group, Inc.\n" + kern, []string{"Ada Kern: President, NORDEN PUMPS LLC"}},
		"AS is a legal form":        {"AS TALLINK GRUPP AS\n\n" + kern, []string{"Ada Kern: President, AS TALLINK GRUPP AS"}},
		"a place in parentheses":    {"Norden Pumps Ltd (Singapore)\n\n" + kern, []string{"Ada Kern: President, Norden Pumps Ltd (Singapore)"}},
		"an address below a title":  {"NORDEN PUMPS, INC.\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: President,\n100 Main Street\nWilmington, DE 19801\n", []string{"Ada Kern: President, NORDEN PUMPS, INC."}},
		"a heading below a title":   {"NORDEN PUMPS, INC.\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: Vice President,\n\nEXHIBIT A\n\nFORM OF NOTE\n", []string{"Ada Kern: Vice President, NORDEN PUMPS, INC."}},
		"a comma between the lines": {"NORDEN PUMPS, INC.\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: Executive Vice President,\nGeneral Counsel and Secretary\n", []string{"Ada Kern: Executive Vice President, General Counsel and Secretary, NORDEN PUMPS, INC."}},
		"a term of the other party": {
			"This Agreement is made between Norden Pumps, Inc. (the \"Company\") and Kern Insurance Company (the \"Investor\").\n\nCOMPANY\n\n" + kern, []string{"Ada Kern: President, COMPANY"},
		},
	} {
		t.Run(name, func(t *testing.T) { hasRoles(t, c.text, c.want) })
	}
}

// TestManySigners shows that the signer behind long lists of companies is not lost.
func TestManySigners(t *testing.T) {
	var text strings.Builder
	for page := range 12 {
		for n := range 100 {
			fmt.Fprintf(&text, "Norden Pumps %d, Inc.\n", n)
		}
		fmt.Fprintf(&text, "By: /s/ Ada Kern\nName: Ada Kern\nTitle: Treasurer\n\nEXHIBIT %d\n\n%s\n\n", page+1, strings.Repeat("The Guarantor shall pay. ", 100))
	}
	text.WriteString("SUDEN FARMS LLC\n\nBy: /s/ Bo Lund\nName: Bo Lund\nTitle: Manager\n")
	got := parties.Signers(rulestest.Read(text.String()))
	if n := len(got); n != 101 || got[n-1].Item.SignerFullName != "Bo Lund" {
		t.Errorf("got %d signers", n)
	}
}

// TestSignsAgain checks that a person who signs twice for the same party is one signer, that the fields of
// both blocks refer to that signer, and that the second block adds a missing title.
func TestSignsAgain(t *testing.T) {
	block := func(party, title string) string {
		return party + "\n\nBy: ____________\nName: Ada Kern\n" + title + "\n"
	}
	text := block("NORDEN PUMPS LLC", "") + block("SUDEN FARMS INC.", "Title: Agent") + "EXHIBIT A\n\nBILL OF SALE\n\n" + block("Norden Pumps, LLC", "Title: Director")
	d := rulestest.Read(text)
	got := parties.Signers(d)
	rulestest.Sane(t, d, got)
	if len(got) != 2 || got[0].Item.SignerRole != "Director, NORDEN PUMPS LLC" || got[1].Item.SignerRole != "Agent, SUDEN FARMS INC." || *got[1].Item.SignerIndex != 1 {
		t.Fatalf("got %+v", got)
	}
	blocks := parties.NewBlocks(d)
	var signers []string
	for at := range len(text) {
		if text[at] != '_' || text[at-1] == '_' {
			continue
		}
		var f insightapi.Field
		if blocks.Sign(&f, layout.Span{Start: at, End: at + 1}) {
			signers = append(signers, f.SignerID)
		}
	}
	if want := []string{"signer-1", "signer-2", "signer-1"}; !slices.Equal(signers, want) {
		t.Errorf("the lines belong to %v, want %v", signers, want)
	}
}
