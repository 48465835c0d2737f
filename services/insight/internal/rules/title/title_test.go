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

// afterwards is what follows titles: it names no kind of document.
const afterwards = "\n\nBoth sides do as they say in this text, and nothing else.\n"

// TestTitleFromMetadata takes the title of the properties where the text begins with
// it, or with most of it.
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
				t.Errorf("the source is %s", got[0].Item.TitleSource)
			case strings.Join(strings.Fields(d.Quote(got[0].Span)), " ") != tc.want:
				t.Errorf("it rests on %q", d.Quote(got[0].Span))
			}
		})
	}
}

// TestPlainTitle takes a first line that is written as a title is, and no line that
// just has the noun of a kind of document.
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
		if kinds := title.Types(d, ""); len(kinds) > 0 {
			t.Errorf("%q is of the kind %+v", first, kinds)
		}
	}
}

// TestTitleOfCover joins what the page before a contract is called.
func TestTitleOfCover(t *testing.T) {
	d := rulestest.Read("Cover Page\nfor Alder Mutual NDA" + afterwards)
	if got := title.Find(d, ""); len(got) != 1 || got[0].Item.Title != "Cover Page for Alder Mutual NDA" {
		t.Errorf("got %+v", got)
	}
	if got := title.Find(rulestest.Read("Page 3 of the lease\nis about the rent"+afterwards), ""); len(got) > 0 {
		t.Errorf("of the mark of a page: %+v", got)
	}
}

// TestTitleBehindMarks begins with a letter, whatever stands before it.
func TestTitleBehindMarks(t *testing.T) {
	for _, marks := range []string{"\uFEFF", "\x00 ", "# ", "\u00a0\t"} {
		if got := title.Find(rulestest.Read(marks+"LEASE AGREEMENT"+afterwards), ""); len(got) != 1 || got[0].Item.Title != "LEASE AGREEMENT" {
			t.Errorf("behind %q: got %+v", marks, got)
		}
	}
}

// TestTitleBehindNoBreakSpaces leaves the mark of an exhibit out, whatever parts it.
func TestTitleBehindNoBreakSpaces(t *testing.T) {
	if got := title.Find(rulestest.Read("Exhibit\u00a010.1\u00a0LEASE\u00a0AGREEMENT"+afterwards), ""); len(got) != 1 || got[0].Item.Title != "LEASE AGREEMENT" {
		t.Errorf("got %+v", got)
	}
}

// TestTitleFarFromTheBeginning is none, even in a paragraph that begins there.
func TestTitleFarFromTheBeginning(t *testing.T) {
	text := strings.Repeat("we wrote down what we do, ", 400) + "\nLEASE AGREEMENT"
	d := rulestest.Read(text)
	d.Paragraphs = []structure.Paragraph{{Span: layout.Span{End: len(text)}, Kind: structure.Body, Section: -1}}
	if got := title.Find(d, ""); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
}

// TestTypesForShort knows kinds by their acronyms.
func TestTypesForShort(t *testing.T) {
	for name, want := range map[string]string{
		"Alder Mutual NDA": "Mutual Non-Disclosure Agreement", "MNDA": "Mutual Non-Disclosure Agreement", "Alder MSA": "Master Services Agreement", "SOW No. 3": "Statement of Work",
	} {
		got := title.Types(rulestest.Read(name+afterwards), "")
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
		t.Errorf("a title that the text does not have: got %+v", got)
	}
}

func TestTypes(t *testing.T) {
	for name, want := range map[string]string{
		"CONSULTING AGREEMENT":                            "Consulting Agreement",
		"Alder Consulting Agreement":                      "Consulting Agreement",
		"MANUFACTURING AND SUPPLY AGREEMENT":              "Manufacturing and Supply Agreement",
		"Mutual Non-Disclosure Agreement":                 "Mutual Non-Disclosure Agreement",
		"AMENDED AND RESTATED SOFTWARE LICENSE AGREEMENT": "Software License Agreement",
		"Statement of Work":                               "Statement of Work",
		"RESIDENTIAL LEASE":                               "Residential Lease",
	} {
		got := title.Types(rulestest.Read(name+"\n\nThe parties do as they say in this text.\n"), "")
		if len(got) != 1 || got[0].Item.DocumentType != want {
			t.Errorf("%q: got %+v, want %q", name, got, want)
		}
	}
}
