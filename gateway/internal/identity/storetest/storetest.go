// Package storetest specifies identity.Store as a test suite. Every implementation runs it
// against its real database.
package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/libs/contract"
)

// Run runs the suite. Open returns an empty store that exists until the test ends.
func Run(t *testing.T, open func(t *testing.T) identity.Store) {
	for name, test := range map[string]func(*testing.T, identity.Store){
		"Organizations": testOrganizations,
		"Users":         testUsers,
		"Keys":          testKeys,
		"EndKey":        testEndKey,
		"TouchKeys":     testTouchKeys,
		"Race":          testRace,
		"Order":         testOrder,
		"Sessions":      testSessions,
		"TakeSession":   testTakeSession,
		"MaxSessions":   testMaxSessions,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// must ends the test if a step that it builds on has failed.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testOrganizations finds organizations by id and by name, and finds the oldest one. Ids
// and names are unique.
func testOrganizations(t *testing.T, s identity.Store) {
	ctx := t.Context()
	if _, err := s.FindOrganization(ctx, ""); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("an empty store: got %v, want ErrNotFound", err)
	}
	first, second := identity.Organization{ID: "org_2", Name: "First"}, identity.Organization{ID: "org_1", Name: "org_2"}
	must(t, s.CreateOrganization(ctx, first))
	must(t, s.CreateOrganization(ctx, second))
	for given, want := range map[string]identity.Organization{"": first, "First": first, "org_1": second, "org_2": first} {
		if got, err := s.FindOrganization(ctx, given); err != nil || got != want {
			t.Errorf("FindOrganization(%q) = %v, %v; want %v", given, got, err, want)
		}
	}
	if _, err := s.FindOrganization(ctx, "first"); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("an unknown name: got %v, want ErrNotFound", err)
	}
	for _, taken := range []identity.Organization{{ID: "org_1", Name: "x"}, {ID: "org_3", Name: "First"}} {
		if err := s.CreateOrganization(ctx, taken); !errors.Is(err, identity.ErrExists) {
			t.Errorf("CreateOrganization(%v): got %v, want ErrExists", taken, err)
		}
	}
}

// testUsers finds users by id and by e-mail address, ignoring case, and only within their
// organization.
func testUsers(t *testing.T, s identity.Store) {
	ctx := t.Context()
	must(t, s.CreateOrganization(ctx, identity.Organization{ID: "org_1", Name: "1"}))
	must(t, s.CreateOrganization(ctx, identity.Organization{ID: "org_2", Name: "2"}))
	zoe := contract.User{ID: "user_2", Email: "Zoe@Example.com", Name: "Zoë"}
	ann := contract.User{ID: "user_1", Email: "ann@example.com", Name: "Ann"}
	must(t, s.CreateUser(ctx, "org_1", zoe))
	must(t, s.CreateUser(ctx, "org_1", ann))
	must(t, s.CreateUser(ctx, "org_2", contract.User{ID: "user_3", Email: "zoe@example.com"}))
	for given, want := range map[string]contract.User{"": zoe, "user_1": ann, "zoe@example.COM": zoe} {
		if got, err := s.FindUser(ctx, "org_1", given); err != nil || got != want {
			t.Errorf("FindUser(%q) = %v, %v; want %v", given, got, err, want)
		}
	}
	for _, given := range []string{"user_3", "nobody"} {
		if _, err := s.FindUser(ctx, "org_1", given); !errors.Is(err, identity.ErrNotFound) {
			t.Errorf("FindUser(%q): got %v, want ErrNotFound", given, err)
		}
	}
	for _, taken := range []contract.User{{ID: "user_4", Email: "ANN@example.com"}, {ID: "user_1", Email: "x@example.com"}} {
		if err := s.CreateUser(ctx, "org_1", taken); !errors.Is(err, identity.ErrExists) {
			t.Errorf("CreateUser(%v): got %v, want ErrExists", taken, err)
		}
	}
	if got, err := s.ListUsers(ctx, "org_1"); err != nil || !reflect.DeepEqual(got, []contract.User{zoe, ann}) {
		t.Errorf("ListUsers = %v, %v", got, err)
	}
}

