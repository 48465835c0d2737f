package structure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
)

// TestHostileTexts reads texts that tempt the reader to look back or ahead over the whole
// text at every offset. With quadratic time, none of them would finish.
func TestHostileTexts(t *testing.T) {
	var exhibits strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&exhibits, "Exhibit %c%c-%d\n", 'A'+i/26%26, 'A'+i%26, i/676)
	}
	const size = 1 << 20
	repeat := func(t string) string { return strings.Repeat(t, size/len(t)) }
	var columns strings.Builder
	columns.WriteString("By: " + strings.Repeat("By:\t", size/8) + "\n")
	for i := range size / 64 {
		fmt.Fprintf(&columns, "Witnesses/%d\nBy: ________\n", i)
	}
	for name, text := range map[string]string{
		"columns of witnesses":        columns.String(),
		"deeds on a line":             repeat("Sealed by A\t"),
		"tables of signatures":        repeat("|By|x\n|By|x\n|By|x\nab\n"),
		"a table of many columns":     "Name\tSignature\t" + strings.Repeat("role\t", size/8) + "\n" + strings.Repeat("a\t", size/8),
		"closing marks":               strings.Repeat("\" ", 1<<20),
		"parentheses":                 strings.Repeat(") ", 1<<20),
		"exhibits before white space": exhibits.String() + strings.Repeat(" ", 1<<23),
	} {
		d := Read(&layout.Document{Text: text})
		checkInvariants(t, name, d)
		for _, r := range d.Rows() {
			if len(r.Cells) > maxColumns || len(r.Head) > maxColumns {
				t.Fatalf("%s: a row has %d cells, and its head %d", name, len(r.Cells), len(r.Head))
			}
		}
	}
}

// TestLabelsInALongLine shows that spans far into a line have no label, wherever the line
// begins.
func TestLabelsInALongLine(t *testing.T) {
	const filler = 1 << 22
	d := Read(&layout.Document{Text: "Rent\n\n" + strings.Repeat("-", filler) + strings.Repeat(" 5", 1<<14)})
	for at := filler; at < len(d.Text)-1; at++ {
		if l := d.Label(layout.Span{Start: at, End: at + 1}); l.Len() > 0 {
			t.Fatalf("%q is the label of the text at %d", d.Quote(l), at)
		}
	}
	d = Read(&layout.Document{Text: "Rent\n\n" + strings.Repeat("-", maxLabel) + "5"})
	if l := d.Label(layout.Span{Start: len(d.Text) - 1, End: len(d.Text)}); d.Quote(l) != "Rent" {
		t.Errorf("the label is %q", d.Quote(l))
	}
}

// TestColumnsOfOneLine reads signature blocks in which one line has more columns than
// others.
func TestColumnsOfOneLine(t *testing.T) {
	d := Read(&layout.Document{Text: "By: By: By: Name: Ann Ohm Name: Bo Lund Name: Cy Dahl\nTitle: Director        Title: Secretary\n"})
	checkInvariants(t, "columns", d)
	var names []string
	for _, s := range d.Signatures {
		names = append(names, d.Quote(s.Name))
	}
	if got := strings.Join(names, ", "); got != "Ann Ohm, Bo Lund, Cy Dahl" {
		t.Errorf("the signers are %s", got)
	}
}

// TestNoBreakSpaces shows that no-break spaces separate words like other spaces.
func TestNoBreakSpaces(t *testing.T) {
	const text = "EXHIBIT A\n\n\"Net Price\" shall mean the price.\n\nAcme Ltd\nSigned for and on behalf of Acme Ltd\nBy: ____________\nPrinted Name: Ann Ohm\n"
	plain := Read(&layout.Document{Text: text})
	d := Read(&layout.Document{Text: strings.ReplaceAll(text, " ", "\u00a0")})
	checkInvariants(t, "no-break spaces", d)
	if len(d.Exhibits) != 1 || len(d.Definitions) != 1 || len(d.Signatures) != 1 {
		t.Fatalf("got %+v, %+v, %+v", d.Exhibits, d.Definitions, d.Signatures)
	}
	if got, want := d.Plain(d.Signatures[0].Name), plain.Plain(plain.Signatures[0].Name); got != want || got != "Ann Ohm" {
		t.Errorf("the signer is %q, want %q", got, want)
	}
}
