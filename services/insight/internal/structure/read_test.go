package structure

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// read reads a plain text, and checks the invariants.
func read(t *testing.T, text string) *Document {
	t.Helper()
	d := Read(&layout.Document{Text: text})
	checkInvariants(t, "made", d)
	return d
}

// outlineOf returns the level, number and title of each section.
func outlineOf(d *Document) []string {
	var out []string
	for _, s := range d.Sections {
		out = append(out, fmt.Sprintf("%d|%s|%s", s.Level, s.Number, s.Title))
	}
	return out
}

func quotes(d *Document) []string {
	var out []string
	for _, s := range d.Sentences {
		out = append(out, d.Plain(s.Span))
	}
	return out
}

func paragraphsOf(d *Document) []string {
	var out []string
	for _, p := range d.Paragraphs {
		if p.Kind != Margin {
			out = append(out, d.Plain(p.Span))
		}
	}
	return out
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestSections(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"decimal": {
			"1. DEFINITIONS\n\n1.1 \"Fee\" means the fee.\n\n1.2 Scope. The scope is wide.\n\n2. Term\n\n2.1 Renewal. It renews.\n\n(a) Notice. One gives notice.\n\n(i) in writing; and\n\n(ii) in time.\n\n(b) Otherwise it ends.",
			[]string{"1|1|DEFINITIONS", "2|1.1|", "2|1.2|Scope", "1|2|Term", "2|2.1|Renewal", "3|(a)|Notice"},
		},
		"articles": {
			"ARTICLE I\nDEFINITIONS\n\nSection 1.1 Fee. The fee is due.\n\nARTICLE II\n\nTERM AND TERMINATION\n\nSection 2.1 Term. This runs on.",
			[]string{"1|ARTICLE I|DEFINITIONS", "2|Section 1.1|Fee", "1|ARTICLE II|TERM AND TERMINATION", "2|Section 2.1|Term"},
		},
		"capitals around numbers": {
			"I. GENERAL\n\nA. Scope\n\n1. First. The first one.\n\n2. Second. The second one.\n\nB. Price\n\n1. Third. The third one.\n\nII. OTHER\n\nA. More",
			[]string{"1|I|GENERAL", "2|A|Scope", "3|1|First", "3|2|Second", "2|B|Price", "3|1|Third", "1|II|OTHER", "2|A|More"},
		},
		"without numbers": {
			"SERVICES AGREEMENT\n\nConfidentiality\n\nEach party keeps secret what the other party has told it about its business.\n\nGoverning Law\n\nThis Agreement shall be governed by the laws of the State of Delaware alone.",
			[]string{"1||SERVICES AGREEMENT", "1||Confidentiality", "1||Governing Law"},
		},
		"run-in": {
			"Governing Law. This Agreement shall be governed by the laws of Texas.\n\n7. Notices: All notices are in writing.\n\n8. Waiver – No waiver is one.",
			[]string{"1||Governing Law", "1|7|Notices", "1|8|Waiver"},
		},
		"no stop after the title": {
			"14. Governing Law This Agreement shall be governed by the laws of Israel.\n\n15. NOTICES   All notices are in writing.",
			[]string{"1|14|Governing Law", "1|15|NOTICES"},
		},
		"not a number": {
			"1998. That was the year of the merger.\n\n3.5 million shares were sold by the company.\n\nSection 3.2 of this Agreement shall survive its end.\n\n$1.5 was paid.\n\n(30) days are enough.\n\nArticle 5, above, is void.",
			nil,
		},
		"table of contents": {
			"TABLE OF CONTENTS\n\n1. Scope ........ 1\n\n2. Term ........ 3\n\n1. Scope\n\nThe scope of this is what the parties have agreed upon in the order.\n\n2. Term\n\nThe term of this is one year from its date.",
			[]string{"1|1|Scope", "1|2|Term"},
		},
		"recitals end": {
			"RECITALS\n\nA. One sells.\n\nB. The other buys.\n\nNOW, THEREFORE, the parties agree:\n\n1. Sale. One sells.",
			[]string{"1||RECITALS", "1|1|Sale"},
		},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "sections", outlineOf(read(t, c.text)), c.want) })
	}
}

