package pattern_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/pattern"
)

// contained returns what Groups.In should.
func contained(text string, groups [][]string) uint64 {
	found := uint64(0)
	for i, words := range groups {
		for _, w := range words {
			if strings.Contains(text, w) {
				found |= 1 << i
			}
		}
	}
	return found
}

// TestGroups shows that words are found wherever they are, also within each other.
func TestGroups(t *testing.T) {
	groups := [][]string{
		{"he", "she"}, {"hers", "his"}, {"e"}, {"end "}, {"“x”", "é"}, {"\xff\x00"}, {}, {"terminat", "ter", "min"}, {"nat", "termination"},
	}
	g := pattern.NewGroups(groups...)
	r := rand.New(rand.NewPCG(4, 5))
	parts := []string{"h", "e", "r", "s", "i", "end", " ", "“x", "”", "é", "\xff", "\x00", "term", "inat", "ion", "\xc3"}
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		if got, want := g.In(b.String()), contained(b.String(), groups); got != want {
			t.Fatalf("%q: got groups %b, want %b", b.String(), got, want)
		}
	}
	if got := pattern.NewGroups([]string{""}, []string{"a"}).In(""); got != 1 {
		t.Errorf("got groups %b for no text, want the one with an empty word", got)
	}
}

// TestIgnoreCase shows that words are found in either case, and that the Groups that were made
// for it are left as they are.
func TestIgnoreCase(t *testing.T) {
	exact := pattern.NewGroups([]string{"fee"}, []string{"§ 5", "é"})
	either := exact.IgnoreCase()
	for text, want := range map[string]uint64{"a Fee": 1, "FEES": 1, "fEe": 1, "f e e": 0, "§ 5é": 2, "É": 0} {
		if got := either.In(text); got != want {
			t.Errorf("%q: got groups %b, want %b", text, got, want)
		}
	}
	if exact.In("FEE") != 0 || exact.In("fee") != 1 {
		t.Error("IgnoreCase changed the Groups that it was called on")
	}
}

// TestTooManyGroups shows that more groups than bits panic.
func TestTooManyGroups(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("got no panic")
		}
	}()
	pattern.NewGroups(make([][]string, pattern.MaxGroups+1)...)
}

// FuzzGroups shows that Groups finds the same words as package strings.
func FuzzGroups(f *testing.F) {
	f.Add("she", "he", "hers", "ushers")
	f.Add("", "\xff", "ab", "abab\xff")
	f.Fuzz(func(t *testing.T, a, b, c, text string) {
		if len(a)+len(b)+len(c) > 500 {
			return
		}
		groups := [][]string{{a, b}, {c}, {b + a}}
		g := pattern.NewGroups(groups...)
		for _, s := range []string{text, text + a, b + text + a + c} {
			if got, want := g.In(s), contained(s, groups); got != want {
				t.Errorf("%q in %q: got groups %b, want %b", groups, s, got, want)
			}
		}
	})
}
