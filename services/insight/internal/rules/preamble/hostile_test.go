package preamble_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/preamble"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// hostile are texts that are expensive to read carelessly: they have no sentence ends, or
// open many parentheses, or begin many lists.
func hostile() map[string]string {
	const size = 5_000_000
	repeat := func(s string) string { return "This Agreement is made between " + strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"no sentence ends":        repeat("Acme and Sons of the Old "),
		"nested parentheses":      repeat("Acme Inc. (("),
		"closed parentheses":      repeat("(") + strings.Repeat(")", 1000),
		"a letter":                "\n" + strings.Repeat("Acme Inc.\n", 300) + "\nDear Acme:\n" + repeat("Acme "),
		"anchors":                 repeat("between Acme and "),
		"parties":                 repeat("Acme Inc., a Delaware corporation (\"A\"), and "),
		"quotation marks":         repeat("Acme \"\"\"\" "),
		"labels":                  repeat("Party A: Acme Inc. "),
		"one word":                repeat("A"),
		"spaces":                  repeat("   \n"),
		"hyphens":                 repeat("\n----"),
		"letters that grow lower": repeat("İ between Acme Inc. and Ȿ "),
		"invalid UTF-8":           repeat("\xff\xfe Acme Inc. \xc3 and "),
	}
}

// TestHostile shows that reading is bounded and deterministic, and that every span is
// within the text.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		d := &structure.Document{Document: &layout.Document{Text: text}}
		d.Definitions = rulestest.Read(text[:200_000]).Definitions
		for _, find := range []func() []preamble.Party{
			func() []preamble.Party { return preamble.Find(d) },
			func() []preamble.Party { return preamble.Labelled(d) },
			func() []preamble.Party { return preamble.Defined(d) },
			func() []preamble.Party { return preamble.Addressee(d) },
		} {
			found := find()
			if len(found) > 100 {
				t.Errorf("%s: found %d parties, want at most 100", name, len(found))
			}
			for _, p := range found {
				if p.Name.Start < 0 || p.Name.Len() <= 0 || p.Whole.Start != p.Name.Start || p.Whole.End < p.Name.End || p.Whole.End > len(text) || p.Whole.Len() > 2000 {
					t.Errorf("%s: the name is at %v and the text about it at %v", name, p.Name, p.Whole)
				}
				p.IsPerson(d.Quote(p.Name))
			}
			if again := find(); !reflect.DeepEqual(again, found) {
				t.Errorf("%s: reading again gives another result", name)
			}
		}
	}
}

// FuzzName shows that names are within the text, and do not begin or end with white space.
func FuzzName(f *testing.F) {
	for _, c := range preambles {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := preamble.Name(s)
		if n < 0 || n > len(s) || n > 0 && strings.TrimSpace(s[:n]) != s[:n] {
			t.Errorf("%q: got a name of %d bytes", s, n)
		}
	})
}

// FuzzFind shows that parties are within the text, whatever it is.
func FuzzFind(f *testing.F) {
	for _, c := range preambles {
		f.Add(c.text)
	}
	f.Add("Party A: Acme Inc.\nAddress: 1 Elm Street\nLicensee (the buyer): Birch Ltd (\"Birch\")")
	f.Fuzz(func(t *testing.T, s string) {
		d := rulestest.Read(s)
		for _, found := range [][]preamble.Party{preamble.Find(d), preamble.Labelled(d), preamble.Defined(d), preamble.Addressee(d)} {
			for _, p := range found {
				if p.Name.Start < 0 || p.Name.Len() <= 0 || p.Whole.Start != p.Name.Start || p.Whole.End < p.Name.End || p.Whole.End > len(s) {
					t.Errorf("%q: the name is at %v and the text about it at %v", s, p.Name, p.Whole)
				}
				summary(d.Plain(p.Name), p)
			}
		}
	})
}