func TestSectionSpans(t *testing.T) {
	d := read(t, "1. Scope. The scope.\n\n1.1 Part. A part.\n\n2. Term. The term.\n\nMore on it.")
	equal(t, "spans", []string{d.Quote(d.Sections[0].Span), d.Quote(d.Sections[1].Span), d.Quote(d.Sections[2].Span)},
		[]string{"1. Scope. The scope.\n\n1.1 Part. A part.", "1.1 Part. A part.", "2. Term. The term.\n\nMore on it."})
	if got := d.Quote(d.Sections[1].TitleSpan); got != "Part" || d.Sections[1].Parent != 0 {
		t.Errorf("the title is %q, the parent %d", got, d.Sections[1].Parent)
	}
	if p := d.Paragraphs[3]; p.Section != 2 || p.Kind != Body {
		t.Errorf("the last paragraph is %v", p)
	}
}

func TestRomanAndLetters(t *testing.T) {
	for name, c := range map[string]struct {
		numbers []string
		levels  []int
	}{
		"i after h":       {[]string{"(a)", "(b)", "(c)", "(d)", "(e)", "(f)", "(g)", "(h)", "(i)", "(j)"}, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		"i below a":       {[]string{"(a)", "(i)", "(ii)", "(iii)", "(b)", "(i)"}, []int{1, 2, 2, 2, 1, 2}},
		"v after iv":      {[]string{"(i)", "(ii)", "(iii)", "(iv)", "(v)", "(vi)"}, []int{1, 1, 1, 1, 1, 1}},
		"aa after z":      {[]string{"(y)", "(z)", "(aa)", "(bb)"}, []int{1, 1, 1, 1}},
		"decimals nested": {[]string{"1.", "1.1", "1.1.1", "1.2", "2.", "2.1"}, []int{1, 2, 3, 2, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, strings.Join(c.numbers, " Something is said here of it, at length\n\n")+" Something more")
			if len(d.Paragraphs) != len(c.numbers) {
				t.Fatalf("got %d paragraphs, want %d", len(d.Paragraphs), len(c.numbers))
			}
			for i, p := range d.Paragraphs {
				if p.Number != strings.TrimSuffix(c.numbers[i], ".") || p.Level != c.levels[i] {
					t.Errorf("paragraph %d is %q at %d, want %q at %d", i, p.Number, p.Level, c.numbers[i], c.levels[i])
				}
			}
		})
	}
}

