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
	findTimeout = 2 * time.Second
)

// Authenticator finds the account of a secret.
type Authenticator struct {
	keys    Keys
	peppers Peppers
	now     func() time.Time
	group   singleflight.Group

	mu    sync.Mutex
	cache map[cacheKey]cached
	used  map[string]time.Time // last uses by key id that are not stored yet
}

// cacheKey is the hash of a secret. With it, the cache holds neither secrets nor references
// to the memory of requests.
type cacheKey [sha256.Size]byte

// cached is a cached account and the time when it was found.
type cached struct {
	account Account
	at      time.Time
}

// NewAuthenticator returns an Authenticator over the keys.
func NewAuthenticator(keys Keys, peppers Peppers) *Authenticator {
	return &Authenticator{keys: keys, peppers: peppers, now: time.Now, cache: map[cacheKey]cached{}, used: map[string]time.Time{}}
}

// Authenticate returns the account of a secret. The error is ErrInvalidKey if there is no
// such account or its key is no longer valid, and any other error if the store fails.
func (a *Authenticator) Authenticate(ctx context.Context, secret string) (Account, error) {
	if !WellFormed(secret) {
		return Account{}, ErrInvalidKey
	}
	account, err := a.account(ctx, secret)
	if err != nil {
		return Account{}, err
	}
	now := a.now()
	if !account.Key.Valid(now) {
		return Account{}, ErrInvalidKey
	}
	a.mu.Lock()
	a.used[account.Key.ID] = now
	a.mu.Unlock()
	return account, nil
}

// account returns the account from the cache or the store. Unknown secrets are not cached,
// so that a key works as soon as it is created.
func (a *Authenticator) account(ctx context.Context, secret string) (Account, error) {
	key := cacheKey(sha256.Sum256([]byte(secret)))
	a.mu.Lock()
	hit, ok := a.cache[key]
	a.mu.Unlock()
	if ok && a.now().Sub(hit.at) < cacheTTL {
		return hit.account, nil
	}
	// Concurrent requests with one key share one query.
	found, err, _ := a.group.Do(string(key[:]), func() (any, error) {
		ctx, cancel := context.WithTimeout(ctx, findTimeout)
		defer cancel()
		return a.keys.FindAccount(ctx, a.peppers.Digests(secret))
	})
	switch {
	case err == nil:
		account, _ := found.(Account)
		a.remember(key, account)
		return account, nil
	case errors.Is(err, ErrNotFound):
		a.forget(func(k cacheKey, _ cached) bool { return k == key })
		return Account{}, ErrInvalidKey
	case ok && a.now().Sub(hit.at) < staleTTL:
		return hit.account, nil
	}
	return Account{}, fmt.Errorf("find the API key: %w", err)
}

// remember adds an account to the cache.
func (a *Authenticator) remember(key cacheKey, account Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.cache) >= maxCached {
		clear(a.cache) // simpler than evicting old entries, and as rare as 100 000 keys in use
	}
	a.cache[key] = cached{account: account, at: a.now()}
}

// Forget drops a key from the cache, because it was changed elsewhere.
func (a *Authenticator) Forget(keyID string) {
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
	err := a.keys.TouchKeys(ctx, used)
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
