package structure

import "testing"

// TestSignaturesFlattened shows that blocks side by side are told apart where the space
// between their columns is lost, line by line or altogether.
func TestSignaturesFlattened(t *testing.T) {
	witness := "IN WITNESS WHEREOF, the parties have caused this Agreement to be executed as of the day first above written"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a label twice on each line": {
			witness + ".\n\nNORDEN PUMPS, LLC SUDEN FARMS, INC.\n\nBy: /s/ Ada Kern By: /s/ Bo A. Lund\n\nPrinted Name: Ada Kern Printed Name: Bo A. Lund\n\nTitle: Director Title: EVP, Global Sales\n\nDate: July 31, 2019 Date: July 31, 2019\n",
			[]string{"NORDEN PUMPS, LLC|Ada Kern|Director||July 31, 2019", "SUDEN FARMS, INC.|Bo A. Lund|EVP, Global Sales||July 31, 2019"},
		},
		"a label once for both names": {
			"Norden Pumps, LLC Suden Farms, Inc.\nBy: /s/ Ada Kern By: /s/ Bo Lund\nName: Ada Kern Bo Lund\nTitle: Director Title: Manager\n",
			[]string{"Norden Pumps, LLC|Ada Kern|Director||", "Suden Farms, Inc.|Bo Lund|Manager||"},
		},
		"one hand signs without a label": {
			"NORDEN PUMPS, INC.: CONSULTANT:\n\nBy: /s/ Ada Kern /s/ Bo Lund\n\nName: Ada Kern Bo Lund\n\nTitle: President\n",
			[]string{"NORDEN PUMPS, INC.|Ada Kern|President||", "CONSULTANT|Bo Lund|||"},
		},
		"both names after both signatures": {
			witness + ". Norden Pumps Ltd.: Suden Farms Inc.: By: /s/ Ada B. Kern By: /s/ Bo Lund Ada B. Kern Bo Lund Printed Name Printed Name\n",
			[]string{"Norden Pumps Ltd.|Ada B. Kern|||", "Suden Farms Inc.|Bo Lund|||"},
		},
		"names without signatures": {
			witness + ".\n\nNORDEN PUMPS LTD SUDEN FARMS INC.\n\nName: Dr A. B. Kern Name: Bo Lund\n\nTitle: Director Title: Manager\n",
			[]string{"NORDEN PUMPS LTD|Dr A. B. Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"},
		},
		"blank lines above both names": {
			witness + ".\n\nNORDEN PUMPS, INC. SUDEN FARMS LIMITED\n\n____________ ____________\n\nAda B. Kern Bo Lund\n",
			[]string{"NORDEN PUMPS, INC.|Ada B. Kern|||", "SUDEN FARMS LIMITED|Bo Lund|||"},
		},
		"lines joined with wide gaps": {
			witness + ".\n\nNORDEN PUMPS, INC. SUDEN FARMS LIMITED          By: ____________ By: ____________          Ada B. Kern Bo Lund\n",
			[]string{"NORDEN PUMPS, INC.|Ada B. Kern|||", "SUDEN FARMS LIMITED|Bo Lund|||"},
		},
		"names and titles in turn": {
			witness + ".\n\nNORDEN PUMPS, INC.       SUDEN FARMS LIMITED\n\nBy:     /s/ Ada Kern       By:    /s/ Bo Lund     Ada Kern           Bo Lund     V.P. U.S. & International Sales           General Manager\n",
			[]string{"NORDEN PUMPS, INC.|Ada Kern|V.P. U.S. & International Sales||", "SUDEN FARMS LIMITED|Bo Lund|General Manager||"},
		},
		"captions in turn": {
			"NORDEN PUMPS, INC.                 SUDEN FARMS LIMITED\n\n/s/ Ada Kern              /s/ Bo Lund ---------------          ---------------- (Signature)               (Signature)\n\nAda Kern                  Bo Lund ---------------          ---------------- (Print Name)              (Print Name)\n\nDirector                  Manager ---------------          ---------------- (Title)                   (Title)\n",
			[]string{"NORDEN PUMPS, INC.|Ada Kern|Director||", "SUDEN FARMS LIMITED|Bo Lund|Manager||"},
		},
		"names below two rules": {
			witness + ". For and on behalf of:\n\n      ----------------------       ----------------------       Ada B. Kern                Bo Lund       Account Manager            Director\n",
			[]string{"|Ada B. Kern|Account Manager||", "|Bo Lund|Director||"},
		},
		"partners of one party": {
			"ELM FUND, L.P. By: Elm GP, L.P., its general partner By: Elm Holding LLC, its general partner By: /s/ Ada Kern Name: Ada Kern Title: Director\n",
			[]string{"ELM FUND, L.P.|Ada Kern|Director||"},
		},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}

