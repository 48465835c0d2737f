package structure

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
)

func TestSignaturesInRunningText(t *testing.T) {
	witness := "IN WITNESS WHEREOF, the parties have caused this Agreement to be executed as of the day first above written"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"one after the other": {
			witness + ". NORDEN PUMPS LTD By: /s/ Ada Kern Name: Ada Kern Title: Director SUDEN FARMS INC. By: /s/ Bo Lund Name: Bo Lund Title: Vice President, Sales 12",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Vice President, Sales||"},
		},
		"no stop before": {
			witness + " NORDEN PUMPS LTD By: /s/ Ada Kern Ada Kern, Director SUDEN FARMS INC. By: /s/ Bo Lund Bo Lund Its: Manager",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"},
		},
		"columns on one line": {
			witness + ". NORDEN PUMPS, LLC SUDEN FARMS, INC. By: /s/ Ada Kern By: /s/ Bo Lund Name: Ada Kern Name: Bo Lund Title: Director Title: Manager",
			[]string{"NORDEN PUMPS, LLC|Ada Kern|Director||", "SUDEN FARMS, INC.|Bo Lund|Manager||"},
		},
		"not signed yet": {
			witness + ". SELLER: NORDEN PUMPS LTD By: Name: Ada Kern Title: Director BUYER: SUDEN FARMS INC. By: Name: Bo Lund Title: Manager",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"},
		},
		"signed and printed": {
			witness + ". NORDEN PUMPS LTD /s/ Ada Kern By: Ada Kern Title: Director SUDEN FARMS INC. Signature: /s/ Bo Lund By: Bo Lund Its: Manager Date: 2-6-2020",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||2-6-2020"},
		},
		"a partner signs": {
			witness + ".\n\nNORDEN FUND, L.P.\n\nBy: Norden GP LLC, its general partner\n\nBy: /s/ Ada Kern\nName: Ada Kern\nTitle: Authorized Signatory",
			[]string{"NORDEN FUND, L.P.|Ada Kern|Authorized Signatory||"},
		},
		"a company with an acronym signs": {
			witness + ". NORDEN FUND, L.P. By: NPM Norden Capital Management LP, By: NPM Norden GP LLC, its General Partner By: /s/ Ada Kern Name: Ada Kern Title: Director",
			[]string{"NORDEN FUND, L.P.|Ada Kern|Director||"},
		},
		"a sentence with labels": {"The seller ends this agreement by: (a) a letter that states its name: that of the buyer, and title: that of the goods, or by: a call.", nil},
		"a list in a sentence":   {"Notice is given by: (i) hand; or (ii) post, and dated: the day on which it was sent by the Seller to the Buyer.", nil},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}