func TestSentences(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"two":                {"One sells. The other buys.", []string{"One sells.", "The other buys."}},
		"companies":          {"Acme Inc. and Foo Corp. of Delaware agree. Bar Co. Ltd. does not.", []string{"Acme Inc. and Foo Corp. of Delaware agree.", "Bar Co. Ltd. does not."}},
		"rupees":             {"The rent is Rs. 9,500 a month. It is paid in Rs. Nothing else is.", []string{"The rent is Rs. 9,500 a month.", "It is paid in Rs.", "Nothing else is."}},
		"company at the end": {"It is sold to Acme Inc. The price is due.", []string{"It is sold to Acme Inc.", "The price is due."}},
		"country":            {"It holds in the U.S. Government. It is U.S. law.", []string{"It holds in the U.S. Government.", "It is U.S. law."}},
		"initials":           {"J. Smith and R.W. Jones sign. They agree.", []string{"J. Smith and R.W. Jones sign.", "They agree."}},
		"latin":              {"Costs, e.g. Taxes, i.e. Duties, are due. See Roe vs. Wade et al. It binds.", []string{"Costs, e.g. Taxes, i.e. Duties, are due.", "See Roe vs. Wade et al. It binds."}},
		"numbers":            {"Pay $1.5 or 2.25 % under Policy No. 5 at 3 p.m. on Main St. Boston. Done.", []string{"Pay $1.5 or 2.25 % under Policy No. 5 at 3 p.m. on Main St. Boston.", "Done."}},
		"places":             {"See www.acme.com or a.b@acme.com. It is there.", []string{"See www.acme.com or a.b@acme.com.", "It is there."}},
		"list":               {"The party shall: (a) pay; (b) deliver; and (c) wait. Then it ends.", []string{"The party shall: (a) pay; (b) deliver; and (c) wait.", "Then it ends."}},
		"quotes":             {"It is called \"the Work.\" (It is new.) He said “no.” Then he left.", []string{"It is called \"the Work.\"", "(It is new.)", "He said “no.”", "Then he left."}},
		"ellipsis":           {"It goes on ... And on. Fee ....... 5", []string{"It goes on ... And on.", "Fee ....... 5"}},
		"reference":          {"It is due under Section 2.1. The rest is set out in Exhibit A. Nothing else is.", []string{"It is due under Section 2.1.", "The rest is set out in Exhibit A.", "Nothing else is."}},
		"number and title":   {"2.1 Governing Law. This is under the laws of Iowa. So be it.", []string{"Governing Law.", "This is under the laws of Iowa.", "So be it."}},
		"title with a colon": {"(f) Governing Law: This is under the laws of Iowa.", []string{"Governing Law:", "This is under the laws of Iowa."}},
		"keyword":            {"Section 2.1. Term. This runs on.", []string{"Term.", "This runs on."}},
		"bullets": {
			"This order is subject to the terms of Elm, a copy of which Oak has. In particular:\n- Elm is not liable for loss of business, loss of data or any indirect loss.\n- The liability of Elm in a period is limited to the charges for that period. - Ha.\n– Nothing limits liability for death from negligence.\n",
			[]string{
				"This order is subject to the terms of Elm, a copy of which Oak has.", "In particular: - Elm is not liable for loss of business, loss of data or any indirect loss.",
				"- The liability of Elm in a period is limited to the charges for that period. - Ha.", "– Nothing limits liability for death from negligence.",
			},
		},
		"answer": {"Is the answer no. 5? It is no. The end.", []string{"Is the answer no. 5?", "It is no.", "The end."}},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "sentences", quotes(read(t, c.text)), c.want) })
	}
}

func TestWrappedText(t *testing.T) {
	d := read(t, `1. Term. This agreement begins on the day on which the last of the parties has
signed it, and goes on for a period of three years after that date as is in Section
3.2 below.
2. Renewal. It renews for further periods of one year each, unless one party has
told the other that it does not want that at least sixty days before the end of
the period.
    A new paragraph begins further in than the others do, and goes on like those
that are before it.`)
	equal(t, "paragraphs", paragraphsOf(d), []string{
		"1. Term. This agreement begins on the day on which the last of the parties has signed it, and goes on for a period of three years after that date as is in Section 3.2 below.",
		"2. Renewal. It renews for further periods of one year each, unless one party has told the other that it does not want that at least sixty days before the end of the period.",
		"A new paragraph begins further in than the others do, and goes on like those that are before it.",
	})
}

func TestPagesOfText(t *testing.T) {
	page := func(n int, text string) string {
		return text + "\n\n" + fmt.Sprint(n) + "\n\nSource: ACME, INC., 10-Q, 5/1/2019\n\n\n\n\n\n"
	}
	long := strings.Repeat("The parties have agreed on what is said here. ", 10)
	d := read(t, page(1, long+"\n\nThe fee is due when the buyer, who is to pay it,")+page(2, "has received the goods. "+long)+page(3, long))
	got := paragraphsOf(d)
	if len(got) != 3 || !strings.HasPrefix(got[1], "The fee is due when the buyer, who is to pay it, has received the goods. The parties") {
		t.Errorf("the paragraphs are %q", got)
	}
	if s := quotes(d)[10]; s != "The fee is due when the buyer, who is to pay it, has received the goods." {
		t.Errorf("the sentence across the page break is %q", s)
	}
	if len(d.Margins) != 6 {
		t.Errorf("%d lines are margins, want 6", len(d.Margins))
	}
}

