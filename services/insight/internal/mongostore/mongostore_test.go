package mongostore_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/services/insight/internal/mongostore"
	"github.com/rectohq/recto/services/insight/internal/storetest"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	mongodbtest.Server(t) // skips the whole suite if there is no server
	storetest.Run(t, func(t *testing.T) storetest.Store {
		tel, err := telemetry.New(t.Context(), "insight", telemetry.Config{}, t.Output())
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
	})
}