func TestPartiesOfSignatures(t *testing.T) {
	made := "This Supply Agreement is made on 3 June 2022 between Norden Pumps Ltd and Suden Farms Inc.\n\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"sentence is no party":        {made + "By: ____________\nAda Kern\n", []string{"|Ada Kern|||"}},
		"place and date are no party": {"NORDEN PUMPS LTD\n\nThe terms of sale are those of the list of prices.\n\nBremen, 15. March 2023\n\n____________\nAda Kern\n", []string{"|Ada Kern|||"}},
		"subject is no party":         {"Re: Supply of Pumps\n\nBy: /s/ Ada Kern\n", []string{"|Ada Kern|||"}},
		"a company below": {
			"Oslo, 3 June 2022\n\n____________\nAda Kern\nDirector\nNorden Pumps Ltd\n\nRome, 4 June 2022\n\n____________\nBo Lund\nManager\nSuden Farms Inc.\n",
			[]string{"Norden Pumps Ltd|Ada Kern|Director||", "Suden Farms Inc.|Bo Lund|Manager||"},
		},
		"a company under the line": {"____________\nNorden Pumps Ltd\nAda Kern, Director\n", []string{"Norden Pumps Ltd|Ada Kern|Director||"}},
		"the next company":         {"By: /s/ Ada Kern\nAda Kern\n\nSUDEN FARMS INC.\nBy: /s/ Bo Lund\nBo Lund\n", []string{"|Ada Kern|||", "SUDEN FARMS INC.|Bo Lund|||"}},
		"for":                      {"For: NORDEN PUMPS LTD\nSignature: ________\nFull name: Ada Kern\nCapacity: Director\n\nFor: SUDEN FARMS INC.\nSignature: ________\nFull name: Bo Lund\nDesignation: Manager\n", []string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"}},
		"for, above the name":      {"For SUDEN FARMS LTD\n\n(Bo Lund)\nDirector\n", []string{"SUDEN FARMS LTD|Bo Lund|Director||"}},
		"for, in a letter":         {"For Suden Farms Ltd\n\nthe time has come to pay.\n", nil},
		"a deed":                   {"EXECUTED as a DEED by NORDEN PUMPS LTD\nacting by Ada Kern, a director,\nin the presence of:\n\n............\nWitness\n", []string{"NORDEN PUMPS LTD|Ada Kern|director||"}},
		"on behalf of":             {"SIGNED by ADA KERN              )\nfor and on behalf of            )\nNORDEN PUMPS LTD                )  ..........\n", []string{"NORDEN PUMPS LTD|ADA KERN|||"}},
		"a deed, signed": {
			"Executed as a Deed by NORDEN PUMPS LTD acting by a director:\n\n/s/ Ada Kern (Director)\n\nExecuted as a Deed by BO LUND:\n\n/s/ Bo Lund\n",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "|BO LUND|||"},
		},
		"two deeds": {
			"SIGNED by ADA KERN     )\nfor and on behalf of   )\nNORDEN PUMPS LTD       )  ........\n\nSIGNED by BO LUND      )\nfor and on behalf of   )\nSUDEN FARMS INC.       )  ........\n",
			[]string{"NORDEN PUMPS LTD|ADA KERN|||", "SUDEN FARMS INC.|BO LUND|||"},
		},
		"on behalf of, on a line": {"Signed by Bo Lund for and on behalf of SUDEN FARMS INC.\n\n..........\n", []string{"SUDEN FARMS INC.|Bo Lund|||"}},
		"on behalf of, wrapped":   {"Signed by BO LUND for and\non behalf of SUDEN FARMS PLC    ..........\nDirector\n", []string{"SUDEN FARMS PLC|BO LUND|Director||"}},
		"sentence on signing":     {"Signed by the tenant on behalf of all who live there, it takes effect.\n", nil},
		"a letter":                {"We thank you for the order that you gave us.\n\nYours sincerely,\n\nAda Kern\nDirector\nNorden Pumps Ltd\n", []string{"Norden Pumps Ltd|Ada Kern|Director||"}},
		"a company in a letter":   {"Very truly yours,\n\nNORDEN PUMPS LTD\n\nBy: /s/ Ada Kern\nName: Ada Kern\n", []string{"NORDEN PUMPS LTD|Ada Kern|||"}},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}

func TestNamesOfSigners(t *testing.T) {
	for text, want := range map[string]string{
		"Name: Ada Kern, Director":                   "Ada Kern|Director",
		"Name: Ada Kern (Mayor)":                     "Ada Kern|Mayor",
		"Name: Ada Kern - Head of Sales":             "Ada Kern|Head of Sales",
		"Name: Walter Eugene Hobbs, Seller":          "Walter Eugene Hobbs|Seller",
		"Name: Ada Kern, M.D.":                       "Ada Kern, M.D.|",
		"Name: KERN, Ada":                            "KERN, Ada|",
		"Name: Ada Kern and Bo Lund":                 "Ada Kern and Bo Lund|",
		"The Baker":                                  "|",
		"News of the Day":                            "|",
		"Payments":                                   "|",
		"Kern and Lund":                              "|",
		"Name: [Full legal name of the employee]":    "|",
		"Name: {party_1_signatory}":                  "|",
		"Ada Kern\nIts Chief Executive Officer":      "Ada Kern|Chief Executive Officer",
		"Ada Kern Signature":                         "Ada Kern|",
		"(Ada Kern)":                                 "Ada Kern|",
		"Name: Ada Kern\nRole: Director":             "Ada Kern|Director",
		"Name: Ada Kern\nTitle: Director [Page 9]":   "Ada Kern|Director",
		"/s/ Ada Kern____ Ada Kern, President":       "Ada Kern|President",
		"/s/ Ada Kern\nName:\nTitle:":                "Ada Kern|",
		"/s/ Ada Kern    ----------   ----------":    "Ada Kern|",
		"/s/ Ada Kern  Bo Lund":                      "Ada Kern|",
		"/s/ A.K.":                                   "|",
		"Name: Birch Holdings LLC":                   "|",
		"Date":                                       "|",
		"Authorized Signing Officer\nName: Ada Kern": "Ada Kern|Authorized Signing Officer",
		"Ada Kern Witness":                           "none",
		"Notary Public":                              "none",
		"Witness":                                    "none",
	} {
		d := read(t, "NORDEN PUMPS LTD\n\nBy: ____________\n"+text+"\n")
		got := "none"
		if len(d.Signatures) > 0 {
			got = d.Quote(d.Signatures[0].Name) + "|" + d.Quote(d.Signatures[0].Title)
		}
		if len(d.Signatures) > 1 || got != want {
			t.Errorf("%q: got %q in %d blocks, want %q", text, got, len(d.Signatures), want)
		}
	}
}

