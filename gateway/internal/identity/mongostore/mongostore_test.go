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

// open opens a store and closes it when the test ends.
func open(t *testing.T, url string) *mongostore.Store {
	t.Helper()
	return mongodbtest.Open(t, url, mongostore.Open)
}

func TestStore(t *testing.T) {
	mongodbtest.Server(t) // skips the whole suite if there is no server
	storetest.Run(t, func(t *testing.T) identity.Store { return open(t, mongodbtest.URL(t)) })
}

// TestDatabaseOutage drops the database's replies, and then stops the database. Calls
// return Unavailable, and an organization is added only once.
func TestDatabaseOutage(t *testing.T) {
	url := mongodbtest.URL(t)
	proxy, proxied := mongodbtest.NewProxy(t, url)
	proxy.Start()
	s, direct := open(t, proxied+"&timeoutMS=3000"), open(t, url)
	acme := identity.Organization{ID: "org_1", Name: "Acme"}
	proxy.Mute()
	if err := s.CreateOrganization(t.Context(), acme); !problem.Is(err, problem.Unavailable) {
		t.Errorf("CreateOrganization without a reply = %v", err)
	}
	proxy.Stop()
	if _, err := s.FindAccount(t.Context(), []identity.Digest{{1}}); !problem.Is(err, problem.Unavailable) {
		t.Errorf("FindAccount = %v", err)
	}
	if err := direct.CreateOrganization(t.Context(), acme); err != nil && !errors.Is(err, identity.ErrExists) {
		t.Errorf("second CreateOrganization = %v", err)
	}
	if found, err := direct.FindOrganization(t.Context(), ""); err != nil || found != acme {
		t.Errorf("FindOrganization = %v, %v", found, err)
	}
}
