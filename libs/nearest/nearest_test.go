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
		t.Errorf("of no names: %q, %d", got, distance)
	}
}

func TestMeant(t *testing.T) {
	known := []string{"size", "page", "state", "dry_run", "version_number", "created_at", "created_at[gte]", "id"}
	for name, want := range map[string]string{
		"STATE": "state", "State": "state", "stat": "state", "sze": "size", "dryrun": "dry_run", "dryRun": "dry_run", "DRY-RUN": "dry_run",
		"creatdAt": "created_at", "created_at[get]": "created_at[gte]", "versionNumber": "version_number",
		"date": "", "x": "", "": "", "version": "", "stale_reads": "", "ix": "", strings.Repeat("x", 200): "",
	} {
		if got := nearest.Meant(name, known); got != want {
			t.Errorf("Meant(%.20q) = %q, want %q", name, got, want)
		}
	}
	if got := nearest.Meant("size", nil); got != "" {
		t.Errorf("of no names: %q", got)
	}
}
