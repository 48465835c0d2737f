package date_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/date"
)

// TestLinesOfForms reads dates that are written on the lines of a form, and none where a line is
// blank.
func TestLinesOfForms(t *testing.T) {
	for text, want := range map[string]string{
		"this _5th_ day of _July_, 2011":  "2011-07-05",
		"on __June 12, 2017__ and":        "2017-06-12",
		"on _June 12, 2017":               "",
		"dated as of July 1_, 2011":       "",
		"July__, 2011":                    "",
		"July ___, 2011":                  "",
		"a_b _c_ _d _e_ on June 12, 2017": "2017-06-12",
		"______":                          "",
	} {
		got := ""
		if found := date.Find(text, 5); len(found) > 0 {
			got = found[0].Value()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
