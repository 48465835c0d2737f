package structure

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
)

// wordTable is a table of a Word document: its rows, whose cells "|" separates.
type wordTable []string

// wordDocument returns a Word document of paragraphs and tables. If shown is true, its words have positions on a page, as
// they do after the document was converted to PDF.
func wordDocument(shown bool, parts ...any) *layout.Document {
	d := &layout.Document{}
	add := func(text string, cell layout.Cell) {
		if d.Text != "" {
			d.Text += "\n"
		}
		s := layout.Span{Start: len(d.Text), End: len(d.Text) + len(text)}
		d.Text += text
		d.Blocks = append(d.Blocks, layout.Block{Span: s, Cell: cell})
	}
	tables := 0
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			add(p, layout.Cell{})
		case wordTable:
			tables++
			for row, cells := range p {
				for column, text := range strings.Split(cells, "|") {
					add(text, layout.Cell{Table: tables, Row: row, Column: column})
				}
			}
		}
	}
	if shown {
		show(d)
	}
	return d
}

// show gives each word of a document a place on a page.
func show(d *layout.Document) {
	d.Pages = []layout.Page{{Span: layout.Span{End: len(d.Text)}, Width: 600, Height: 10_000}}
	for n, b := range d.Blocks {
		left, at := 0.12+0.3*float64(b.Cell.Column), b.Start
		for word := range strings.FieldsSeq(d.Quote(b.Span)) {
			at += strings.Index(d.Text[at:b.End], word)
			x, y := left+0.01*float64(at-b.Start), 0.002*float64(n)
			d.Words = append(d.Words, layout.Word{
				Span: layout.Span{Start: at, End: at + len(word)}, Page: 1,
				Box: layout.Box{Left: x, Top: y, Right: x + 0.01*float64(len(word)), Bottom: y + 0.001},
			})
			at += len(word)
		}
	}
}

// TestSignaturesBelowTables shows that a table above the signatures does not mix up their columns and names none of
// those who sign, whether the words have positions or not.
func TestSignaturesBelowTables(t *testing.T) {
	prices := wordTable{"Milestone|Due|Fee", "Design|May 1|$500", "Launch|June 1|$900"}
	columns := wordTable{"Norden Pumps Ltd|Suden Farms Inc.", "Signature: ________|Signature: ________", "Name: Ada Kern|Name: Bo Lund", "Title: Director|Title: Manager"}
	want := []string{"Norden Pumps Ltd|Ada Kern|Director||", "Suden Farms Inc.|Bo Lund|Manager||"}
	for name, c := range map[string]struct {
		parts []any
		want  []string
	}{
		"columns":                 {[]any{"The fees are:", prices, columns}, want},
		"columns below a line":    {[]any{"The fees are:", prices, "Signed by the parties:", columns}, want},
		"columns below one row":   {[]any{wordTable{"Milestone|Due|Fee", "Design|May 1|$500"}, columns}, want},
		"labels in cells":         {[]any{prices, wordTable{"Norden Pumps Ltd|", "Signature:|________", "Name:|Ada Kern", "Title:|Director", "Suden Farms Inc.|", "Signature:|________", "Name:|Bo Lund", "Title:|Manager"}}, want},
		"the parties in a row":    {[]any{wordTable{"Norden Pumps Ltd|Suden Farms Inc."}, "", wordTable{"By: ________|By: ________", "Name: Ada Kern|Name: Bo Lund", "Title: Director|Title: Manager"}}, want},
		"a heading of the signer": {[]any{"Signatures", wordTable{"Supplier|Buyer", "Norden Pumps Ltd|Suden Farms Inc.", "Signed: ________|Signed: ________", "Ada Kern|Bo Lund", "Director|Manager"}}, want},
		"roles below lines, below prices": {
			[]any{wordTable{"Currency|USD", "Balance|EUR 4,500.00", "Delivery|Port Louis"}, "1. The Seller sells the boat.", "2. The Buyer pays.", "Signed at Durban on 4 May 2026.", wordTable{"________________|________________", "Seller|Buyer", "Ada Kern|Bo Lund"}},
			[]string{"Seller|Ada Kern|||", "Buyer|Bo Lund|||"},
		},
		"names without titles": {
			[]any{wordTable{"Signed for the Sponsor|Signed for the Organiser", "|", "Name: Ada Kern|Name: Bo Lund", "Title: Director|Title: Styreleder"}},
			[]string{"Sponsor|Ada Kern|Director||", "Organiser|Bo Lund|Styreleder||"},
		},
		"a deed in each table": {
			[]any{wordTable{"Executed as a deed by NORDEN PUMPS PLC acting by a director:|________"}, "", wordTable{"Signed as a deed by ADA KERN in the presence of:|________"}},
			[]string{"|ADA KERN|||"},
		},
		"one table after the other": {
			[]any{wordTable{"Norden Pumps Ltd", "Signature: ________", "Name: Ada Kern"}, "", wordTable{"Signature: ________", "Name: Bo Lund"}},
			[]string{"Norden Pumps Ltd|Ada Kern|||", "|Bo Lund|||"},
		},
	} {
		for _, shown := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				equal(t, "signatures", signaturesOf(Read(wordDocument(shown, c.parts...))), c.want)
			})
		}
	}
}
