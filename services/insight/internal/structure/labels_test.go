package structure

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
)

// labelOf returns the label of the first occurrence of a text in a document.
func labelOf(d *Document, text string) string {
	at := strings.Index(d.Text, text)
	return d.Quote(d.Label(layout.Span{Start: at, End: at + len(text)}))
}

func TestLabelsAbove(t *testing.T) {
	d := read(t, "ORDER FORM\n\nEnd Date\n\n28 February 2026\n\nYearly Price:\nEUR 500\n\nThe seller delivers the pumps by the end of May.\n\n3 June 2024\n\nThe price of all that is\nEUR 900\n\nNORDEN PUMPS LTD\n\nEUR 700\n\nRent\n\nThe tenant pays EUR 800.\n\n30 days\n\n12 boxes\n")
	for text, want := range map[string]string{
		"28 February 2026": "End Date", "EUR 500": "Yearly Price", "3 June 2024": "", "EUR 900": "", "EUR 700": "", "EUR 800": "", "12 boxes": "", "End Date": "ORDER FORM", "ORDER FORM": "",
	} {
		if got := labelOf(d, text); got != want {
			t.Errorf("%q has the label %q, want %q", text, got, want)
		}
	}
}

func TestLabelsInCells(t *testing.T) {
	texts := []string{"Start Date:", "1 March 2024", "", "Monthly Rent", "$4,750.00", "", "Total", "", "$65.00", "7 pumps", "$70.00", "$80.00", "", "It is agreed that the rent is $90.00.", ""}
	var blocks []layout.Block
	for i := range texts {
		blocks = append(blocks, layout.Block{Cell: layout.Cell{Table: 1, Row: i / 3, Column: i % 3}})
	}
	d := Read(blocksOf(texts, blocks))
	for text, want := range map[string]string{
		"1 March 2024": "Start Date", "$4,750.00": "Monthly Rent", "$65.00": "Total", "$80.00": "", "$90.00": "", "Total": "",
	} {
		if got := labelOf(d, text); got != want {
			t.Errorf("%q has the label %q, want %q", text, got, want)
		}
	}
}
