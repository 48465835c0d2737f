package numbering_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/structure/numbering"
)

// TestDayIsNotANumber shows that the day of a date is not read as a paragraph number.
func TestDayIsNotANumber(t *testing.T) {
	for text, want := range map[string]bool{
		"1 March 2024":                   false,
		"28 February 2026 is the day":    false,
		"15. March 2023":                 false,
		"3 Sept. 2021, at noon":          false,
		"9\u00a0Dec 2020":                false,
		"1. March of events":             true,
		"2. May either party assign it?": true,
		"4 May Orders":                   true,
		"32. June 2024":                  true,
		"1.1 March 2024":                 true,
	} {
		if _, got := numbering.Parse(text); got != want {
			t.Errorf("%q begins with a paragraph number: %v", text, got)
		}
	}
}
