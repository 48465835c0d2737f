package mongostore_test

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/identity/mongostore"
	"github.com/rectohq/recto/gateway/internal/identity/storetest"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
	"github.com/rectohq/recto/libs/problem"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a store for the time of the test.
func open(t *testing.T, url string) *mongostore.Store {
	t.Helper()
	return mongodbtest.Open(t, url, mongostore.Open)
}

func TestStore(t *testing.T) {
	mongodbtest.Server(t) // the suite as a whole is skipped or not
	storetest.Run(t, func(t *testing.T) identity.Store { return open(t, mongodbtest.URL(t)) })
}

// TestDatabaseIsAway loses answers, and then takes the database away: who asks is
// told that it is away, and what was to be added is added once.
func TestDatabaseIsAway(t *testing.T) {
	url := mongodbtest.URL(t)
	proxy, proxied := mongodbtest.NewProxy(t, url)
	proxy.Start()
	s, direct := open(t, proxied+"&timeoutMS=3000"), open(t, url)
	acme := identity.Organization{ID: "org_1", Name: "Acme"}
	proxy.Mute()
	if err := s.CreateOrganization(t.Context(), acme); !problem.Is(err, problem.Unavailable) {
		t.Errorf("CreateOrganization without an answer = %v", err)
	}
	proxy.Stop()
	if _, err := s.FindAccount(t.Context(), []identity.Digest{{1}}); !problem.Is(err, problem.Unavailable) {
		t.Errorf("FindAccount = %v", err)
	}
	if err := direct.CreateOrganization(t.Context(), acme); err != nil && !errors.Is(err, identity.ErrExists) {
		t.Errorf("CreateOrganization once more = %v", err)
	}
	if found, err := direct.FindOrganization(t.Context(), ""); err != nil || found != acme {
		t.Errorf("FindOrganization = %v, %v", found, err)
	}
}
