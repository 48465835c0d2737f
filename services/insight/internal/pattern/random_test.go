package pattern_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/pattern"
)

// atoms are what random expressions are made of.
var atoms = []string{
	"a", "b", "ab", "x", " ", ".", "[ab]", "[^a]", `\w`, `\W`, `\s`, `\d`, `\pL`, "é", "€", `\x{fffd}`, "^", "$", `\b`, `\B`, `\A`, `\z`, "(?m:^)", "(?m:$)",
	"(?s:.)", "(?i:k)", "(?i:s)", "[^b\n]", "",
}

// repeats are what can follow a part of an expression.
var repeats = []string{"", "", "", "", "*", "+", "?", "*?", "+?", "??", "{0,2}", "{2}", "{1,5}", "{0,7}?", "{2,}", "{0}"}

// randomExpression returns an expression of atoms, with groups nested at most to a depth.
func randomExpression(r *rand.Rand, depth int) string {
	var b strings.Builder
	for i := range 1 + r.IntN(3) {
		if i > 0 && r.IntN(3) == 0 {
			b.WriteByte('|')
		}
		part := atoms[r.IntN(len(atoms))]
		if depth > 0 && r.IntN(2) == 0 {
			part = randomExpression(r, depth-1)
		}
		b.WriteString([]string{"(?:", "("}[r.IntN(2)] + part + ")" + repeats[r.IntN(len(repeats))])
	}
	return b.String()
}

// TestRandomExpressions shows that patterns of random expressions answer as package regexp does.
func TestRandomExpressions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	letters := []string{"a", "b", "x", "a", "b", "ab", " ", "\n", "1", "_", "é", "€", "\xff", "\xe2\x82", "k", "K", "\u212a", "ſ", "."}
	for range 1500 {
		expr := randomExpression(r, 3)
		re, err := regexp.Compile(expr)
		if err != nil {
			continue // it repeats too often
		}
		p := pattern.MustCompile(expr)
		for range 12 {
			var text strings.Builder
			for range r.IntN(20) {
				text.WriteString(letters[r.IntN(len(letters))])
			}
			if d := differs(p, re, text.String()); d != "" {
				t.Fatal(d)
			}
		}
	}
}
