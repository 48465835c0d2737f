package mongostore_test

import (
	"testing"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/gateway/internal/idempotency/mongostore"
	"github.com/rectohq/recto/gateway/internal/idempotency/storetest"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/telemetry"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) idempotency.Store {
		url := mongodbtest.URL(t)
		tel, err := telemetry.New(t.Context(), "gateway", telemetry.Config{}, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		s, err := mongostore.Open(t.Context(), url, tel)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	})
}