// TestSignaturesMarked shows signatures whose marks are written in other ways, and the names
// beside them.
func TestSignaturesMarked(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"two strokes":         {"NORDEN PUMPS LTD\n\nBy: //s// Ada Kern Ada Kern Director\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"a letter too many":   {"NORDEN PUMPS LTD\n\nBy: /s/s Ada Kern Ada Kern\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
		"no colon":            {"NORDEN PUMPS LTD\n\nBy     Ada Kern\nTITLE: Director\nDATE: 3 June 2022\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||3 June 2022"}},
		"a foreign company":   {"Norden Pumps Sp. z o.o. By__/s/ Ada Kern______ Ada Kern, President\n", []string{"|Ada Kern|President||"}},
		"the party between":   {"IN WITNESS WHEREOF, the parties have executed this Agreement as of the date first above written. /s/ Ada Kern NORDEN PUMPS, INC. Ada Kern, CFO 3\n", []string{"NORDEN PUMPS, INC.|Ada Kern|CFO||"}},
		"a label between":     {"NORDEN PUMPS COMPANY By: /s/ Ada B. Kern Name Ada B. Kern Title: President\n", []string{"NORDEN PUMPS COMPANY|Ada B. Kern|President||"}},
		"spelled differently": {"NORDEN PUMPS, INC.\n\nBy: /s/ ADA L. KERNER, SR.\nAda L. Kernar, Sr.\nPresident\n", []string{"NORDEN PUMPS, INC.|Ada L. Kernar, Sr.|President||"}},
		"a deed on one line":  {"SIGNED by NORDEN PUMPS LIMITED acting by ADA KERN ) /s/ Ada Kern\n\nSIGNED by BO LUND ) /s/ Bo Lund\n", []string{"NORDEN PUMPS LIMITED|ADA KERN|||", "|BO LUND|||"}},
		"a caption of a witness": {
			"NORDEN PUMPS LTD\n\n/s/ Cy Holm\nWitness\nCy Holm\n\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: Director\n",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||"},
		},
		"a signature of a witness": {"NORDEN PUMPS LTD\n\nBy: /s/ Ada Kern\n\nWitness: Signature: /s/ Cy Holm\nName: Cy Holm\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
		"a notary": {
			"NORDEN PUMPS LTD\n\nBy: /s/ Ada Kern\nName: Ada Kern\n\n/s/ Cy Holm (SEAL)\nCy Holm Notary Public Commonwealth of Ohio My Commission Expires May 1, 2013\n",
			[]string{"NORDEN PUMPS LTD|Ada Kern|||"},
		},
		"a title without a comma":      {"NORDEN PUMPS LTD\n\nBy: Ada B. Kern Vice President, Sales\n", []string{"NORDEN PUMPS LTD|Ada B. Kern|Vice President, Sales||"}},
		"a title in the next label":    {"NORDEN PUMPS LTD By: ________ Print Name: Ada Kern Print Title: Director\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"labels on lines of their own": {"NORDEN PUMPS LTD\n\nBy:\n\nName:\n\nAda Kern\n\nTitle:\n\nDirector\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"quotation marks":              {"NORDEN PUMPS LTD\n\nBy: \"Ada Kern\"\nDirector\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"somebody to ask":              {"NORDEN PUMPS LTD\n\nBy: /s/ Ada Kern\nTitle: Director\n\nCONTACT\nName: Cy Holm\nPosition: Buyer\nPhone: 555-0100\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||"}},
		"an organization":              {"NORDEN PUMPS LTD\n\nBy: ____________\nName: Bank Of Norden\nTitle: Trustee\n", []string{"NORDEN PUMPS LTD||Trustee||"}},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}
