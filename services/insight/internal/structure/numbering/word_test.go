package numbering

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestWords shows that no text that is taken for a word begins with an enumerator.
func TestWords(t *testing.T) {
	parts := []string{
		"a", "B", "i", "V", "x", "l", "c", "s", "ſ", "é", "1", "12", ".", ")", "(", ":", " ", "article", "SECTION ", "Sec. ", "clause ", "Part ", "chapter ", "one", "II", "-", "\xff", "K",
	}
	r := rand.New(rand.NewPCG(6, 7))
	words := 0
	for range 200_000 {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := b.String()
		if !IsWord(text) {
			continue
		}
		words++
		for _, read := range []func(string) (Enumerator, bool){readKeyword, readDecimal, readParen, readLetter} {
			if e, ok := read(text); ok {
				t.Fatalf("%q begins with the enumerator %q, but is taken for a word", text, e.Text)
			}
		}
	}
	if words == 0 {
		t.Error("no text was taken for a word")
	}
}
