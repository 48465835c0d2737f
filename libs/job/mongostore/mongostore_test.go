package mongostore_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/job/mongostore"
	"github.com/rectohq/recto/libs/job/storetest"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	mongodbtest.Server(t) // skip the whole suite without a server
	storetest.Run(t, func(t *testing.T) func() job.Store {
		url := mongodbtest.URL(t)
		return func() job.Store { return open(t, url) }
	})
}

// open opens a store and closes it when the test ends.
func open(t *testing.T, url string) *mongostore.Store {
	t.Helper()
	return mongodbtest.Open(t, url, mongostore.Open)
}

// TestLostAnswers loses the reply to each change: the caller gets Unavailable, and a
// later read shows the change.
func TestLostAnswers(t *testing.T) {
	url := mongodbtest.URL(t)
	proxy, proxied := mongodbtest.NewProxy(t, url)
	proxy.Start()
	s, direct := open(t, proxied+"&timeoutMS=3000"), open(t, url)
	r := job.Record{
		ID: "job_1", Principal: contract.Principal{Organization: "org_a"}, Key: "key", Lane: jobapi.Bulk, State: jobapi.Queued,
		Request: jsontext.Value("{}"), Attempt: 1, CreatedAt: 1,
	}
	lose := func(what string, change func() error) {
		t.Helper()
		proxy.Mute()
		if err := change(); !problem.Is(err, problem.Unavailable) {
			t.Errorf("%s: got %v, want Unavailable", what, err)
		}
		proxy.Unmute()
		patience.Until(t, "the database is available again", func() bool { return s.Check(t.Context()) == nil })
	}
	lose("Add", func() error { _, _, err := s.Add(t.Context(), r); return err })
	there, added, err := direct.Add(t.Context(), r)
	if err != nil || added || there.Revision != 1 {
		t.Fatalf("Add once more = %+v, %v, %v", there, added, err)
	}
	lose("Replace", func() error { _, err := s.Replace(t.Context(), there); return err })
	if _, err := direct.Replace(t.Context(), there); !errors.Is(err, job.ErrConflict) {
		t.Errorf("Replace once more = %v", err)
	}
	lose("Remove", func() error { return s.Remove(t.Context(), "org_a", "job_1") })
	if _, err := direct.Get(t.Context(), "org_a", "job_1"); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("Get = %v, want ErrNotFound", err)
	}
	proxy.Stop()
	if _, err := s.Promote(t.Context(), "", 1, 1); !problem.Is(err, problem.Unavailable) {
		t.Errorf("Promote during the outage = %v", err)
	}
}
