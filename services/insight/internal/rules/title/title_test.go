package title_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/rules/title"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// afterwards is the text after a title. It names no kind of document.
const afterwards = "\n\nBoth sides do as they say in this text, and nothing else.\n"

// TestTitleFromMetadata shows that the title in the properties counts if the text begins
// with it or with most of it.
func TestTitleFromMetadata(t *testing.T) {
	for name, tc := range map[string]struct{ text, meta, want string }{
		"all of it":          {"Alder and Birch: what we do", "alder and birch what we do", "Alder and Birch: what we do"},
		"most of it":         {"Front Sheet\nfor Alder Mutual Promises", "Sample Front Sheet for Alder Mutual Promises", "Front Sheet for Alder Mutual Promises"},
		"a small part of it": {"promises", "Front sheet for Alder's mutual promises", ""},
		"none of it":         {"what follows is new to all", "Microsoft Word - draft7.doc", ""},
		"a better one":       {"MUTUAL NON-DISCLOSURE AGREEMENT\n\nThis Mutual Non-Disclosure Agreement is made today.", "Sample", "MUTUAL NON-DISCLOSURE AGREEMENT"},
	} {
		t.Run(name, func(t *testing.T) {
			d := rulestest.Read(tc.text + afterwards)
			got := title.Find(d, tc.meta)
			switch {
			case tc.want == "" && len(got) > 0:
				t.Errorf("got %+v", got)
			case tc.want == "":
			case len(got) != 1 || got[0].Item.Title != tc.want:
				t.Errorf("got %+v, want %q", got, tc.want)
			case (got[0].Item.TitleSource == insightapi.FromMetadata) != (name != "a better one"):
				t.Errorf("got the source %s", got[0].Item.TitleSource)
			case strings.Join(strings.Fields(d.Quote(got[0].Span)), " ") != tc.want:
				t.Errorf("got the quote %q", d.Quote(got[0].Span))
			}
		})
	}
}

// TestRepeatedTitle shows that a first line is the title if the next sentence calls the document
// by it, whatever kind of document it names, and that a mark before the document is not.
func TestRepeatedTitle(t *testing.T) {
	for text, want := range map[string]string{
		"COVENANT NOT TO COMPETE\nThis Covenant Not to Compete is made by Alder pursuant to the Asset Sale Agreement of today.":     "COVENANT NOT TO COMPETE",
		"Promise of Secrecy\n\nThis promise of secrecy binds Alder and the Consulting Agreement.":                                   "Promise of Secrecy",
		"COVENANT NOT TO COMPETE\nThis Share Purchase Agreement is made by Alder.":                                                  "Share Purchase Agreement",
		"Covenant\nThis covenant and the Share Purchase Agreement are made by Alder.":                                               "",
		"APPENDIX \"A\"\nTHIS MUTUAL NON-DISCLOSURE AGREEMENT is made today.\n\nBETWEEN: Alder LLC":                                 "MUTUAL NON-DISCLOSURE AGREEMENT",
		"what we promise to keep\nThis what we promise to keep is made by Alder.":                                                   "",
		"COVENANT NOT TO COMPETE\nThis Covenant Not to Compete is made by Alder.\n\nCONSULTING AGREEMENT\n\nThe Consultant agrees.": "COVENANT NOT TO COMPETE",
	} {
		d := rulestest.Read(text + afterwards)
		got := title.Find(d, "")
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Item.Title != want) {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
		rulestest.Sane(t, d, got)
	}
}

// TestPlainTitle shows that a first line in the style of a title is the title, and that a
// line that only contains a noun for a document is not.
func TestPlainTitle(t *testing.T) {
	for first, want := range map[string]string{
		"Minutes of the General Meeting": "Minutes of the General Meeting", "КОНСУЛЬТАЦИОННЫЕ УСЛУГИ": "КОНСУЛЬТАЦИОННЫЕ УСЛУГИ",
		"Notice address (choose one or both)\n\nWe wrote it down": "", "it will be noted and a release is planned": "",
		"Level 1": "", "Name: Ann Ohm": "", "Alder Works, Inc.": "", "We Did It.": "", "* A Remark": "", "Title": "",
	} {
		d := rulestest.Read(first + afterwards)
		got := title.Find(d, "")
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Item.Title != want || got[0].Confidence >= .5) {
			t.Errorf("%q: got %+v, want %q", first, got, want)
		}
		rulestest.Sane(t, d, got)
		if kinds := title.Types(d, title.Find(d, "")); len(kinds) > 0 {
			t.Errorf("%q: got the kinds %+v, want none", first, kinds)
		}
	}
}

