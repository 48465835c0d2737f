package sqlitestore

import (
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/libs/sqlite"
)

// TestMigrateQueuedJobs opens a database from before jobs recorded the lane that they
// were queued in: queued jobs count in their current lane.
func TestMigrateQueuedJobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.db")
	old, err := sqlite.Open(t.Context(), path, migrations[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range []string{"'job_1', 'key 1', 7", "'job_2', 'key 2', 0", "'job_3', 'key 3', 0"} {
		_, err := old.Write.ExecContext(t.Context(), `
			INSERT INTO jobs (id, key, queued_at, organization, subject, lane, state, dead, created_at, lease_ends, ended_at, revision, record)
			VALUES (`+values+`, 'org_a', 'doc_1', 'bulk', 'queued', 0, 5, 0, 0, 1, CAST('{"request":{}}' AS BLOB))`)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if promoted, err := s.Promote(t.Context(), "", 2, 9); err != nil || len(promoted) != 1 || promoted[0].ID != "job_2" {
		t.Errorf("Promote = %+v, %v; want job_2", promoted, err)
	}
}
