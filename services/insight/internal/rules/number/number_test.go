package number_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/number"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]int{
		"one": 1, "Thirty-Six": 36, "one hundred  and twenty": 120, "hundred": 100, "ninety": 90,
		"Two Million Five Hundred Thousand": 2500000, "one thousand two hundred five": 1205, "twenty-four": 24,
	} {
		if got, ok := number.Parse(s); !ok || got != want {
			t.Errorf("%q: got %d, %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "and", "one and", "once", "billion billion billion", "first"} {
		if got, ok := number.Parse(s); ok {
			t.Errorf("%q: got %d, want none", s, got)
		}
	}
}

func TestOrdinal(t *testing.T) {
	for s, want := range map[string]int{"fifth": 5, "Twenty-First": 21, "thirty first": 31, "twentieth": 20} {
		if got, ok := number.Ordinal(s); !ok || got != want {
			t.Errorf("%q: got %d, %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "five", "ten-first", "twenty", "twenty-tenth", "a b c"} {
		if got, ok := number.Ordinal(s); ok {
			t.Errorf("%q: got %d, want none", s, got)
		}
	}
}