func TestCollapsedText(t *testing.T) {
	d := read(t, "Exhibit 10.1   SUPPLY AGREEMENT   This Agreement is made by Acme Inc. and Foo LLC.   1. Supply. Acme supplies the goods that are (i) ordered; and (ii) paid, as in Section 2. Foo pays. 2. Term. (a) Start. This begins today. (b) End. It ends in 2020. 3. Governing Law   This Agreement is under the laws of Ohio.")
	equal(t, "sections", outlineOf(d), []string{
		"1||SUPPLY AGREEMENT", "1|1|Supply", "1|2|Term", "2|(a)|Start", "2|(b)|End", "1|3|Governing Law",
	})
}

func TestDefinitions(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string // term|span
	}{
		"means":          {`"Fee" means what is due. “Net Sales” shall mean all sales.`, []string{`Fee|"Fee" means what is due.`, `Net Sales|“Net Sales” shall mean all sales.`}},
		"meaning":        {`"Fee" has the meaning set forth in Section 2.`, []string{`Fee|"Fee" has the meaning set forth in Section 2.`}},
		"two":            {`"Fee" or "Charge" means what is due.`, []string{`Fee|"Fee" or "Charge" means what is due.`, `Charge|"Fee" or "Charge" means what is due.`}},
		"parentheses":    {`This is made as of May 1, 2020 (the "Effective Date") by and between Acme Inc., of Ohio ("Acme" or the "Company") and Foo LLC (hereinafter referred to as "Foo").`, []string{`Effective Date|May 1, 2020`, `Acme|Acme Inc., of Ohio`, `Company|Acme Inc., of Ohio`, `Foo|Foo LLC`}},
		"referred to":    {`Foo LLC, hereinafter referred to as "Foo", agrees.`, []string{`Foo|Foo LLC, hereinafter referred to as "Foo", agrees.`}},
		"doubled":        {"``Fee'' means what is due. \"\"Tax\"\" means the tax.", []string{"Fee|``Fee'' means what is due.", `Tax|""Tax"" means the tax.`}},
		"bare":           {"1.6. LAUNCH DATE shall mean the first day.", []string{"LAUNCH DATE|LAUNCH DATE shall mean the first day."}},
		"no definitions": {`He said "Yes" to it (see the "Times" of May). This means war.`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, c.text)
			var got []string
			for _, x := range d.Definitions {
				got = append(got, x.Term+"|"+d.Quote(x.Span))
				if d.Quote(x.TermSpan) != x.Term {
					t.Errorf("the span of the term %q is %q", x.Term, d.Quote(x.TermSpan))
				}
			}
			equal(t, "definitions", got, c.want)
		})
	}
}

// signaturesOf returns the parts of each signature block, separated by "|".
func signaturesOf(d *Document) []string {
	var out []string
	for _, s := range d.Signatures {
		out = append(out, fmt.Sprintf("%s|%s|%s|%s|%s", d.Quote(s.Party), d.Quote(s.Name), d.Quote(s.Title), d.Quote(s.Email), d.Quote(s.Date)))
	}
	return out
}

func TestSignatures(t *testing.T) {
	witness := "IN WITNESS WHEREOF, the parties have executed this Agreement.\n\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"blank":           {witness + "ACME, INC.\n\nBy: ____________\nName: ____________\nTitle: ____________\nDate: ____________", []string{"ACME, INC.||||"}},
		"signed":          {witness + "ACME, INC.\nBy: /s/ John Doe\nName: John Doe\nTitle: President\nDate: May 1, 2020\nEmail: jd@acme.com\n\nFOO LLC\nBy: /s/ Jane Roe\nIts: Manager", []string{"ACME, INC.|John Doe|President|jd@acme.com|May 1, 2020", "FOO LLC|Jane Roe|Manager||"}},
		"lines after":     {witness + "ACME, INC.\n\n/s/ John Doe\n\nJohn Doe\n\nVice President", []string{"ACME, INC.|John Doe|Vice President||"}},
		"side by side":    {witness + "ACME, INC.                  FOO LLC\n\nBy: ____________            By: ____________\nName: John Doe              Name: Jane Roe\nTitle: President            Title: Manager", []string{"ACME, INC.|John Doe|President||", "FOO LLC|Jane Roe|Manager||"}},
		"on one line":     {witness + "By:/s/ John Doe  By:/s/ Jane Roe Name: John Doe  Name: Jane Roe Title: President Title: Manager", []string{"|John Doe|President||", "|Jane Roe|Manager||"}},
		"title with name": {witness + "ACME CORP.\nBy: /s/ John Doe\nJohn Doe, Chief Executive Officer", []string{"ACME CORP.|John Doe|Chief Executive Officer||"}},
		"none":            {"The notice names its date. It is signed by: the seller.\n\nName: the one that is on the list.", nil},
	} {
		t.Run(name, func(t *testing.T) { equal(t, "signatures", signaturesOf(read(t, c.text)), c.want) })
	}
}

