package structure

import "testing"

// TestSignaturesBelowLines shows what is read below lines to sign on: titles in any language, the companies
// below them, and the roles of parties.
func TestSignaturesBelowLines(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"titles that are not known": {
			"_______________              _______________\nAda Kern                     Bo Lund\nDaglig skipper               Deltaker\nNorden Pumper AS             Suden Gård ANS\n",
			[]string{"Norden Pumper AS|Ada Kern|Daglig skipper||", "Suden Gård ANS|Bo Lund|Deltaker||"},
		},
		"one of them is known": {
			"_______________              _______________\nAda Kern                     Bo Lund\nManaging Director            Hoofbestuurder\n",
			[]string{"|Ada Kern|Managing Director||", "|Bo Lund|Hoofbestuurder||"},
		},
		"a title above the company": {
			"SIGNED\n\n_______________\nAda Kern\nHoofbestuurder\nNorden Pumps Ltd\n",
			[]string{"Norden Pumps Ltd|Ada Kern|Hoofbestuurder||"},
		},
		"the company signs next": {
			"NORDEN PUMPS LTD\n\n_______________\nAda Kern\nHoofbestuurder\n\nSUDEN FARMS LTD\n\n_______________\nBo Lund\nSkakelbeampte\n",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Hoofbestuurder||", "SUDEN FARMS LTD|Bo Lund|||"},
		},
		"an office of a state": {
			"For the City of Norden\n\n_______________\nAda Kern\nMayor\n",
			[]string{"the City of Norden|Ada Kern|Mayor||"},
		},
		"a legal form in capitals": {
			"_______________              _______________\nAda Kern                     Bo Lund\nGérante                      Directeur\nNorden Pompes SARL           Suden Fermes SAS\n",
			[]string{"Norden Pompes SARL|Ada Kern|Gérante||", "Suden Fermes SAS|Bo Lund|Directeur||"},
		},
		"roles below the lines": {
			"Signed at Norden on 1 July 2026.\n\n_______________              _______________\nSELLER                       PURCHASER\nAda Kern                     Bo Lund\n",
			[]string{"SELLER|Ada Kern|||", "PURCHASER|Bo Lund|||"},
		},
		"roles without names": {
			"Signed at Norden on 1 July 2026.\n\n_______________\nThe Seller\n\n_______________\nThe Purchaser\n",
			[]string{"The Seller||||", "The Purchaser||||"},
		},
		"headings with the roles": {
			"Signed by the Employer:\nName: Ada Kern\nPosition: Member of the board\nSignature: ______________   Date: 20.01.2026\n\nSigned by the Employee:\nName: Bo Lund\nSignature: ______________   Date: 21.01.2026\n",
			[]string{"Employer|Ada Kern|Member of the board||20.01.2026", "Employee|Bo Lund|||21.01.2026"},
		},
		"an address above a line": {
			"Ada Kern\n4 Kiln Way, Norden BA11 2PQ\n\n______________\nDirector\n",
			[]string{"Ada Kern||Director||"},
		},
		"headings of all": {
			"Signed by the Parties:\n\nNorden Pumps Ltd\n\nBy: ______________\nName: Ada Kern\n",
			[]string{"Norden Pumps Ltd|Ada Kern|||"},
		},
		"roles above the lines": {
			"SELLER\n\n_______________\nAda Kern\n\nPURCHASER\n\n_______________\nBo Lund\n",
			[]string{"SELLER|Ada Kern|||", "PURCHASER|Bo Lund|||"},
		},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}
