package runs

import (
	"testing"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

func TestSymbols(t *testing.T) {
	for _, c := range []struct{ font, char, text, symbol string }{
		{"Wingdings", "F0A8", "☐", "☐"}, {"wingdings", "00fe", "☒", "☒"}, {"Wingdings", "A8", "☐", "☐"}, {"Wingdings 2", "F052", "☒", "☒"},
		{"Wingdings", "F00E", Object, "\uF00E"}, {"Wingdings", "F04A", Object, "\uF04A"}, {"Wingdings 2", "F0A8", Object, "\uF0A8"},
		{"Symbol", "F0B7", Object, "\uF0B7"}, {"Wingdings", "x", Object, ""}, {"Wingdings", "", Object, ""},
	} {
		d := etree.NewDocument()
		if err := d.ReadFromString(`<w:sym xmlns:w="` + wml.Space + `" w:font="` + c.font + `" w:char="` + c.char + `"/>`); err != nil {
			t.Fatal(err)
		}
		if got := SymbolText(d.Root()); got != c.text {
			t.Errorf("%s %s: symbolText is %q, want %q", c.font, c.char, got, c.text)
		}
		if got := symbol(d.Root()); got != c.symbol {
			t.Errorf("%s %s: symbol is %q, want %q", c.font, c.char, got, c.symbol)
		}
	}
}
