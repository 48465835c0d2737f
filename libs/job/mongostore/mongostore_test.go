package mongostore_test

import (
	"testing"

	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/mongostore"
	"github.com/rectohq/recto/libs/job/storetest"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/telemetry"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() job.Store {
		url := mongodbtest.URL(t)
		return func() job.Store { return open(t, url) }
	})
}

// open opens a store for the time of the test.
func open(t *testing.T, url string) *mongostore.Store {
	t.Helper()
	tel, err := telemetry.New(t.Context(), "job", telemetry.Config{}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	s, err := mongostore.Open(t.Context(), url, tel)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