var begin = time.UnixMilli(1_700_000_000_000).UTC()

// seed creates two organizations with one user each, and returns a key of the first that
// is not stored yet.
func seed(t *testing.T, s identity.Store) identity.Key {
	t.Helper()
	for _, n := range []string{"1", "2"} {
		must(t, s.CreateOrganization(t.Context(), identity.Organization{ID: "org_" + n, Name: n}))
		must(t, s.CreateUser(t.Context(), "org_"+n, contract.User{ID: "user_" + n, Email: "a@example.com", Name: "A" + n}))
	}
	return identity.Key{
		ID: "key_1", OrganizationID: "org_1", UserID: "user_1", Rate: 60,
		Scopes:    []contract.Scope{contract.ScopeConvert, contract.ScopeDocumentsRead},
		CreatedAt: begin, ExpiresAt: begin.Add(time.Hour), Digest: identity.Digest{1, 0, 255}, PepperID: "p1",
	}
}

// testKeys finds complete keys by digest and by id, and lists them by organization.
func testKeys(t *testing.T, s identity.Store) {
	ctx := t.Context()
	k := seed(t, s)
	must(t, s.CreateKey(ctx, k))
	other := identity.Key{
		ID: "key_0", OrganizationID: "org_2", UserID: "user_2", Rate: identity.Unlimited,
		Scopes: []contract.Scope{contract.ScopeAll}, CreatedAt: begin, Digest: identity.Digest{2},
	}
	must(t, s.CreateKey(ctx, other))
	stored := k
	stored.Digest = identity.Digest{} // it is written but never read

	want := identity.Account{
		Key: stored, Organization: identity.Organization{ID: "org_1", Name: "1"},
		User: contract.User{ID: "user_1", Email: "a@example.com", Name: "A1"},
	}
	if got, err := s.FindAccount(ctx, []identity.Digest{{9}, k.Digest}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("FindAccount = %+v, %v\nwant %+v", got, err, want)
	}
	if _, err := s.FindAccount(ctx, []identity.Digest{{9}}); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("an unknown digest: got %v, want ErrNotFound", err)
	}
	if got, err := s.GetKey(ctx, "key_1"); err != nil || !reflect.DeepEqual(got, stored) {
		t.Errorf("GetKey = %+v, %v", got, err)
	}
	for _, taken := range []identity.Key{{ID: "key_1", Digest: identity.Digest{3}}, {ID: "key_2", Digest: k.Digest}} {
		taken.OrganizationID, taken.UserID = "org_1", "user_1"
		if err := s.CreateKey(ctx, taken); !errors.Is(err, identity.ErrExists) {
			t.Errorf("CreateKey(%s): got %v, want ErrExists", taken.ID, err)
		}
	}
	for organization, want := range map[string]string{"": "[key_1 key_0]", "org_1": "[key_1]", "org_2": "[key_0]", "org_3": "[]"} {
		keys, err := s.ListKeys(ctx, organization)
		ids := []string{}
		for _, k := range keys {
			ids = append(ids, k.ID)
		}
		if err != nil || fmt.Sprint(ids) != want {
			t.Errorf("ListKeys(%q) = %v, %v; want %s", organization, ids, err, want)
		}
	}
}