func TestWitnessesAreNoSigners(t *testing.T) {
	for name, text := range map[string]string{
		"label":  "\nWitness: ____________\nName: Cy Holm\n",
		"header": "\nIn the presence of:\n\n____________\nName: Cy Holm\n",
		"notary": "\nSTATE OF OHIO\nCOUNTY OF LAKE\n\nSubscribed and sworn to before me on this day.\n\n____________\nCy Holm\nNotary Public\n",
		"attest": "\nATTEST:\n\nBy: /s/ Cy Holm\nName: Cy Holm\n",
		"name":   "\nIn the presence of:\n\nPrint Name\n\n____________\nCy Holm\n",
		"agent":  "\nIts duly authorized agent in the presence of:\n\nWitness ____________\n\nPrinted name ____________\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, "NORDEN PUMPS LTD\n\nBy: ____________\nName: Ada Kern\nTitle: Director\n"+text+"\nSUDEN FARMS INC.\n\nBy: ____________\nName: Bo Lund\nTitle: Manager\n")
			equal(t, "signatures", signaturesOf(d), []string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"})
		})
	}
}

// tabbed returns a document of lines whose columns are separated by a narrow tab.
func tabbed(lines ...string) *layout.Document {
	d := &layout.Document{Pages: []layout.Page{{Width: 600, Height: 800}}}
	for i, l := range lines {
		at, left := len(d.Text), 0.1
		d.Text += l + "\n"
		top := 0.1 + 0.02*float64(i)
		for word := range strings.FieldsSeq(l) {
			at += strings.Index(d.Text[at:], word)
			right := left + 0.008*float64(len(word))
			d.Words = append(d.Words, layout.Word{Span: layout.Span{Start: at, End: at + len(word)}, Page: 1, Box: layout.Box{Left: left, Top: top, Right: right, Bottom: top + 0.015}})
			at, left = at+len(word), right+0.01
		}
	}
	d.Pages[0].End = len(d.Text)
	return d
}

func TestSignaturesParted(t *testing.T) {
	d := Read(tabbed("NORDEN PUMPING SYSTEMS, INC.\tSUDEN LTD", "By: ____\tBy: ____", "Name: Ada Kern\tName: Bo Lund", "Title: Vice President\tTitle: Chief Information Officer"))
	checkInvariants(t, "tabs", d)
	equal(t, "signatures", signaturesOf(d), []string{"NORDEN PUMPING SYSTEMS, INC.|Ada Kern|Vice President||", "SUDEN LTD|Bo Lund|Chief Information Officer||"})
	d = Read(tabbed("NORDEN PUMPING SYSTEMS, INC.", "By:\t____", "Name:\tAda Kern", "Title:\tDirector"))
	checkInvariants(t, "labels", d)
	equal(t, "signatures", signaturesOf(d), []string{"NORDEN PUMPING SYSTEMS, INC.|Ada Kern|Director||"})
}

