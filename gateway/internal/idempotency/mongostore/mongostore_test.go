package mongostore_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rectohq/recto/gateway/internal/idempotency"
	"github.com/rectohq/recto/gateway/internal/idempotency/mongostore"
	"github.com/rectohq/recto/gateway/internal/idempotency/storetest"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a store and closes it when the test ends.
func open(t *testing.T, url string) *mongostore.Store {
	t.Helper()
	return mongodbtest.Open(t, url, mongostore.Open)
}

func TestStore(t *testing.T) {
	mongodbtest.Server(t) // skips the whole suite if there is no server
	storetest.Run(t, func(t *testing.T) idempotency.Store { return open(t, mongodbtest.URL(t)) })
}

// TestLostReplies drops the database's replies to Begin and Finish. The caller gets
// Unavailable, and Begin lets no other caller run the request as well.
func TestLostReplies(t *testing.T) {
	url := mongodbtest.URL(t)
	proxy, proxied := mongodbtest.NewProxy(t, url)
	proxy.Start()
	s, direct := open(t, proxied+"&timeoutMS=3000"), open(t, url)
	now := time.UnixMilli(1_700_000_000_000)
	a := idempotency.Record{
		Scope: idempotency.Scope{Organization: "org_1", Key: "key_1", Route: "POST /v2/documents", Value: "v"}, DocumentID: "doc_1",
		CreatedAt: now, ExpiresAt: now.Add(time.Hour), Owner: "a", LeaseUntil: now.Add(time.Minute),
	}
	b := a
	b.Owner = "b"
	lose := func(what string, change func() error) {
		t.Helper()
		proxy.Mute()
		if err := change(); !problem.Is(err, problem.Unavailable) {
			t.Errorf("%s: got %v, want Unavailable", what, err)
		}
		proxy.Unmute()
		patience.Until(t, "the database is back", func() bool { _, err := s.Expire(t.Context(), time.Time{}, 1); return err == nil })
	}
	begins := func(want idempotency.Outcome) {
		t.Helper()
		if r, outcome, err := direct.Begin(t.Context(), b, now); err != nil || outcome != want || r.Owner != "a" {
			t.Errorf("Begin = %+v, %s, %v; want %s", r, outcome, err, want)
		}
	}
	lose("Begin", func() error { _, _, err := s.Begin(t.Context(), a, now); return err })
	begins(idempotency.Running)
	lose("Finish", func() error { return s.Finish(t.Context(), a, []byte("1")) })
	begins(idempotency.Answered)
	proxy.Stop()
	if _, err := s.Expire(t.Context(), now, 1); !problem.Is(err, problem.Unavailable) {
		t.Errorf("Expire = %v", err)
	}
}
