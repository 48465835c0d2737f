package quotes_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
)

// BenchmarkFind finds quotes of 400 characters in a text of 300 pages, of which the model
// has read 20 000 characters.
func BenchmarkFind(b *testing.B) {
	r := random(7)
	text := madeUp(r, 120_000)
	const pages = 300
	b.Logf("%d bytes on %d pages", len(text), pages)
	within := layout.Span{Start: len(text) / 2, End: len(text)/2 + 20_000}
	quote := cut(r, text[within.Start:within.End], 400)
	for name, q := range map[string]string{
		"exact": quote, "normalized": strings.Join(strings.Fields(quote), "\t"), "fuzzy": strings.Replace(strings.ReplaceAll(quote, "Landlord", "Landlrod"), "Agreement", "Agreemnet", 2),
		"elsewhere": cut(r, text[within.End:], 400), "missing": madeUp(r, 60),
	} {
		b.Run(name, func(b *testing.B) {
			f := quotes.New(text)
			f.Find(q, within)
			for b.Loop() {
				f.Find(q, within)
			}
		})
	}
	b.Run("reading the text", func(b *testing.B) {
		for b.Loop() {
			quotes.New(text)
		}
	})
}
