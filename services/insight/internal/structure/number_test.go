package structure

import "testing"

func TestDayIsNoNumber(t *testing.T) {
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
		if _, got := enumeratorOf(text); got != want {
			t.Errorf("%q begins with a number: %v", text, got)
		}
	}
	d := read(t, "ORDER\n\nStart\n\n1 March 2024\n\n1. Price. The price is ten.\n\n2. Place. It is here.")
	equal(t, "sections", outlineOf(d), []string{"1||ORDER", "1|1|Price", "1|2|Place"})
}
