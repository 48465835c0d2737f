package passage_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// simple replaces what Lower replaces.
var simple = strings.NewReplacer("“", `"`, "”", `"`, "’", "'", "‘", "'", "\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "",
	"ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// FuzzLines shows that Lower and OneLine do in one pass what these functions of the
// standard library do one after the other.
func FuzzLines(f *testing.F) {
	for _, s := range []string{
		"", " ", "a", " a ", "a b", "a  b", "A\tB\r\nC", "“Elm’s” ﬁnal oﬀer\u00ading", "\u200b a \u200b \ufeff b\u2060", "\xe2\x80Late \xff Q\xc3", "\u00a0x\u2003Y\u0085",
		"İstanbul ȺȾ ẞ K \ufffd", "a\x00\x1f b", "a \xff b", "a\u00ad", "\u00ad a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := strings.Join(strings.Fields(s), " ")
		if got := passage.OneLine(s); got != line {
			t.Errorf("OneLine(%q): got %q, want %q", s, got, line)
		}
		lower := simple.Replace(strings.ToLower(strings.ToValidUTF8(s, "")))
		if got, want := passage.Lower(s), strings.Join(strings.Fields(lower), " "); got != want {
			t.Errorf("Lower(%q): got %q, want %q", s, got, want)
		}
	})
}
