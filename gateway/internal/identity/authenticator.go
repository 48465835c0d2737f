package identity

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// ErrInvalidKey is returned for a secret that is malformed, unknown, revoked or expired.
// It does not reveal which.
var ErrInvalidKey = errors.New("invalid API key")

const (
	// cacheTTL is how long a cached key is used without asking the store. A key that was
	// revoked without notifying this process is rejected after this time at the latest.
	cacheTTL = 5 * time.Second
	// staleTTL is how long a cached key is used while the store is unavailable.
	staleTTL = 10 * time.Second
	// maxCached bounds the number of cached keys.
	maxCached = 100_000
	// findTimeout bounds one query of the store.
	findTimeout = 5 * time.Second
)

// Accounts is what an Authenticator needs of a Store.
type Accounts interface {
	FindAccount(ctx context.Context, digests []Digest) (Account, error)
	FindSession(ctx context.Context, digests []Digest) (Session, Account, error)
	TouchKeys(ctx context.Context, used map[string]time.Time) error
}

// Authenticator finds the account of a secret: of a key, or of a session.
type Authenticator struct {
	accounts Accounts
	peppers  Peppers
	now      func() time.Time
	group    singleflight.Group

	mu    sync.Mutex
	cache map[cacheKey]cached
	used  map[string]time.Time // last uses by key id that are not stored yet
	// changes counts the calls of Forget. The result of a query that began before the last
	// one may be outdated, and is not cached.
	changes uint64
}

// cacheKey is the hash of a secret. With it, the cache holds neither secrets nor references
// to the memory of requests.
type cacheKey [sha256.Size]byte

// cached is a cached account and the time when it was found.
type cached struct {
	account Account
	at      time.Time
	// end is when the session expires; the zero time for a key.
	end time.Time
}

// valid reports whether the secret may be used at the time now.
func (c cached) valid(now time.Time) bool {
	return c.account.Key.Valid(now) && (c.end.IsZero() || now.Before(c.end))
}

// NewAuthenticator returns an Authenticator over the accounts.
func NewAuthenticator(accounts Accounts, peppers Peppers) *Authenticator {
	return &Authenticator{accounts: accounts, peppers: peppers, now: time.Now, cache: map[cacheKey]cached{}, used: map[string]time.Time{}}
}

// Authenticate returns the account of a secret. The error is ErrInvalidKey if there is no
// such account or its key is no longer valid, and any other error if the store fails.
func (a *Authenticator) Authenticate(ctx context.Context, secret string) (Account, error) {
	if !WellFormed(secret) {
		return Account{}, ErrInvalidKey
	}
	return a.authenticate(ctx, secret, func(ctx context.Context) (cached, error) {
		account, err := a.accounts.FindAccount(ctx, a.peppers.Digests(secret))
		return cached{account: account}, err
	})
}

// AuthenticateSession is Authenticate for the secret of a session. The session must not
// have ended, and its key must be valid.
func (a *Authenticator) AuthenticateSession(ctx context.Context, secret string) (Account, error) {
	if !wellFormed(secret, sessionPrefix) {
		return Account{}, ErrInvalidKey
	}
	return a.authenticate(ctx, secret, func(ctx context.Context) (cached, error) {
		session, account, err := a.accounts.FindSession(ctx, a.peppers.Digests(secret))
		return cached{account: account, end: session.ExpiresAt}, err
	})
}

// authenticate returns the account of a secret, which find looks up in the store.
func (a *Authenticator) authenticate(ctx context.Context, secret string, find func(context.Context) (cached, error)) (Account, error) {
	found, err := a.account(ctx, secret, find)
	if err != nil {
		return Account{}, err
	}
	now := a.now()
	if !found.valid(now) {
		return Account{}, ErrInvalidKey
	}
	a.mu.Lock()
	a.used[found.account.Key.ID] = now
	a.mu.Unlock()
	return found.account, nil
}

// account returns the account from the cache or the store. Unknown secrets are not cached,
// so that a key works as soon as it is created.
func (a *Authenticator) account(ctx context.Context, secret string, find func(context.Context) (cached, error)) (cached, error) {
	key := cacheKey(sha256.Sum256([]byte(secret)))
	a.mu.Lock()
	hit, ok := a.cache[key]
	changes := a.changes
	a.mu.Unlock()
	if ok && a.now().Sub(hit.at) < cacheTTL {
		return hit, nil
	}
	// Concurrent requests with one secret share one query, unless a key changed in between.
	shared, err, _ := a.group.Do(fmt.Sprintf("%s %d", key[:], changes), func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, findTimeout)
		defer cancel()
		return find(ctx)
	})
	switch {
	case err == nil:
		found, _ := shared.(cached)
		a.remember(key, found, changes)
		return found, nil
	case errors.Is(err, ErrNotFound):
		a.forget(func(k cacheKey, _ cached) bool { return k == key })
		return cached{}, ErrInvalidKey
	case ok && a.now().Sub(hit.at) < staleTTL:
		return hit, nil
	}
	return cached{}, fmt.Errorf("find the API key: %w", err)
}

// remember adds an account to the cache, unless Forget was called since the number of
// changes was read.
func (a *Authenticator) remember(key cacheKey, found cached, changes uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changes != changes {
		return
	}
	if len(a.cache) >= maxCached {
		clear(a.cache) // simpler than evicting old entries, and as rare as 100 000 keys in use
	}
	found.at = a.now()
	a.cache[key] = found
}

// Forget drops a key and its sessions from the cache, because one of them was changed
// elsewhere.
func (a *Authenticator) Forget(keyID string) {
	a.mu.Lock()
	a.changes++
	a.mu.Unlock()
	a.forget(func(_ cacheKey, c cached) bool { return c.account.Key.ID == keyID })
}

// forget removes the cache entries for which drop returns true. It scans the whole cache,
// which is fine because keys change rarely.
func (a *Authenticator) forget(drop func(cacheKey, cached) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, c := range a.cache {
		if drop(key, c) {
			delete(a.cache, key)
		}
	}
}

// Flush stores when keys were last used. If that fails, the next call tries again.
func (a *Authenticator) Flush(ctx context.Context) error {
	a.mu.Lock()
	used := a.used
	a.used = map[string]time.Time{}
	a.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := a.accounts.TouchKeys(ctx, used)
	if err == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, at := range used {
		if a.used[id].Before(at) {
			a.used[id] = at
		}
	}
	return fmt.Errorf("store when keys were used: %w", err)
}