func TestSignatureGridRoles(t *testing.T) {
	texts := []string{"", "Norden Pumps Ltd", "Suden Farms Inc.", "Signature", "", "", "Full name", "Ada Kern (Director)", "Bo Lund", "Role", "", "Manager"}
	var blocks []layout.Block
	for i := range texts {
		blocks = append(blocks, layout.Block{Cell: layout.Cell{Table: 1, Row: i / 3, Column: i % 3}})
	}
	d := Read(blocksOf(texts, blocks))
	checkInvariants(t, "grid", d)
	equal(t, "signatures", signaturesOf(d), []string{"Norden Pumps Ltd|Ada Kern|Director||", "Suden Farms Inc.|Bo Lund|Manager||"})
}

func TestSignatureLines(t *testing.T) {
	d := read(t, "NORDEN PUMPS LTD\n\nBy: ____________\nName: Ada Kern\n\n____________\nDate\n\nSUDEN FARMS INC.\n\nBy: /s/ Bo Lund\nName: Bo Lund\n")
	var lines []string
	for _, s := range d.Signatures {
		lines = append(lines, d.Quote(s.Line))
	}
	equal(t, "lines", lines, []string{"By: ____________", ""})
}

// TestSignatureForms reads signature blocks that are worded in other ways than "By:".
func TestSignatureForms(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a name only after a witness": {
			"Signed for and on behalf of NORDEN PUMPS LTD\n\nName: Ada Kern\nTitle: Director\n\nIts duly authorised agent in the presence of:\n\nWitness ____________\n\nPrinted name ____________\n\n" +
				"Name: Bo Lund\nTitle: Manager\n\nIts duly authorised agent in the presence of:\n\nWitness ____________\n\nPrinted name ____________\n",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "|Bo Lund|Manager||"},
		},
		"a name after the lines of a witness": {
			"Signed for and on behalf of NORDEN PUMPS LTD\n\nName: Ada Kern    --------------------- Title: Director\n\nIts duly authorized agent in the presence of:\n\nWitness      ---------------------\n\nPrinted name      ---------------------\n\n" +
				"Name: Bo Lund    --------------------- Title: Manager\n\nIts duly authorized agent in the presence of:\n\nWitness      ---------------------\n\nPrinted name      ---------------------\n",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "|Bo Lund|Manager||"},
		},
		"by its representative, signed in columns": {
			"NORDEN PUMPS LTD              SUDEN FARMS INC.\n\nBy its Authorized Representative:    By its Authorized Representative:\n\n/s/ Ada Kern              /s/ Bo Lund\nAda Kern              Bo Lund\nDirector              Manager\n",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"},
		},
		"by its representative": {
			"NORDEN PUMPS LTD\n\nBy its Authorized Representative:\n\nAda Kern\nDirector\n\nSUDEN FARMS INC.\n\nBy Its Duly Authorised Officer\n\nBo Lund, Manager\n",
			[]string{"NORDEN PUMPS LTD|Ada Kern|Director||", "SUDEN FARMS INC.|Bo Lund|Manager||"},
		},
		"signed by, and a signature in columns": {
			"SIGNED by ADA KERN    )         duly authorised for and on behalf of    )    /s/ A. Kern    NORDEN PUMPS LIMITED    )\n\nDate: 3 June 2022\n\n" +
				"SIGNED by BO LUND    )         duly authorised for and on behalf of    )    /s/ Bo Lund    SUDEN FARMS LIMITED    )\n",
			[]string{"NORDEN PUMPS LIMITED|ADA KERN|||3 June 2022", "SUDEN FARMS LIMITED|BO LUND|||"},
		},
		"signed by, and a signature": {
			"SIGNED by ADA KERN ) duly authorised for and on behalf of NORDEN PUMPS LIMITED ) /s/ A. Kern\n\nDate: 3 June 2022\n\n" +
				"SIGNED by BO LUND ) duly authorised for and on behalf of SUDEN FARMS LIMITED ) /s/ Bo Lund\n",
			[]string{"NORDEN PUMPS LIMITED|ADA KERN|||3 June 2022", "SUDEN FARMS LIMITED|BO LUND|||"},
		},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}
