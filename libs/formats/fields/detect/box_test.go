package detect

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestIndexAny shows that indexAny finds what strings.IndexAny does.
func TestIndexAny(t *testing.T) {
	parts := []string{"a", "[", "(", ".", "…", "☐", "☒", "é", "\xff", "\xe2\x98", " "}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := b.String()
		if got, want := indexAny(text, "[(", emptyBoxes+tickedBoxes), strings.IndexAny(text, "[("+emptyBoxes+tickedBoxes); got != want {
			t.Fatalf("%q: got %d, want %d", text, got, want)
		}
	}
}
