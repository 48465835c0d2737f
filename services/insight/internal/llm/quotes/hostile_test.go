package quotes_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/llm/quotes"
)

// TestHostile shows that no text and quote take more steps than allowed, where the worst
// ones stop early.
func TestHostile(t *testing.T) {
	const most = 1 << 20
	r := random(5)
	prose := madeUp(r, most/7)
	for name, test := range map[string]struct{ text, quote string }{
		"a long quote":             {prose, madeUp(r, most/7)},
		"the text itself":          {prose, prose},
		"most of the text":         {prose, "x" + prose[:len(prose)/2] + "y"},
		"one letter":               {strings.Repeat("a", most), strings.Repeat("a", most/2) + "b"},
		"one digit":                {strings.Repeat("1", most), strings.Repeat("1", most/2)},
		"few digits":               {strings.Repeat("1", most), "11111"},
		"one word":                 {strings.Repeat("the fee ", most/8), strings.Repeat("the fee ", 700) + "tha fee"},
		"words that differ at end": {strings.Repeat("the fee of ", most/11), strings.Repeat("the fee of ", 600) + strings.Repeat("x", 500)},
		"ellipses":                 {strings.Repeat("abc ", most/4), strings.Repeat("abc ... ", 7) + "xyz"},
		"many ellipses":            {strings.Repeat("abc ", most/4), strings.Repeat("abc ... ", most/8)},
		"combining marks":          {"a" + strings.Repeat("\u0301", most/2), "a" + strings.Repeat("\u0301", 5000) + "bcdefghijklmn"},
		"invalid bytes":            {strings.Repeat("\xa9", most), strings.Repeat("\xa9abcdefghij", 20)},
		"dashes":                   {strings.Repeat("a-", most/2), strings.Repeat("a-", 4000) + "b"},
		"quotation marks":          {strings.Repeat("\"'", most/2), strings.Repeat("\"", most)},
		"white space":              {strings.Repeat(" \n", most/2), strings.Repeat(" ", most) + "x"},
		"signs of ellipses":        {prose, strings.Repeat("…", most/3) + "x" + strings.Repeat("[...]", most/8)},
		"page numbers":             {strings.Repeat("1\n", most/2), strings.Repeat("1\n", 2000) + "2"},
		"few letters":              {word(r, most), word(r, 4000)},
	} {
		t.Run(name, func(t *testing.T) {
			f := quotes.New(test.text)
			steps := f.Steps(test.quote, all(test.text))
			if steps > 25_000_000 {
				t.Errorf("took %d steps of %d", steps, f.Most())
			}
		})
	}
}

// TestWorkOfQuotes shows that a quote of usual length takes few steps in a long text, also
// if it is not there.
func TestWorkOfQuotes(t *testing.T) {
	r := random(6)
	text := madeUp(r, 300_000)
	f := quotes.New(text)
	for range 20 {
		quote := cut(r, text, 500)
		if n := f.Steps(quote, all(text)); n > 2*len(text)+10_000 {
			t.Errorf("an exact quote takes %d steps", n)
		}
		near := layout.Span{Start: len(text) / 2, End: len(text)/2 + 20_000}
		if n := f.Steps(strings.ReplaceAll(quote, "e", "o"), near); n > 16*len(text) {
			t.Errorf("a quote that is not there takes %d steps", n)
		}
	}
}