// testEndKey ends a key, which takes effect at the given time, and a key that does not
// exist.
func testEndKey(t *testing.T, s identity.Store) {
	ctx := t.Context()
	k := seed(t, s)
	k.ExpiresAt = time.Time{}
	must(t, s.CreateKey(ctx, k))
	if got, err := s.GetKey(ctx, k.ID); err != nil || !got.ExpiresAt.IsZero() || !got.LastUsedAt.IsZero() || !got.Valid(begin) {
		t.Errorf("GetKey = %+v, %v", got, err)
	}
	must(t, s.EndKey(ctx, k.ID, begin, true))
	if got, err := s.GetKey(ctx, k.ID); err != nil || !got.Revoked || got.Valid(begin) || !got.Valid(begin.Add(-time.Millisecond)) {
		t.Errorf("after EndKey: %+v, %v", got, err)
	}
	if err := s.EndKey(ctx, "key_9", begin, true); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("an unknown key: got %v, want ErrNotFound", err)
	}
	if _, err := s.GetKey(ctx, "key_9"); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("GetKey of an unknown key: got %v, want ErrNotFound", err)
	}
}

// testTouchKeys checks that the time of last use never moves back.
func testTouchKeys(t *testing.T, s identity.Store) {
	ctx := t.Context()
	k := seed(t, s)
	must(t, s.CreateKey(ctx, k))
	later := begin.Add(time.Minute)
	must(t, s.TouchKeys(ctx, map[string]time.Time{k.ID: later, "key_9": later}))
	must(t, s.TouchKeys(ctx, map[string]time.Time{k.ID: begin})) // from another gateway that lags behind
	if got, err := s.GetKey(ctx, k.ID); err != nil || !got.LastUsedAt.Equal(later) {
		t.Errorf("last used at %v, %v; want %v", got.LastUsedAt, err, later)
	}
}

// writers is the number of concurrent writers.
const writers = 16

// testRace lets 16 concurrent writers add the same organization, user and key. Exactly one
// writer of each succeeds.
func testRace(t *testing.T, s identity.Store) {
	k := seed(t, s)
	for what, create := range map[string]func(n int) error{
		"organization": func(n int) error {
			return s.CreateOrganization(t.Context(), identity.Organization{ID: fmt.Sprintf("org_%d", 10+n), Name: "same"})
		},
		"user": func(n int) error {
			return s.CreateUser(t.Context(), "org_1", contract.User{ID: fmt.Sprintf("user_%d", 10+n), Email: []string{"Z@example.com", "z@EXAMPLE.com"}[n%2]})
		},
		"key": func(n int) error {
			k := k
			k.ID = fmt.Sprintf("key_%d", 10+n)
			return s.CreateKey(t.Context(), k)
		},
	} {
		var wg sync.WaitGroup
		var won atomic.Int32
		for n := range writers {
			wg.Go(func() {
				switch err := create(n); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, identity.ErrExists):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d writers added the same %s", won.Load(), what)
		}
	}
}

// testOrder lets 16 concurrent writers add and list users. Listed users keep their
// positions: users that are added later come after them.
func testOrder(t *testing.T, s identity.Store) {
	must(t, s.CreateOrganization(t.Context(), identity.Organization{ID: "org_1", Name: "1"}))
	var wg sync.WaitGroup
	var lists [writers][]contract.User
	for n := range writers {
		wg.Go(func() {
			id := fmt.Sprintf("user_%d", n)
			if err := s.CreateUser(t.Context(), "org_1", contract.User{ID: id, Email: id}); err != nil {
				t.Error(err)
				return
			}
			var err error
			if lists[n], err = s.ListUsers(t.Context(), "org_1"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := s.ListUsers(t.Context(), "org_1")
	if err != nil || len(all) != writers {
		t.Fatalf("ListUsers = %v, %v", all, err)
	}
	for _, list := range lists {
		if len(list) == 0 || len(list) > len(all) || !slices.Equal(list, all[:len(list)]) {
			t.Errorf("listed   %v\nfinally  %v", list, all)
		}
	}
	if oldest, err := s.FindUser(t.Context(), "org_1", ""); err != nil || oldest != all[0] {
		t.Errorf("the oldest is %v, %v; want %v", oldest, err, all[0])
	}
}
