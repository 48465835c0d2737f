package structure

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// TestScans shows that lines, quotation marks and gaps are where package strings finds
// them.
func TestScans(t *testing.T) {
	parts := []string{
		"a", "Z", " ", "\n", "\f", "\v", "\t", "\r", "\u2028", "\u2029", "\u00a0", "\u200b", "\ufeff", "\u0085", "\u2009", "\"", "'", "`", "“", "”", "‘", "’", "„", "\xe2", "\xe2\x80", "\xff", "\x00", "é", "\U0001F600",
	}
	r := rand.New(rand.NewPCG(8, 9))
	for range 50_000 {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := b.String()
		end := strings.IndexAny(text, "\n\f\v\u2028")
		if end < 0 {
			end = len(text)
		}
		if got := lineEnd(text); got != end {
			t.Errorf("%q: got the line end %d, want %d", text, got, end)
		}
		if got, want := indexQuote(text), strings.IndexAny(text, "\"“‘`'”"); got != want {
			t.Errorf("%q: got a quotation mark at %d, want %d", text, got, want)
		}
		gap := len(text)
		if i := strings.IndexFunc(text, space.Is); i >= 0 {
			gap -= len(strings.TrimLeftFunc(text[i:], space.Is))
		}
		if got := wording.NextGap(text, 0); got != gap {
			t.Errorf("%q: got a gap that ends at %d, want %d", text, got, gap)
		}
	}
}
