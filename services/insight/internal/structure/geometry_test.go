package structure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
)

// placed is a line of a page: its parts with their positions, in points.
type placed struct {
	top   float64
	parts []at
}

type at struct {
	left float64
	text string
}

// letter is the width of every letter in these tests, in points.
const letter = 5

// pagesOf returns a document with pages of 600 by 800 points.
func pagesOf(pages ...[]placed) *layout.Document {
	d := &layout.Document{}
	for n, p := range pages {
		start := len(d.Text)
		for _, l := range p {
			for i, part := range l.parts {
				if i > 0 {
					d.Text += " "
				}
				addWords(d, n+1, l.top, part)
			}
			d.Text += "\n"
		}
		d.Pages = append(d.Pages, layout.Page{Span: layout.Span{Start: start, End: len(d.Text)}, Width: 600, Height: 800})
	}
	return d
}

func addWords(d *layout.Document, page int, top float64, part at) {
	left := part.left
	for i, word := range strings.Fields(part.text) {
		if i > 0 {
			d.Text += " "
			left += letter
		}
		right := left + letter*float64(len([]rune(word)))
		d.Words = append(d.Words, layout.Word{
			Span: layout.Span{Start: len(d.Text), End: len(d.Text) + len(word)}, Page: page,
			Box: layout.Box{Left: left / 600, Top: top / 800, Right: right / 600, Bottom: (top + 10) / 800},
		})
		d.Text += word
		left = right
	}
}

// column wraps a text to lines of a page, from a position on.
func column(left, top float64, width int, text string) []placed {
	var out []placed
	lineText := ""
	for _, word := range strings.Fields(text) {
		if len(lineText)+1+len(word) > width {
			out = append(out, placed{top, []at{{left, lineText}}})
			top += 12
			lineText = ""
		}
		lineText = strings.TrimSpace(lineText + " " + word)
	}
	return append(out, placed{top, []at{{left, lineText}}})
}

func one(left, top float64, text string) placed { return placed{top, []at{{left, text}}} }

func TestPages(t *testing.T) {
	first := "The supplier makes the goods that the buyer has ordered, and brings them to the place which the buyer has named in its order, or to another one that the parties have agreed upon later in writing."
	second := "The buyer pays the price of the goods within thirty days after it has got both the goods and the invoice, unless it has told the supplier that they are not as they were ordered, and why."
	third := "Neither party may assign this agreement to another one without the consent of the first, which is not to be withheld without a reason that the other one would accept if it were in its place."
	edges := func(n int, lines ...[]placed) []placed {
		out := []placed{one(60, 30, "Acme Supply Agreement")}
		for _, l := range lines {
			out = append(out, l...)
		}
		return append(out, one(290, 770, fmt.Sprintf("Page %d of 3", n)))
	}
	d := Read(pagesOf(
		edges(1, []placed{one(255, 80, "SUPPLY AGREEMENT")}, column(60, 110, 96, "1. Supply. "+first), column(60, 170, 96, "2. Price. "+second[:120])),
		edges(2, column(60, 60, 96, second[120:]+" "+first), column(80, 130, 92, first), column(60, 190, 96, third)),
		edges(3, column(60, 60, 96, "3. Assignment. "+third), []placed{
			{200, []at{{60, "ACME, INC."}, {320, "FOO LLC"}}},
			{230, []at{{60, "By: ____________"}, {320, "By: ____________"}}},
			{245, []at{{60, "Name: John Doe"}, {320, "Name: Jane Roe"}}},
		})))
	checkInvariants(t, "pages", d)
	got := paragraphsOf(d)
	if len(got) < 6 {
		t.Fatalf("the paragraphs are %q", got)
	}
	equal(t, "paragraphs", got[:6], []string{
		"SUPPLY AGREEMENT", "1. Supply. " + first, "2. Price. " + second + " " + first, first, third, "3. Assignment. " + third,
	})
	equal(t, "sections", outlineOf(d), []string{"1||SUPPLY AGREEMENT", "1|1|Supply", "1|2|Price", "1|3|Assignment"})
	equal(t, "signatures", signaturesOf(d), []string{"ACME, INC.|John Doe|||", "FOO LLC|Jane Roe|||"})
	if len(d.Margins) != 6 {
		t.Errorf("%d lines are margins, want 6", len(d.Margins))
	}
}

func TestTableOnPage(t *testing.T) {
	d := Read(pagesOf([]placed{
		one(60, 60, "The prices are these:"),
		{90, []at{{60, "Product"}, {250, "Price"}, {400, "Unit"}}},
		{105, []at{{60, "Apples"}, {250, "$5"}, {400, "kg"}}},
		{120, []at{{60, "Ripe pears"}, {250, "$6"}, {400, "kg"}}},
		one(60, 150, "They hold for a year."),
	}))
	checkInvariants(t, "table", d)
	if len(d.Tables) != 1 || len(d.Tables[0].Rows) != 3 || d.Quote(d.Tables[0].Rows[2][0]) != "Ripe pears" {
		t.Errorf("the tables are %v", d.Tables)
	}
}
