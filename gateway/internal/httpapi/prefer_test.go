package httpapi

import (
	"strings"
	"testing"
)

func TestPreferAsync(t *testing.T) {
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
		if got := preferAsync(strings.Split(header, "\n")); got != want {
			t.Errorf("preferAsync(%q) = %v", header, got)
		}
	}
	if preferAsync(nil) {
		t.Error("without a header there is a preference")
	}
}

// FuzzPreferAsync checks that no header does harm, and that what follows a
// preference does not hide it.
func FuzzPreferAsync(f *testing.F) {
	f.Add(`x="a\"b,c", respond-async; y`)
	f.Add(`"\`)
	f.Fuzz(func(t *testing.T, header string) {
		if !preferAsync([]string{"respond-async," + header}) {
			t.Errorf("respond-async is not found before %q", header)
		}
	})
}

func TestIdempotencyKey(t *testing.T) {
	for _, value := range []string{"a", " ", "~", `"quoted"`, "a, b", strings.Repeat("x", 255)} {
		if got, err := idempotencyKey([]string{value}); err != nil || got != value {
			t.Errorf("idempotencyKey(%q) = %q, %v", value, got, err)
		}
	}
	for _, values := range [][]string{{""}, {"a\tb"}, {"é"}, {"\x7f"}, {"\xff"}, {strings.Repeat("x", 256)}, {"a", "a"}, {"a", ""}} {
		if got, err := idempotencyKey(values); err == nil || !strings.HasPrefix(err.Error(), "3001 ") {
			t.Errorf("idempotencyKey(%q) = %q, %v", values, got, err)
		}
	}
	if got, err := idempotencyKey(nil); got != "" || err != nil {
		t.Errorf("without a header: %q, %v", got, err)
	}
}