// TestUnreadableLines shows that lines of marks that no title has are no titles.
func TestUnreadableLines(t *testing.T) {
	for _, marks := range []string{"\x00", "\x00\ufeff\x00", "Dear Jo,\n\n\x00\x00\x00\x00\n\n\x00"} {
		if got := title.Find(rulestest.Read(marks+"\nis the rent of the date\n$5"), ""); len(got) > 0 {
			t.Errorf("%q: got %+v, want none", marks, got)
		}
	}
}

// TestCoverTitle shows that the lines of a cover page's title are joined.
func TestCoverTitle(t *testing.T) {
	d := rulestest.Read("Cover Page\nfor Alder Mutual NDA" + afterwards)
	if got := title.Find(d, ""); len(got) != 1 || got[0].Item.Title != "Cover Page for Alder Mutual NDA" {
		t.Errorf("got %+v", got)
	}
	if got := title.Find(rulestest.Read("Page 3 of the lease\nis about the rent"+afterwards), ""); len(got) > 0 {
		t.Errorf("from a page number: got %+v, want none", got)
	}
}

// TestTitleAfterMarks shows that marks and spaces before a title are dropped.
func TestTitleAfterMarks(t *testing.T) {
	for _, marks := range []string{"\uFEFF", "\x00 ", "# ", "\u00a0\t"} {
		if got := title.Find(rulestest.Read(marks+"LEASE AGREEMENT"+afterwards), ""); len(got) != 1 || got[0].Item.Title != "LEASE AGREEMENT" {
			t.Errorf("after %q: got %+v", marks, got)
		}
	}
}

// TestTitleAfterNoBreakSpaces shows that an exhibit mark is dropped even if no-break
// spaces separate it from the title.
func TestTitleAfterNoBreakSpaces(t *testing.T) {
	if got := title.Find(rulestest.Read("Exhibit\u00a010.1\u00a0LEASE\u00a0AGREEMENT"+afterwards), ""); len(got) != 1 || got[0].Item.Title != "LEASE AGREEMENT" {
		t.Errorf("got %+v", got)
	}
}

// TestTitleFarFromTheBeginning shows that a line far from the beginning is not a title,
// even if its paragraph starts at the beginning.
func TestTitleFarFromTheBeginning(t *testing.T) {
	text := strings.Repeat("we wrote down what we do, ", 400) + "\nLEASE AGREEMENT"
	d := rulestest.Read(text)
	d.Paragraphs = []structure.Paragraph{{Span: layout.Span{End: len(text)}, Kind: structure.Body, Section: -1}}
	if got := title.Find(d, ""); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
}

// TestTypesFromAcronyms shows that kinds are recognized by their acronyms.
func TestTypesFromAcronyms(t *testing.T) {
	for name, want := range map[string]string{
		"Alder Mutual NDA": "Mutual Non-Disclosure Agreement", "MNDA": "Mutual Non-Disclosure Agreement", "Alder MSA": "Master Services Agreement", "SOW No. 3": "Statement of Work",
	} {
		d := rulestest.Read(name + afterwards)
		got := title.Types(d, title.Find(d, ""))
		if len(got) != 1 || got[0].Item.DocumentType != want {
			t.Errorf("%q: got %+v, want %q", name, got, want)
		}
	}
}

