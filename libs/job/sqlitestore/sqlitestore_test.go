package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/sqlitestore"
	"github.com/rectohq/recto/libs/job/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() job.Store {
		path := filepath.Join(t.TempDir(), "jobs.db")
		return func() job.Store {
			s, err := sqlitestore.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
	})
}
