package reading_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/pdf/internal/reading"
)

// word returns an item of 10 units for each character, which is 20 high.
func word(gap, text string, left, top int) reading.Item {
	it := reading.Item{Gap: gap, Text: text, Place: [4]int{left, top, left + 10*utf8.RuneCountInString(text), top + 20}, Placed: true}
	if utf8.RuneCountInString(text) > 1 {
		it.Turn = 1
	}
	return it
}

// turned returns the item with another direction.
func turned(it reading.Item, turn int) reading.Item {
	it.Turn = turn
	return it
}

// TestVisual checks the order of words that are drawn in another one.
func TestVisual(t *testing.T) {
	unknown := word(" ", "Yes", 100, 0)
	unknown.Placed = false
	for name, c := range map[string]struct {
		items []reading.Item
		want  string
	}{
		"nothing":       {nil, ""},
		"in order":      {[]reading.Item{word("", "Pay", 0, 0), word(" ", "now", 40, 0), word("\n", "here", 0, 30)}, "Pay now|here"},
		"boxes last":    {[]reading.Item{word("", "Pay:", 0, 0), word(" ", "now", 80, 0), word(" ", "later", 150, 0), word(" ", "☐", 50, 0), word(" ", "☐", 130, 0), word("\n", "End", 0, 30)}, "Pay: ☐ now ☐ later|End"},
		"boxes first":   {[]reading.Item{word("", "☐", 0, 0), word(" ", "☐", 80, 0), word(" ", "now", 30, 0), word(" ", "later", 110, 0)}, "☐ now ☐ later"},
		"within a word": {[]reading.Item{word("", "within", 0, 0), word(" ", "[", 70, 0), word(" ", "]", 90, 0), word(" ", "days", 110, 0), word(" ", "●", 80, 0)}, "within [●] days"},
		"a lower box":   {[]reading.Item{word("", "now", 30, 0), word(" ", "☐", 0, 6)}, "☐ now"},
		"two lines":     {[]reading.Item{word("", "right", 80, 0), word("\n", "left", 0, 30)}, "right|left"},
		"other height":  {[]reading.Item{word("", "right", 80, 0), word(" ", "left", 0, 30)}, "right left"},
		"to the left":   {[]reading.Item{turned(word("", "אחד", 80, 0), -1), turned(word(" ", "שתיים", 20, 0), -1)}, "אחד שתיים"},
		"mixed":         {[]reading.Item{word("", "12", 80, 0), turned(word(" ", "אחד", 20, 0), -1)}, "12 אחד"},
		"single ones":   {[]reading.Item{word("", "a", 80, 0), word(" ", "b", 20, 0)}, "a b"},
		"overprinted":   {[]reading.Item{word("", "Rent", 0, 0), word(" ", "due", 50, 0), word(" ", "Rent", 2, 0)}, "Rent due Rent"},
		"not placed":    {[]reading.Item{word("", "now", 30, 0), unknown, word(" ", "☐", 0, 0)}, "now Yes ☐"},
	} {
		var text strings.Builder
		for _, it := range reading.Visual(c.items) {
			text.WriteString(strings.ReplaceAll(it.Gap, "\n", "|") + it.Text)
		}
		if text.String() != c.want {
			t.Errorf("%s: the text is %q, want %q", name, text.String(), c.want)
		}
	}
}

// TestJoined checks that parts of a word become one item, which covers all of them.
func TestJoined(t *testing.T) {
	got := reading.Visual([]reading.Item{word("\n", "at", 0, 0), word(" ", "ódź", 40, 0), word(" ", "Ł", 30, -2)})
	if len(got) != 2 || got[1].Text != "Łódź" || got[1].Gap != " " || got[1].Place != [4]int{30, -2, 70, 20} {
		t.Errorf("the items are %+v", got)
	}
}
