package httpapi

import (
	"strings"
	"testing"
)

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
