package mongostore_test

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/document/internal/domain"
	"github.com/rectohq/recto/services/document/internal/mongostore"
	"github.com/rectohq/recto/services/document/internal/storetest"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a store in its own database.
func open(t testing.TB) *mongostore.Store {
	t.Helper()
	return mongodbtest.Open(t, mongodbtest.URL(t), mongostore.Open)
}

func TestStore(t *testing.T) {
	mongodbtest.Server(t) // skips the whole suite if there is no server
	storetest.Run(t, func(t *testing.T) domain.Store { return open(t) })
}

// TestLostAnswers loses the answer to each change: the caller gets Unavailable, the
// change is made once, and repeating it does not make it again.
func TestLostAnswers(t *testing.T) {
	url := mongodbtest.URL(t)
	direct := mongodbtest.Open(t, url, mongostore.Open)
	proxy, url := mongodbtest.NewProxy(t, url)
	proxy.Start()
	s := mongodbtest.Open(t, url+"&timeoutMS=3000", mongostore.Open)
	d := domain.Document{ID: "doc_1", Organization: "org_a", Outbox: []domain.Event{{ID: "event_1"}}}
	for _, step := range []struct {
		name     string
		change   func() error
		again    error
		revision int64
	}{
		{"Create", func() error { return s.Create(t.Context(), "org_a", d) }, domain.ErrExists, 1},
		{"Replace", func() error { d.Revision = 1; return s.Replace(t.Context(), "org_a", d) }, domain.ErrConflict, 2},
		{"Published", func() error { return s.Published(t.Context(), []domain.Document{d}) }, nil, 3},
		{"Remove", func() error { d.Revision = 4; return s.Remove(t.Context(), "org_a", d) }, nil, 0},
	} {
		proxy.Mute()
		if err := step.change(); !problem.Is(err, problem.Unavailable) {
			t.Errorf("%s: got %v, want Unavailable", step.name, err)
		}
		proxy.Unmute()
		patience.Until(t, "the database is back", func() bool { return s.Check(t.Context()) == nil })
		got, err := direct.Get(t.Context(), "org_a", d.ID)
		if err != nil && !errors.Is(err, domain.ErrNotFound) || got.Revision != step.revision {
			t.Errorf("after %s: revision %d, %v; want %d", step.name, got.Revision, err, step.revision)
		}
		if err := step.change(); !errors.Is(err, step.again) {
			t.Errorf("%s again: got %v, want %v", step.name, err, step.again)
		}
	}
}
