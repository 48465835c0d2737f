package storetest

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/gateway/internal/identity"
)

// lasting is the beginning of sessions that have not expired. Unlike begin it is not long
// ago: a store may remove expired sessions at any time.
var lasting = time.Now().Truncate(time.Millisecond).UTC()

// newSession returns a session of key_1 that lasts for an hour.
func newSession(kind identity.SessionKind, digest byte) identity.Session {
	return identity.Session{Kind: kind, Digest: identity.Digest{digest, 0, 255}, KeyID: "key_1", CreatedAt: lasting, ExpiresAt: lasting.Add(time.Hour)}
}

// testSessions finds sessions by digest, with the accounts of their keys. Links and keys
// are not sessions.
func testSessions(t *testing.T, s identity.Store) {
	ctx := t.Context()
	k := seed(t, s)
	must(t, s.CreateKey(ctx, k))
	session, link := newSession(identity.SignedIn, 1), newSession(identity.SignInLink, 2)
	must(t, s.CreateSession(ctx, session))
	must(t, s.CreateSession(ctx, link))
	want, err := s.FindAccount(ctx, []identity.Digest{k.Digest})
	must(t, err)
	got, account, err := s.FindSession(ctx, []identity.Digest{{9}, session.Digest})
	if err != nil || got != session || !reflect.DeepEqual(account, want) {
		t.Errorf("FindSession = %+v, %+v, %v\nwant %+v, %+v", got, account, err, session, want)
	}
	must(t, s.EndKey(ctx, k.ID, begin, true))
	if _, account, err := s.FindSession(ctx, []identity.Digest{session.Digest}); err != nil || !account.Key.Revoked {
		t.Errorf("after the key was revoked: %+v, %v", account, err)
	}
	for what, digest := range map[string]identity.Digest{"a link": link.Digest, "an unknown digest": {9}} {
		if _, _, err := s.FindSession(ctx, []identity.Digest{digest}); !errors.Is(err, identity.ErrNotFound) {
			t.Errorf("FindSession of %s: got %v, want ErrNotFound", what, err)
		}
	}
	for _, kind := range []identity.SessionKind{identity.SignedIn, identity.SignInLink} {
		if err := s.CreateSession(ctx, newSession(kind, 1)); !errors.Is(err, identity.ErrExists) {
			t.Errorf("a second %s with the digest: got %v, want ErrExists", kind, err)
		}
	}
}

// testTakeSession lets 16 concurrent callers take a session. Exactly one of them gets it.
// A session is not taken as a link, nor a link as a session.
func testTakeSession(t *testing.T, s identity.Store) {
	ctx := t.Context()
	must(t, s.CreateKey(ctx, seed(t, s)))
	session, link := newSession(identity.SignedIn, 1), newSession(identity.SignInLink, 2)
	for _, n := range []identity.Session{session, link} {
		must(t, s.CreateSession(ctx, n))
	}
	for kind, digest := range map[identity.SessionKind]identity.Digest{identity.SignInLink: session.Digest, identity.SignedIn: link.Digest} {
		if _, err := s.TakeSession(ctx, kind, []identity.Digest{digest}); !errors.Is(err, identity.ErrNotFound) {
			t.Errorf("TakeSession of the other kind than %s: got %v, want ErrNotFound", kind, err)
		}
	}
	for _, n := range []identity.Session{session, link} {
		var wg sync.WaitGroup
		var won atomic.Int32
		for range writers {
			wg.Go(func() {
				switch got, err := s.TakeSession(ctx, n.Kind, []identity.Digest{{9}, n.Digest}); {
				case err == nil && got == n:
					won.Add(1)
				case !errors.Is(err, identity.ErrNotFound):
					t.Errorf("got %+v, %v", got, err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d callers took the same %s", won.Load(), n.Kind)
		}
	}
	if _, _, err := s.FindSession(ctx, []identity.Digest{session.Digest}); !errors.Is(err, identity.ErrNotFound) {
		t.Errorf("FindSession after TakeSession: got %v, want ErrNotFound", err)
	}
}

// testMaxSessions creates one session more than a key may have. The oldest one goes;
// links, and the sessions of other keys, stay.
func testMaxSessions(t *testing.T, s identity.Store) {
	ctx := t.Context()
	k := seed(t, s)
	must(t, s.CreateKey(ctx, k))
	k.ID, k.Digest = "key_2", identity.Digest{2}
	must(t, s.CreateKey(ctx, k))
	link, other := newSession(identity.SignInLink, 254), newSession(identity.SignedIn, 255)
	other.KeyID = "key_2"
	for _, n := range []identity.Session{link, other} {
		n.CreatedAt = n.CreatedAt.Add(-time.Minute)
		must(t, s.CreateSession(ctx, n))
	}
	for n := range identity.MaxSessions + 1 {
		session := newSession(identity.SignedIn, byte(n))
		session.CreatedAt = session.CreatedAt.Add(time.Duration(n) * time.Millisecond)
		must(t, s.CreateSession(ctx, session))
	}
	for n := range identity.MaxSessions + 1 {
		_, _, err := s.FindSession(ctx, []identity.Digest{newSession(identity.SignedIn, byte(n)).Digest})
		if n == 0 && !errors.Is(err, identity.ErrNotFound) || n > 0 && err != nil {
			t.Errorf("session %d: %v", n, err)
		}
	}
	if _, _, err := s.FindSession(ctx, []identity.Digest{other.Digest}); err != nil {
		t.Errorf("the session of another key: %v", err)
	}
	if _, err := s.TakeSession(ctx, identity.SignInLink, []identity.Digest{link.Digest}); err != nil {
		t.Errorf("the link: %v", err)
	}
}
