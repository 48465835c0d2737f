package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/identity/sqlitestore"
	"github.com/rectohq/recto/gateway/internal/identity/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) identity.Store {
		s, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "gateway.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
}
