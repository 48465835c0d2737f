package vocabulary_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// TestStem shows which forms of a word are the same.
func TestStem(t *testing.T) {
	for _, forms := range [][]string{
		{"terminate", "terminated", "terminating", "termination"},
		{"copy", "copies", "copied"},
		{"duty", "duties"},
		{"pay", "paid", "pays", "paying"},
		{"bear", "borne", "bears"},
		{"company", "companies"},
		{"fee", "fees"},
		{"verbal", "verbally"},
		{"oral", "orally"},
		{"independent", "independently"},
		{"supply", "supplied", "supplies"},
	} {
		for _, f := range forms[1:] {
			if got, want := vocabulary.Stem(f), vocabulary.Stem(forms[0]); got != want {
				t.Errorf("the stem of %q is %q, and that of %q is %q", f, got, forms[0], want)
			}
		}
	}
}
