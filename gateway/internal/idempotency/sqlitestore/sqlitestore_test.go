package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/gateway/internal/idempotency/sqlitestore"
	"github.com/rectohq/recto/gateway/internal/idempotency/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) idempotency.Store {
		s, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "idempotency.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
}
