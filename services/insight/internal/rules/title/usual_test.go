package title_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/rules/title"
)

// TestUsualNames shows that a kind has its usual name, whatever the title calls it.
func TestUsualNames(t *testing.T) {
	for name, want := range map[string]string{
		"BOX DATA LICENCE DEED":                      "Data License Agreement",
		"Exclusive Distributorship Agreement":        "Distribution Agreement",
		"DISTRIBUTOR AGREEMENT":                      "Distributor Agreement",
		"Distributor Terms – Alder Boxes":            "Distribution Agreement",
		"SUBCONTRACT DEED – BOX SHELVES":             "Subcontract",
		"DESIGN-BUILD AGREEMENT":                     "Construction Agreement",
		"MANUFACTURING SERVICES AGREEMENT":           "Manufacturing Agreement",
		"MASTER OUTSOURCING SERVICES AGREEMENT":      "Outsourcing Agreement",
		"BROKER–CARRIER AGREEMENT":                   "Transportation Agreement",
		"TERM FACILITY AGREEMENT":                    "Loan Agreement",
		"DEED OF CALL OPTION":                        "Option Agreement",
		"MANAGED IT SERVICES":                        "Managed Services Agreement",
		"SOFTWARE DEVELOPMENT AND LICENCE AGREEMENT": "Software Development Agreement",
		"GAS SUPPLY AND PURCHASE AGREEMENT":          "Gas Supply Agreement",
		"LICENSE AND HOSTING AGREEMENT":              "License and Hosting Agreement",
		"DEVELOPMENT AND SUPPLY AGREEMENT":           "Development and Supply Agreement",
		"AMENDMENT TO DISTRIBUTORSHIP AGREEMENT":     "Amendment to Distributorship Agreement",
		"STANDARD TERMS AND CONDITIONS OF SUPPLY":    "Terms and Conditions",
		"Working for Alder: consulting terms":        "Consulting Agreement",
	} {
		d := rulestest.Read(name + afterwards)
		got := title.Types(d, title.Find(d, ""))
		if len(got) != 1 || got[0].Item.DocumentType != want {
			t.Errorf("%q: got %+v, want %q", name, got, want)
		}
	}
}

// TestOpeningShowsKind shows that the first sentences show the kind if no title gives it.
func TestOpeningShowsKind(t *testing.T) {
	for text, want := range map[string]string{
		"Dear Jo:\n\nYou will act as our distributor in Ohio.":                                    "Distribution Agreement",
		"Dear Jo:\n\nThis letter is about your representation of our line of boxes.":              "Sales Agency Agreement",
		"Dear Jo:\n\nI set out the terms on which you will advise us about boxes.":                "Consulting Agreement",
		"Dear Jo:\n\nWe are pleased to offer you the position of packer.":                         "Employment Offer Letter",
		"Dear Jo:\n\nWe will show you Confidential Information about our boxes.":                  "Non-Disclosure Agreement",
		"Boxer subscription terms\n\nThese terms apply to your use of Boxer, the online planner.": "Software as a Service Agreement",
		"SERVICE AGREEMENT\n\nElm and Jo Ohm (the “Executive”) agree as follows.":                 "Employment Agreement",
		"Dear Jo:\n\nOur barn is red.":                                                            "",
	} {
		d := rulestest.Read(text + "\n\nThe parties do as they say in this text.\n")
		got := title.Types(d, title.Find(d, ""))
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Item.DocumentType != want) {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
		rulestest.Sane(t, d, got)
	}
}

// TestTermsTitle shows that a first line in the style of a sentence is a title if it calls the
// document terms, and that letterheads and sentences are none.
func TestTermsTitle(t *testing.T) {
	for text, want := range map[string]string{
		"Boxer subscription terms\n\nThese terms apply to all boxes.":                                          "Boxer subscription terms",
		"Working with us: consulting terms\n\nFrom: Elm":                                                       "Working with us: consulting terms",
		"THE GREEN BOX MAKERS\n\nDear Jo:\n\nWe pay you.":                                                      "",
		"Please confirm your agreement\n\nDear Jo:":                                                            "",
		"You keep the boxes while you pay for them as they stand in the hall and sign the order form below it": "",
		"MANAGED BOX CARE\n\nMinute of Agreement between Elm and Oak, who keep boxes.":                         "MANAGED BOX CARE",
		"e-boxes Hosting agreement\n\nElm hosts.":                                                              "e-boxes Hosting agreement",
	} {
		got := title.Find(rulestest.Read(text+"\n\nThe parties do as they say in this text.\n"), "")
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Item.Title != want) {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
	}
}
