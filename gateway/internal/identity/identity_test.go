package identity_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/identity/sqlitestore"
	"github.com/rectohq/recto/libs/contract"
)

func openStore(t *testing.T) identity.Store {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "gateway.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// everything is the list of scopes of a key without restrictions.
var everything = []contract.Scope{contract.ScopeAll}

var peppers = identity.Peppers{
	{ID: "new", Secret: bytes.Repeat([]byte{1}, 32)}, {ID: "old", Secret: bytes.Repeat([]byte{2}, 32)},
}

func TestSecret(t *testing.T) {
	seen := map[string]bool{}
	for i := range 200 {
		s := identity.NewSecret(i%2 == 0)
		prefix := []string{"rk_live_", "rk_test_"}[i%2]
		if !identity.WellFormed(s) || !strings.HasPrefix(s, prefix) || len(s) != 57 || seen[s] {
			t.Fatalf("NewSecret = %q", s)
		}
		seen[s] = true
		for at := range len(s) { // any single changed character is detected
			changed := []byte(s)
			changed[at] ^= 1
			if identity.WellFormed(string(changed)) {
				t.Fatalf("%q is well formed", changed)
			}
		}
	}
	for _, s := range []string{"", "rk_live_", strings.Repeat("x", 57), "rk_live_" + strings.Repeat("0", 49)} {
		if identity.WellFormed(s) {
			t.Errorf("%q is well formed", s)
		}
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add(identity.NewSecret(true))
	f.Add("rk_live_")
	f.Add("rk_test_\x00é")
	f.Fuzz(func(t *testing.T, s string) {
		if identity.WellFormed(s) && len(s) != 57 {
			t.Errorf("%q is well formed", s)
		}
	})
}

func TestParse(t *testing.T) {
	for text, want := range map[string]identity.Rate{"1/min": 1, "1000/min": 1000, "unlimited": identity.Unlimited} {
		got, err := identity.ParseRate(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("ParseRate(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0/min", "-1/min", "10", "10/s", "x/min", "10/min/min", "1000000001/min"} {
		if _, err := identity.ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q) returned no error", text)
		}
	}
	two := identity.NewPepper("b") + ", " + identity.NewPepper("a")
	if got, err := identity.ParsePeppers(two); err != nil || len(got) != 2 || got[0].ID != "b" || len(got[1].Secret) != 32 {
		t.Errorf("ParsePeppers = %v, %v", got, err)
	}
	for _, text := range []string{"", "a", "a:", ":" + strings.Repeat("A", 44), "a:AAAA", "a:%%%"} {
		if _, err := identity.ParsePeppers(text); err == nil {
			t.Errorf("ParsePeppers(%q) returned no error", text)
		}
	}
}

func TestAuthenticate(t *testing.T) {
	ctx := t.Context()
	store := openStore(t)
	admin := identity.NewAdmin(store, peppers)
	auth := identity.NewAuthenticator(store, peppers)
	account, secret, err := admin.CreateKey(ctx, identity.NewKey{Scopes: everything, Email: "a@example.com", Name: "A", Rate: 5})
	if err != nil {
		t.Fatal(err)
	}
	got, err := auth.Authenticate(ctx, secret)
	if err != nil || got.Principal().User.Email != "a@example.com" || got.Key.ID != account.Key.ID || got.Key.Rate != 5 || !got.Principal().May(contract.ScopeInsights) {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, s := range map[string]string{"unknown": identity.NewSecret(true), "malformed": secret + "x", "empty": ""} {
		if _, err := auth.Authenticate(ctx, s); !errors.Is(err, identity.ErrInvalidKey) {
			t.Errorf("%s: got %v, want ErrInvalidKey", name, err)
		}
	}
	_, expired, err := admin.CreateKey(ctx, identity.NewKey{Scopes: everything, Expires: time.Now().Add(-time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := auth.Authenticate(ctx, expired); !errors.Is(err, identity.ErrInvalidKey) {
		t.Errorf("expired: got %v, want ErrInvalidKey", err)
	}
	if err := auth.Flush(ctx); err != nil {
		t.Error(err)
	}
	if k, err := store.GetKey(ctx, account.Key.ID); err != nil || k.LastUsedAt.IsZero() {
		t.Errorf("last used at %v, %v", k.LastUsedAt, err)
	}
}

// TestOldPepper checks that keys from before a pepper rotation stay valid.
func TestOldPepper(t *testing.T) {
	store := openStore(t)
	_, secret, err := identity.NewAdmin(store, peppers[1:]).CreateKey(t.Context(), identity.NewKey{Scopes: everything})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := identity.NewAuthenticator(store, peppers).Authenticate(t.Context(), secret); err != nil {
		t.Errorf("with the new and the old pepper: %v", err)
	}
	if _, err := identity.NewAuthenticator(store, peppers[:1]).Authenticate(t.Context(), secret); !errors.Is(err, identity.ErrInvalidKey) {
		t.Errorf("with only the new pepper: got %v, want ErrInvalidKey", err)
	}
}

// countingKeys counts the queries of a store, and fails them while it is down.
type countingKeys struct {
	identity.Store
	asked int
	down  bool
}

func (c *countingKeys) FindAccount(_ context.Context, _ []identity.Digest) (identity.Account, error) {
	c.asked++
	if c.down {
		return identity.Account{}, errors.New("down")
	}
	return identity.Account{Key: identity.Key{ID: "key_1"}}, nil
}

func TestCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := &countingKeys{}
		auth := identity.NewAuthenticator(keys, peppers)
		secret := identity.NewSecret(true)
		ask := func(want int, wantErr bool) {
			t.Helper()
			if _, err := auth.Authenticate(t.Context(), secret); (err != nil) != wantErr || keys.asked != want {
				t.Errorf("asked %d times, %v; want %d, error %v", keys.asked, err, want, wantErr)
			}
		}
		ask(1, false)
		time.Sleep(4 * time.Second)
		ask(1, false)
		time.Sleep(2 * time.Second) // the cache entry has expired
		ask(2, false)
		auth.Forget("key_1")
		ask(3, false)
		keys.down = true
		time.Sleep(6 * time.Second) // the store is down: the key stays valid for a while
		ask(4, false)
		time.Sleep(5 * time.Second)
		ask(5, true)
	})
}

// TestInvalidKeysCreateNothing checks that CreateKey stores nothing if its arguments are
// invalid.
func TestInvalidKeysCreateNothing(t *testing.T) {
	ctx, store := t.Context(), openStore(t)
	admin := identity.NewAdmin(store, peppers)
	for _, n := range []identity.NewKey{
		{Organization: "Acme", Email: "a@example.com"}, // no scopes
		{Organization: "Acme", Email: "a@example.com", Scopes: []contract.Scope{"everything"}},
		{Organization: "Acme", Email: "a", Scopes: everything},
	} {
		if _, _, err := admin.CreateKey(ctx, n); err == nil {
			t.Errorf("CreateKey(%+v) returned no error", n)
		}
	}
	if _, err := store.FindOrganization(ctx, ""); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("an organization was created: %v", err)
	}
	if keys, err := store.ListKeys(ctx, ""); err != nil || len(keys) != 0 {
		t.Errorf("keys were created: %+v, %v", keys, err)
	}
}

func TestRotateAndRevoke(t *testing.T) {
	ctx := t.Context()
	store := openStore(t)
	admin := identity.NewAdmin(store, peppers)
	old, oldSecret, err := admin.CreateKey(ctx, identity.NewKey{Scopes: []contract.Scope{contract.ScopeConvert}, Rate: 7})
	if err != nil {
		t.Fatal(err)
	}
	renewed, secret, err := admin.RotateKey(ctx, old.Key.ID, 0)
	if err != nil || renewed.Key.ID == old.Key.ID || renewed.Key.Rate != 7 || renewed.User != old.User || len(renewed.Key.Scopes) != 1 {
		t.Fatalf("RotateKey = %+v, %v", renewed, err)
	}
	auth := identity.NewAuthenticator(store, peppers)
	if _, err := auth.Authenticate(ctx, oldSecret); !errors.Is(err, identity.ErrInvalidKey) {
		t.Errorf("the old key: got %v, want ErrInvalidKey", err)
	}
	if _, err := auth.Authenticate(ctx, secret); err != nil {
		t.Errorf("the new key: %v", err)
	}
	if _, graceful, err := admin.RotateKey(ctx, renewed.Key.ID, time.Hour); err != nil {
		t.Error(err)
	} else if _, err := auth.Authenticate(ctx, graceful); err != nil {
		t.Errorf("the newest key: %v", err)
	}
	auth.Forget(renewed.Key.ID)
	if _, err := auth.Authenticate(ctx, secret); err != nil {
		t.Errorf("a key within its grace period: %v", err)
	}
	if _, _, err := admin.RotateKey(ctx, old.Key.ID, 0); err == nil {
		t.Error("RotateKey of an expired key returned no error")
	}
	if err := admin.RevokeKey(ctx, "key_9"); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("an unknown key: got %v, want ErrNotFound", err)
	}
}

// sessionOf opens a session for a new key, and returns the key and the secret of the
// session.
func sessionOf(t *testing.T, store identity.Store, signIn *identity.SignIn) (identity.Key, string) {
	t.Helper()
	account, _, err := identity.NewAdmin(store, peppers).CreateKey(t.Context(), identity.NewKey{Scopes: everything})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := signIn.Open(t.Context(), account)
	if err != nil || opened.Remaining != time.Hour {
		t.Fatalf("Open = %+v, %v", opened, err)
	}
	return account.Key, opened.Secret
}

// TestSessions opens, ends and revokes sessions. The secrets of keys, links and sessions
// are not interchangeable.
func TestSessions(t *testing.T) {
	ctx, store := t.Context(), openStore(t)
	auth := identity.NewAuthenticator(store, peppers)
	signIn, admin := identity.NewSignIn(store, auth, peppers, time.Hour), identity.NewAdmin(store, peppers)
	key, session := sessionOf(t, store, signIn)
	if got, err := auth.AuthenticateSession(ctx, session); err != nil || got.Key.ID != key.ID || !got.Principal().May(contract.ScopeConvert) {
		t.Errorf("AuthenticateSession = %+v, %v", got, err)
	}
	link, err := admin.CreateLink(ctx, key.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{link, identity.NewSecret(true), session + "x", ""} {
		if _, err := auth.AuthenticateSession(ctx, secret); !errors.Is(err, identity.ErrInvalidKey) {
			t.Errorf("AuthenticateSession(%.8s): got %v, want ErrInvalidKey", secret, err)
		}
	}
	for _, secret := range []string{link, session} {
		if _, err := auth.Authenticate(ctx, secret); !errors.Is(err, identity.ErrInvalidKey) {
			t.Errorf("Authenticate(%.8s): got %v, want ErrInvalidKey", secret, err)
		}
	}
	opened, err := signIn.Exchange(ctx, link)
	if err != nil || opened.Account.Organization.Name != identity.DefaultOrganization || opened.Account.Key.ID != key.ID {
		t.Errorf("Exchange = %+v, %v", opened, err)
	}
	if _, err := signIn.Exchange(ctx, link); !errors.Is(err, identity.ErrInvalidKey) {
		t.Errorf("a used link: got %v, want ErrInvalidKey", err)
	}
	for n, want := range []string{key.ID, ""} { // the second time there is no session
		if got, err := signIn.End(ctx, session); err != nil || got != want {
			t.Errorf("End, time %d: %q, %v; want %q", n+1, got, err, want)
		}
	}
	if _, err := auth.AuthenticateSession(ctx, session); !errors.Is(err, identity.ErrInvalidKey) {
		t.Errorf("an ended session: got %v, want ErrInvalidKey", err)
	}
	if err := admin.RevokeKey(ctx, key.ID); err != nil {
		t.Fatal(err)
	}
	auth.Forget(key.ID)
	if _, err := auth.AuthenticateSession(ctx, opened.Secret); !errors.Is(err, identity.ErrInvalidKey) {
		t.Errorf("a session of a revoked key: got %v, want ErrInvalidKey", err)
	}
	if _, err := admin.CreateLink(ctx, key.ID); !errors.As(err, new(identity.InvalidError)) {
		t.Errorf("a link for a revoked key: %v", err)
	}
}

// waiting is a store in which sessions are found only after finish is closed.
type waiting struct {
	identity.Store
	begun, finish chan struct{}
	asked         atomic.Int32
}

func (w *waiting) FindSession(ctx context.Context, digests []identity.Digest) (identity.Session, identity.Account, error) {
	session, account, err := w.Store.FindSession(ctx, digests)
	if w.asked.Add(1) == 1 {
		close(w.begun)
		<-w.finish
	}
	return session, account, err
}

// TestForgottenWhileAsked ends a session while a query that has found it is in progress. The
// outdated result is neither cached nor shared with requests that begin later.
func TestForgottenWhileAsked(t *testing.T) {
	ctx := t.Context()
	store := &waiting{Store: openStore(t), begun: make(chan struct{}), finish: make(chan struct{})}
	auth := identity.NewAuthenticator(store, peppers)
	signIn := identity.NewSignIn(store, auth, peppers, time.Hour)
	_, session := sessionOf(t, store, signIn)
	first := make(chan error, 1)
	go func() {
		_, err := auth.AuthenticateSession(ctx, session)
		first <- err
	}()
	<-store.begun
	if _, err := signIn.End(ctx, session); err != nil {
		t.Error(err)
	}
	if _, err := auth.AuthenticateSession(ctx, session); !errors.Is(err, identity.ErrInvalidKey) {
		t.Errorf("a request after the end: got %v, want ErrInvalidKey", err)
	}
	close(store.finish)
	if err := <-first; err != nil {
		t.Errorf("the request before the end: %v", err)
	}
	if _, err := auth.AuthenticateSession(ctx, session); !errors.Is(err, identity.ErrInvalidKey) {
		t.Errorf("a request after both: got %v, want ErrInvalidKey", err)
	}
}

// brief is a store of one session, which expires at the time end.
type brief struct {
	identity.Store
	end time.Time
}

func (b brief) FindSession(context.Context, []identity.Digest) (identity.Session, identity.Account, error) {
	return identity.Session{ExpiresAt: b.end}, identity.Account{Key: identity.Key{ID: "key_1"}}, nil
}

func (b brief) CreateSession(context.Context, identity.Session) error { return nil }

// TestSessionExpires checks that a session ends on time, also while it is cached.
func TestSessionExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := brief{end: time.Now().Add(2 * time.Second)}
		auth := identity.NewAuthenticator(store, peppers)
		opened, err := identity.NewSignIn(store, auth, peppers, time.Hour).Open(t.Context(), identity.Account{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []error{nil, nil, identity.ErrInvalidKey} {
			if _, err := auth.AuthenticateSession(t.Context(), opened.Secret); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			time.Sleep(time.Second)
		}
	})
}