func TestExhibits(t *testing.T) {
	d := read(t, "Exhibit 10.1\n\nSUPPLY AGREEMENT\n\n1. Supply. It is as in Exhibit A.\n\nExhibit B is attached to this.\n\nEXHIBIT A\n\nPRICE LIST\n\n1. Goods. They cost five.\n\nSchedule 1 - Plants\n\nOne plant.\n\nANNEX II: Forms\n\nA form.")
	var got []string
	for _, e := range d.Exhibits {
		got = append(got, fmt.Sprintf("%s|%s|%s", e.Label, e.Title, wording.OneLine(d.Quote(e.Span))))
	}
	equal(t, "exhibits", got, []string{
		"EXHIBIT A|PRICE LIST|EXHIBIT A PRICE LIST 1. Goods. They cost five.", "Schedule 1|Plants|Schedule 1 - Plants One plant.", "ANNEX II|Forms|ANNEX II: Forms A form.",
	})
	if s := d.Sections[3]; s.Title != "Goods" || s.Parent != 2 || s.Level != 2 {
		t.Errorf("the section in the exhibit is %v", s)
	}
}

func TestTables(t *testing.T) {
	d := read(t, "The prices are:\n\nProduct        Price     Unit\nApples         $5        kg\nPears          $6        kg\n\nThey hold for a year.")
	if len(d.Tables) != 1 || len(d.Tables[0].Rows) != 3 || d.Quote(d.Tables[0].Rows[2][1]) != "$6" {
		t.Errorf("the tables are %v", d.Tables)
	}
	if d := read(t, "This  is   justified text  that   has\nwide gaps   in  it,   and  is  not   a\ntable  of   anything  at   all  but   a\nparagraph."); len(d.Tables) != 0 {
		t.Errorf("a paragraph is a table: %v", d.Tables)
	}
}

// rowsOf returns the rows of a document: the cells, and behind a bar the head.
func rowsOf(d *Document) (all []string) {
	quotes := func(spans []layout.Span) string {
		var texts []string
		for _, s := range spans {
			texts = append(texts, d.Quote(s))
		}
		return strings.Join(texts, ", ")
	}
	for _, r := range d.Rows() {
		all = append(all, quotes(r.Cells)+" | "+quotes(r.Head))
	}
	return all
}

func TestRows(t *testing.T) {
	equal(t, "rows of text", rowsOf(read(t, "Order no.     A-17\nPaid by       Elm\n\nPart       Size      Qty      Price EUR\nBox 7      large     12       24.50\nBox 8      small\n                     40       11.25\nTOTAL EUR 35.75\n")), []string{
		"Order no., A-17 | ",
		"Paid by, Elm | ",
		"Part, Size, Qty, Price EUR | Paid by, Elm",
		"Box 7, large, 12, 24.50 | Part, Size, Qty, Price EUR",
		"Box 8, small, 40, 11.25 | Part, Size, Qty, Price EUR",
		"TOTAL, EUR 35.75 | Part, Size, Qty, Price EUR",
	})
	cell := func(row, column int) layout.Block {
		return layout.Block{Cell: layout.Cell{Table: 1, Row: row, Column: column}}
	}
	d := Read(blocksOf([]string{"Item", "£", "Roof", "9,675", "Total"}, []layout.Block{cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1), cell(2, 0)}))
	equal(t, "rows of cells", rowsOf(d), []string{"Item, £ | ", "Roof, 9,675 | Item, £"})
}

