package mongostore_test

import (
	"testing"

	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/document/internal/domain"
	"github.com/rectohq/recto/services/document/internal/mongostore"
	"github.com/rectohq/recto/services/document/internal/storetest"
)

// open returns a store in a database of its own.
func open(t *testing.T) *mongostore.Store {
	t.Helper()
	tel, err := telemetry.New(t.Context(), "document", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	s, err := mongostore.Open(t.Context(), mongodbtest.URL(t), tel)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) domain.Store { return open(t) })
}
