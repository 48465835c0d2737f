package evaluation_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
)

// TestBenchWrapped measures the rules alone on copies of contracts whose lines are broken
// at several widths, as e-mails and old filings have them. The figures should be those of
// the contracts as they are.
func TestBenchWrapped(t *testing.T) {
	dir := corpus.Folder(t, "contracts")
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("SKIPPED: set RECTO_BENCH to measure")
	}
	b := newBench(t)
	widths := []int{0, 50, 72, 100}
	var all []*contender
	for _, width := range widths {
		c := b.rules()
		c.name = fmt.Sprintf("width %d", width)
		all = append(all, c)
	}
	all[0].name = "as it is"
	for i, c := range limited(t, contracts(t, dir)) {
		if i%eachWrapped != 0 {
			continue
		}
		text := string(read(t, dir, "txt", c.Txt))
		for n, width := range widths {
			d, answer := b.analyze(t, all[n], b.Text(wrapped(text, width)), evaluation.ContractRequests())
			all[n].report.AddContract(d, &answer, c, false)
		}
	}
	finish(t, "insights-wrapped", all...)
}

// One contract in eachWrapped is measured.
const eachWrapped = 4

// wrapped returns a text whose lines are broken at spaces after at most width characters.
// Longer words have lines of their own. Width 0 leaves the text as it is.
func wrapped(text string, width int) string {
	if width == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		column := 0
		for i, word := range strings.Fields(line) {
			n := len([]rune(word))
			switch {
			case i == 0:
			case column+1+n > width:
				b.WriteByte('\n')
				column = 0
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += n
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestWrapped shows how lines are broken.
func TestWrapped(t *testing.T) {
	const text = "Elm sells  boxes to Oak.\n\nÜber alles incontrovertibly small\n"
	for width, want := range map[int]string{
		0:  text,
		10: "Elm sells\nboxes to\nOak.\n\nÜber alles\nincontrovertibly\nsmall\n",
		80: "Elm sells boxes to Oak.\n\nÜber alles incontrovertibly small\n",
	} {
		if got := wrapped(text, width); got != want {
			t.Errorf("width %d: got %q, want %q", width, got, want)
		}
	}
}