func TestTitleOfMetadata(t *testing.T) {
	d := rulestest.Read("Alder and Birch: what we do\n\nWe do a lot of things for each other.\n")
	got := title.Find(d, "alder and birch what we do")
	if len(got) != 1 || got[0].Item.Title != "Alder and Birch: what we do" || got[0].Item.TitleSource != insightapi.FromMetadata {
		t.Errorf("got %+v", got)
	}
	if got := title.Find(d, "Microsoft Word - draft7.doc"); len(got) > 0 {
		t.Errorf("a title that is not in the text: got %+v, want none", got)
	}
}

func TestTypes(t *testing.T) {
	for name, want := range map[string]string{
		"CONSULTING AGREEMENT":                             "Consulting Agreement",
		"Alder Consulting Agreement":                       "Consulting Agreement",
		"MANUFACTURING AND SUPPLY AGREEMENT":               "Manufacturing and Supply Agreement",
		"Mutual Non-Disclosure Agreement":                  "Mutual Non-Disclosure Agreement",
		"AMENDED AND RESTATED SOFTWARE LICENSE AGREEMENT":  "Software License Agreement",
		"Statement of Work":                                "Statement of Work",
		"JOINT FILING STATEMENT":                           "Joint Filing Statement",
		"Alder Facilities Management Services Agreement":   "Facilities Management Agreement",
		"RESIDENTIAL LEASE":                                "Residential Lease",
		"FULL MAINTENANCE CONTRACT – BOX PARK ALDER":       "Maintenance Agreement",
		"CONTRACT FOR BOX CLEANING SERVICES":               "Box Cleaning Services Agreement",
		"AGREEMENT FOR THE PROVISION OF CATERING SERVICES": "Catering Services Agreement",
		"EMPLOYMENT CONTRACT":                              "Employment Contract",
		"BOX CONTRACT":                                     "Box Contract",
		"SECOND AMENDMENT: BOX STORAGE AGREEMENT":          "Amendment to Box Storage Agreement",
	} {
		d := rulestest.Read(name + "\n\nThe parties do as they say in this text.\n")
		got := title.Types(d, title.Find(d, ""))
		if len(got) != 1 || got[0].Item.DocumentType != want {
			t.Errorf("%q: got %+v, want %q", name, got, want)
		}
	}
}

