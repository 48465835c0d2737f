package parties_test

import (
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestSignerRoles shows for whom people sign, and as what, in blocks as they are usual.
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
		"nobody but the general partner is named": {
			"By: Suden Management LLC, its general partner\nBy: /s/ Ada Kern\nName: Ada Kern\n",
			[]string{"Ada Kern: Suden Management LLC"},
		},
		"one signs for a list": {
			"GUARANTORS:\n1. Norden Pumps, Inc.\n2. Norden Valves LLC\n3. Norden Parts Ltd.,\n4. Norden Farms, Inc.\n5. Norden Steel, Inc., and\n6. Suden LLC\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: Treasurer\n",
			[]string{
				"Ada Kern: Treasurer, Suden LLC", "Ada Kern: Treasurer, Norden Pumps, Inc.", "Ada Kern: Treasurer, Norden Valves LLC", "Ada Kern: Treasurer, Norden Parts Ltd.",
				"Ada Kern: Treasurer, Norden Farms, Inc.", "Ada Kern: Treasurer, Norden Steel, Inc.",
			},
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
		t.Run(name, func(t *testing.T) {
			d := rulestest.Read(c.text)
			got := parties.Signers(d)
			rulestest.Sane(t, d, got)
			var roles []string
			for _, f := range got {
				roles = append(roles, f.Item.SignerFullName+": "+f.Item.SignerRole)
			}
			if !slices.Equal(roles, c.want) {
				t.Errorf("got %q, want %q", roles, c.want)
			}
		})
	}
}

// TestSignsAgain shows that a person who signs for the same party again is the same signer, to whom
// the fields of both blocks belong, and that blocks add what others do not say.
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
