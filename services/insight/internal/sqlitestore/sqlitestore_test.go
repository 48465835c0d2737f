package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
	"github.com/rectohq/recto/services/insight/internal/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Store {
		s, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "insight%20 ?#.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
}
