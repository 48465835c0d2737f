package title_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/rules/title"
)

// paragraph is a paragraph of a letter, with a heading.
var paragraph = "Governing Law and Entire Agreement. " + strings.Repeat("The law of Oregon governs this letter. ", 8)

// TestTitlesAndKinds shows that the title is a whole phrase, and that the title of a
// letter is its subject.
func TestTitlesAndKinds(t *testing.T) {
	for text, want := range map[string][2]string{
		"AMENDMENT NO. 4 TO STORAGE AGREEMENT":              {"AMENDMENT NO. 4 TO STORAGE AGREEMENT", "Amendment to Storage Agreement"},
		"Third Amendment to the Lease Agreement":            {"Third Amendment to the Lease Agreement", "Amendment to Lease Agreement"},
		"Data Processing Addendum to the Storage Agreement": {"Data Processing Addendum to the Storage Agreement", "Data Processing Addendum"},
		"SHARE PURCHASE AGREEMENT":                          {"SHARE PURCHASE AGREEMENT", "Share Purchase Agreement"},
		"HIRE PURCHASE AGREEMENT":                           {"HIRE PURCHASE AGREEMENT", "Hire Purchase Agreement"},
		"DEED OF GUARANTEE":                                 {"DEED OF GUARANTEE", "Deed of Guarantee"},
		"NOTICE OF TERMINATION\n\nTo: Elm":                  {"NOTICE OF TERMINATION", "Notice of Termination"},
		"AGREEMENT OF PURCHASE AND SALE OF THE HOUSE AND THE YARD BEHIND IT": {
			"AGREEMENT OF PURCHASE AND SALE OF THE HOUSE AND THE YARD BEHIND IT", "Agreement of Purchase and Sale",
		},
		"TRANSLATION AGREEMENT":                                                                {"TRANSLATION AGREEMENT", "Translation Agreement"},
		"TRANSLATION: STORAGE AGREEMENT":                                                       {"STORAGE AGREEMENT", "Storage Agreement"},
		"(Translation) STORAGE AGREEMENT":                                                      {"STORAGE AGREEMENT", "Storage Agreement"},
		"DRAFTING AGREEMENT":                                                                   {"DRAFTING AGREEMENT", "Drafting Agreement"},
		"Agreement on the Loan of a Barn to Jo":                                                {"Agreement on the Loan of a Barn to Jo", "Agreement on the Loan of a Barn"},
		"Dear Jo:\n\nWe offer you the job of a clerk.\n\n" + paragraph:                         {"", "Employment Offer Letter"},
		"LEASE\n\nHere is what a house costs.":                                                 {"LEASE", "Lease"},
		"PURCHASE ORDER\n\nNumber: 5\n\nTerms and Conditions":                                  {"PURCHASE ORDER", "Purchase Order"},
		"CONFIDENTIAL SETTLEMENT AGREEMENT":                                                    {"CONFIDENTIAL SETTLEMENT AGREEMENT", "Settlement Agreement"},
		"CONFIDENTIAL\n\nSTORAGE AGREEMENT":                                                    {"STORAGE AGREEMENT", "Storage Agreement"},
		"Re: Offer of Work\n\nDear Jo:":                                                        {"Offer of Work", "Offer Letter"},
		"Re: Our barn\n\nDear Jo:\n\nThis letter agreement is it.":                             {"Our barn", "Letter Agreement"},
		"Sub: Employment Contract\n\nDear Jo:":                                                 {"Employment Contract", "Employment Contract"},
		"Re: Box Escrow, Account No. 7\n\nDear Jo:":                                            {"Box Escrow, Account No. 7", "Escrow Agreement"},
		"Re: Retainer for the barn lease dispute\n\nDear Jo:":                                  {"Retainer for the barn lease dispute", "Engagement Letter"},
		"Re: Your engagement as box consultant\n\nDear Jo:":                                    {"Your engagement as box consultant", "Consultancy Agreement"},
		"Re: Our barn\n\nDear Jo:":                                                             {"Our barn", "Letter"},
		"Dear Agreement Holder,":                                                               {"", ""},
		"Dear Jo\n\nEngagement letter: accounts and tax\n\nThank you for asking us.":           {"Engagement letter: accounts and tax", "Engagement Letter"},
		"Dear Jo:\n\nOur barn is red\n\nThank you for asking us.":                              {"Our barn is red", "Letter"},
		"Dear Jo,\n\nYou asked about the barn\n\nThank you for asking us.":                     {"", ""},
		"Dear Jo,\n\nThank you for your order. It is:\n\nEnclosure: Box Lease Agreement\n\nJo": {"", ""},
		"Re: Our barn": {"", ""},
	} {
		d := rulestest.Read(text + "\n\nThe parties do as they say in this text.\n")
		titles := title.Find(d, "")
		types := title.Types(d, titles)
		rulestest.Sane(t, d, titles)
		var got [2]string
		if len(titles) > 0 {
			got[0] = titles[0].Item.Title
		}
		if len(types) > 0 {
			got[1] = types[0].Item.DocumentType
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
