package nearest_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/nearest"
)

func TestName(t *testing.T) {
	known := []string{"created_at", "created_by", "state"}
	for name, want := range map[string]string{"creatd_at": "created_at", "stat": "state", "": "state", "created_bx": "created_by", strings.Repeat("x", 200): ""} {
		if got, _ := nearest.Name(name, known); got != want {
			t.Errorf("Name(%.20q) = %q, want %q", name, got, want)
		}
	}
	if got, distance := nearest.Name("x", nil); got != "" || distance != 0 {
		t.Errorf("of none: %q, %d", got, distance)
	}
}