// blocksOf returns a document with the blocks.
func blocksOf(texts []string, blocks []layout.Block) *layout.Document {
	d := &layout.Document{}
	for i, text := range texts {
		blocks[i].Span = layout.Span{Start: len(d.Text), End: len(d.Text) + len(text)}
		d.Text += text + "\n"
	}
	d.Blocks = blocks
	return d
}

func TestBlocks(t *testing.T) {
	d := Read(blocksOf(
		[]string{"Acme", "Services", "Scope. This is the scope.", "a part", "Price", "Five", "", "Six", "A note."},
		[]layout.Block{
			{Role: layout.Header}, {Heading: 1, Label: "1."}, {Label: "1.1"}, {Label: "(a)"},
			{Cell: layout.Cell{Table: 1}}, {Cell: layout.Cell{Table: 1, Column: 1}},
			{Cell: layout.Cell{Table: 1, Row: 1}}, {Cell: layout.Cell{Table: 1, Row: 1, Column: 1}}, {Role: layout.Note},
		}))
	checkInvariants(t, "blocks", d)
	equal(t, "sections", outlineOf(d), []string{"1|1|Services", "2|1.1|Scope"})
	var kinds []string
	for _, p := range d.Paragraphs {
		kinds = append(kinds, string(p.Kind)+" "+p.Number)
	}
	equal(t, "kinds", kinds, []string{"margin ", "heading 1", "item 1.1", "item (a)", "cell ", "cell ", "cell ", "note "})
	if len(d.Tables) != 1 || len(d.Tables[0].Rows) != 2 || d.Tables[0].Rows[1][0].Len() != 0 || d.Quote(d.Tables[0].Rows[1][1]) != "Six" {
		t.Errorf("the tables are %v", d.Tables)
	}
}

func TestSignaturesInCells(t *testing.T) {
	cell := func(row, column int) layout.Block {
		return layout.Block{Cell: layout.Cell{Table: 1, Row: row, Column: column}}
	}
	d := Read(blocksOf(
		[]string{"ACME, INC.", "FOO LLC", "By: ________", "By: ________", "Name: John Doe", "Name: Jane Roe"},
		[]layout.Block{cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1), cell(2, 0), cell(2, 1)}))
	checkInvariants(t, "cells", d)
	equal(t, "signatures", signaturesOf(d), []string{"ACME, INC.|John Doe|||", "FOO LLC|Jane Roe|||"})
}

func TestSignaturesInGrid(t *testing.T) {
	texts := []string{"", "PROVIDER", "CUSTOMER", "Signature", "", "", "Print Name", "John Doe", "Jane Roe", "Title", "President", "Manager", "Date", "", ""}
	var blocks []layout.Block
	for i := range texts {
		blocks = append(blocks, layout.Block{Cell: layout.Cell{Table: 1, Row: i / 3, Column: i % 3}})
	}
	d := Read(blocksOf(texts, blocks))
	checkInvariants(t, "grid", d)
	equal(t, "signatures", signaturesOf(d), []string{"PROVIDER|John Doe|President||", "CUSTOMER|Jane Roe|Manager||"})
}

func TestStyledClauses(t *testing.T) {
	d := Read(blocksOf(
		[]string{"Services", "Support. One supports the other.", "The use of the product is as the parties have agreed upon."},
		[]layout.Block{{Heading: 1, Label: "2."}, {Heading: 2, Label: "2.1"}, {Heading: 3, Label: "(a)"}}))
	checkInvariants(t, "styled", d)
	equal(t, "sections", outlineOf(d), []string{"1|2|Services", "2|2.1|Support", "3|(a)|"})
}

func TestDayBeginsNoSection(t *testing.T) {
	d := read(t, "ORDER\n\nStart\n\n1 March 2024\n\n1. Price. The price is ten.\n\n2. Place. It is here.")
	equal(t, "sections", outlineOf(d), []string{"1||ORDER", "1|1|Price", "1|2|Place"})
}