// TestTypeOfChange shows that the kind of a document that only says that it changes another
// names what it changes, if its first sentences do.
func TestTypeOfChange(t *testing.T) {
	for text, want := range map[string]string{
		"AMENDMENT NO. 3\n\nReference is hereby made to that certain fully executed Box Storage Agreement Number 7 between Elm and Oak.": "Amendment to Box Storage Agreement",
		"AMENDMENT NO. 3\n\nElm and Oak amend the Warehouse Lease dated May 3, 2020 as follows.":                                         "Amendment to Warehouse Lease",
		"ADDENDUM\n\nThis is an addendum to the Franchise Agreement of Elm and Oak.":                                                     "Addendum to Franchise Agreement",
		"AMENDMENT NO. 3\n\nElm and Oak amend the Agreement as follows.":                                                                 "Amendment",
		"STORAGE AGREEMENT\n\nElm and Oak replace that certain Warehouse Lease of May.":                                                  "Storage Agreement",
	} {
		d := rulestest.Read(text + afterwards)
		got := title.Types(d, title.Find(d, ""))
		if len(got) != 1 || got[0].Item.DocumentType != want {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
		rulestest.Sane(t, d, got)
	}
}

// TestTitleOfLostBreaks shows that a title is found within a line that has lost its breaks,
// as texts made from PDFs have them.
func TestTitleOfLostBreaks(t *testing.T) {
	const omitted = "Certain information in this exhibit has been excluded because it is not material and would harm the registrant if it became known to others."
	for text, want := range map[string]string{
		omitted + " Double asterisks denote omissions. WAREHOUSE AGREEMENT   This Warehouse Agreement is made in May.":                                                                   "WAREHOUSE AGREEMENT",
		omitted + " Execution Version Box Storage and Delivery Agreement Between Elm Ltd And Oak LLC":                                                                                    "Box Storage and Delivery Agreement",
		"Last changed on May 3, 2020 by the office of Elm in the town of Ashford, after the meeting of all its members   ELM WAREHOUSE AGREEMENT   THIS AGREEMENT says what was agreed.": "ELM WAREHOUSE AGREEMENT",
		omitted + " Both sides keep what the agreement says to them.":                                                                                                                    "",
	} {
		d := rulestest.Read(text + afterwards)
		got := title.Find(d, "")
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Item.Title != want) {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
		rulestest.Sane(t, d, got)
	}
}

// TestTitleComesFirst shows that lines which name other documents are no titles.
func TestTitleComesFirst(t *testing.T) {
	for text, want := range map[string]string{
		"Page one\n\nThis Warehouse Agreement is made by Elm and Oak.\n\nAsset Purchase Agreement\n":                     "Warehouse Agreement",
		"AMENDMENT NO. 2\n\nDated as of May 3, 2020\n\nThe parties keep this Amendment, the Agreement and the boxes.\n":  "AMENDMENT NO. 2",
		"BOX STORAGE AND\nWAREHOUSE AGREEMENT THIS\nAGREEMENT is made by Elm and Oak.\n":                                 "BOX STORAGE AND WAREHOUSE AGREEMENT",
		"BOX LICENCE\nAGREEMENT\n\nElm lets Oak use its boxes.\n":                                                        "BOX LICENCE AGREEMENT",
		"BOX LICENCE\n\nAGREEMENT\n\nElm lets Oak use its boxes.\n":                                                      "BOX LICENCE",
		"--------- WAREHOUSE AGREEMENT\n":                                                                                "WAREHOUSE AGREEMENT",
		"WAREHOUSE AGREEMENT by and between Elm and Oak, May 3, 2020\n\n1. What is kept\n":                               "WAREHOUSE AGREEMENT",
		"BOX CONTRACT Contract No: 7 Date: The buyer: Elm\n":                                                             "BOX CONTRACT",
		"EXHIBIT C TO SCHEDULE 2 (WHAT THE LAW OF OHIO ASKS) KEEPER'S CERTIFICATE In connection with the boxes of Elm\n": "KEEPER'S CERTIFICATE",
		"Attachment B to Elm Storage Agreement   WINTER ADDENDUM   OHIO APPENDIX\n":                                      "WINTER ADDENDUM",
		"JOINT FILING AGREEMENT In accordance with the rule, both file one paper\n":                                      "JOINT FILING AGREEMENT",
		"JOINT FILING STATEMENT\n": "JOINT FILING STATEMENT",
		"BOX AGREEMENT BOX AGREEMENT, dated May 3, 2020, of Elm and Oak\n":                                                     "BOX AGREEMENT",
		"Elm Ltd. EXECUTION COPY   IT Support Agreement\n\nINFORMATION TECHNOLOGY SUPPORT AGREEMENT\n":                         "INFORMATION TECHNOLOGY SUPPORT AGREEMENT",
		"ELM STORAGE AGREEMENT\n\nNo. 7\n\nELM STORAGE AGREEMENT (Winter)\n\nTHIS STORAGE AGREEMENT is made by Elm and Oak.\n": "ELM STORAGE AGREEMENT (Winter)",
		"EXHIBIT 'D' This Exhibit D is made by Elm and Oak, and becomes a part of what they signed in May.\n":                  "EXHIBIT 'D'",
		"EXHIBIT 'D' This Exhibit E is made by Elm and Oak, and becomes a part of what they signed in May.\n":                  "",
		"WINTER ORDER FORM No. 12\n\nKeeper: Elm\n\nLicence\n\nOak may use the boxes of Elm.\n":                                "WINTER ORDER FORM No. 12",
		"ELM LTD\n\nQUOTATION AND ACCEPTANCE\n\nQuotation ref: 7\n":                                                            "QUOTATION AND ACCEPTANCE",
		"\"Other Agreement\" means an agreement with Oak\n":                                                                    "",
	} {
		d := rulestest.Read(text + afterwards)
		got := title.Find(d, "")
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].Item.Title != want) {
			t.Errorf("%q: got %+v, want %q", text, got, want)
		}
	}
}
