package identity

import (
	"context"
	"errors"
	"time"
)

// SessionKind distinguishes sessions from sign-in links.
type SessionKind string

const (
	// SignedIn is the kind of a session: its secret is sent with each request.
	SignedIn SessionKind = "session"
	// SignInLink is the kind of a sign-in link: its secret is exchanged once, for a session.
	SignInLink SessionKind = "link"
)

// Session is a session of the console, or a sign-in link, without its secret. It acts for
// a key and ends with it.
type Session struct {
	Kind SessionKind
	// Digest is the HMAC of the secret under a pepper.
	Digest    Digest
	KeyID     string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// MaxSessions is the number of sessions, and of sign-in links, that a store keeps for each
// key.
const MaxSessions = 100

// Sessions stores sessions and sign-in links.
type Sessions interface {
	// CreateSession adds a session or a link of an existing key. It returns ErrExists if the
	// digest is taken. If the key then has more than MaxSessions of this kind, the oldest
	// ones are removed. Those of all keys that expired before CreatedAt are removed, at once
	// or later.
	CreateSession(ctx context.Context, s Session) error
	// FindSession returns the session with one of the digests and the account of its key,
	// each valid or not. It does not find links. It returns ErrNotFound if there is none.
	FindSession(ctx context.Context, digests []Digest) (Session, Account, error)
	// TakeSession removes the session or link of that kind with one of the digests, and
	// returns it, expired or not. Concurrent calls never return the same one twice. It
	// returns ErrNotFound if there is none.
	TakeSession(ctx context.Context, kind SessionKind, digests []Digest) (Session, error)
}

// LinkLifetime is how long a sign-in link can be exchanged.
const LinkLifetime = 10 * time.Minute

// CreateLink creates a sign-in link for the key with that id, which must be valid, and
// returns its secret.
func (a *Admin) CreateLink(ctx context.Context, keyID string) (secret string, err error) {
	key, err := a.store.GetKey(ctx, keyID)
	if err != nil {
		return "", keyError(keyID, err)
	}
	now := a.now()
	if !key.Valid(now) {
		return "", invalid("key %s is no longer valid: create a new one with keys create", keyID)
	}
	secret = newSecret(linkPrefix)
	return secret, a.store.CreateSession(ctx, Session{
		Kind: SignInLink, Digest: a.peppers[0].Digest(secret), KeyID: keyID, CreatedAt: now, ExpiresAt: now.Add(LinkLifetime),
	})
}

// CreateLinkFor is CreateLink for the key with that secret. It returns ErrInvalidKey if
// the key does not exist or is no longer valid.
func (a *Admin) CreateLinkFor(ctx context.Context, secret string) (string, error) {
	account, err := NewAuthenticator(a.store, a.peppers).Authenticate(ctx, secret)
	if err != nil {
		return "", err
	}
	return a.CreateLink(ctx, account.Key.ID)
}

// SignIn exchanges keys and sign-in links for sessions.
type SignIn struct {
	store    Store
	auth     *Authenticator
	peppers  Peppers
	lifetime time.Duration
	now      func() time.Time
}

// NewSignIn returns a SignIn over the store of auth. Its sessions end after lifetime, or
// with their keys.
func NewSignIn(store Store, auth *Authenticator, peppers Peppers, lifetime time.Duration) *SignIn {
	return &SignIn{store: store, auth: auth, peppers: peppers, lifetime: lifetime, now: time.Now}
}

// Opened is a session that has just begun.
type Opened struct {
	Account Account
	// Secret is the secret of the session, which cannot be retrieved later.
	Secret string
	// Remaining is how long the session lasts.
	Remaining time.Duration
}

// Open creates a session for the account of a valid key.
func (s *SignIn) Open(ctx context.Context, account Account) (Opened, error) {
	now := s.now()
	end := now.Add(s.lifetime)
	if expires := account.Key.ExpiresAt; !expires.IsZero() && expires.Before(end) {
		end = expires
	}
	secret := newSecret(sessionPrefix)
	err := s.store.CreateSession(ctx, Session{
		Kind: SignedIn, Digest: s.peppers[0].Digest(secret), KeyID: account.Key.ID, CreatedAt: now, ExpiresAt: end,
	})
	return Opened{Account: account, Secret: secret, Remaining: end.Sub(now)}, err
}

// Exchange creates a session for a sign-in link, which then cannot be used again. It
// returns ErrInvalidKey if the link is malformed, unknown, used or expired, or if its key
// is no longer valid.
func (s *SignIn) Exchange(ctx context.Context, link string) (Opened, error) {
	if !wellFormed(link, linkPrefix) {
		return Opened{}, ErrInvalidKey
	}
	taken, err := s.store.TakeSession(ctx, SignInLink, s.peppers.Digests(link))
	if err != nil {
		return Opened{}, invalidIfMissing(err)
	}
	if !s.now().Before(taken.ExpiresAt) {
		return Opened{}, ErrInvalidKey
	}
	key, err := s.store.GetKey(ctx, taken.KeyID)
	if err != nil {
		return Opened{}, invalidIfMissing(err)
	}
	opened, err := s.Open(ctx, Account{Key: key})
	if err != nil {
		return Opened{}, err
	}
	opened.Account, err = s.auth.AuthenticateSession(ctx, opened.Secret)
	return opened, err
}

// End ends a session and returns the id of its key. It returns "" if the session does not
// exist. This Authenticator rejects the session at once; the caller notifies the others
// that the key has changed.
func (s *SignIn) End(ctx context.Context, secret string) (keyID string, err error) {
	if !wellFormed(secret, sessionPrefix) {
		return "", nil
	}
	ended, err := s.store.TakeSession(ctx, SignedIn, s.peppers.Digests(secret))
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	s.auth.Forget(ended.KeyID)
	return ended.KeyID, nil
}

// invalidIfMissing returns ErrInvalidKey in place of ErrNotFound.
func invalidIfMissing(err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrInvalidKey
	}
	return err
}
