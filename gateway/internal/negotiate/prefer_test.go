package negotiate

import (
	"strings"
	"testing"
)

func TestPrefersAsync(t *testing.T) {
	for header, want := range map[string]bool{
		"":                                  false,
		"respond-async":                     true,
		"Respond-ASYNC":                     true,
		" \trespond-async ":                 true,
		"respond-async=":                    true,
		`respond-async = ""`:                true,
		"respond-async;":                    true,
		"respond-async; wait=10; x":         true,
		"wait=10, respond-async":            true,
		"respond-async,wait=10":             true,
		",, ,respond-async":                 true,
		`x="a\"b,c", respond-async`:         true,
		`x;y="1,2";z, respond-async`:        true,
		"return=minimal\nrespond-async":     true, // two headers
		"respond-async\nrespond-async":      true,
		"respond-async=no":                  false,
		"respond-async=no, respond-async":   false, // the first one counts
		"respond-asynchronously":            false,
		"respond async":                     false,
		"x=respond-async":                   false,
		"x; respond-async":                  false,
		`x="y, respond-async"`:              false,
		`x="y\", respond-async"`:            false,
		`x="never ends, respond-async`:      false,
		`x="ends in a backslash\`:           false,
		`"respond-async"`:                   false,
		"handling=lenient; respond-async=1": false,
	} {
		if got := PrefersAsync(strings.Split(header, "\n")); got != want {
			t.Errorf("PrefersAsync(%q) = %v", header, got)
		}
	}
	if PrefersAsync(nil) {
		t.Error("PrefersAsync(nil) = true")
	}
}

// FuzzPrefersAsync checks that PrefersAsync never panics, and that nothing after a
// preference hides it.
func FuzzPrefersAsync(f *testing.F) {
	f.Add(`x="a\"b,c", respond-async; y`)
	f.Add(`"\`)
	f.Fuzz(func(t *testing.T, header string) {
		if !PrefersAsync([]string{"respond-async," + header}) {
			t.Errorf("PrefersAsync does not find respond-async before %q", header)
		}
	})
}
