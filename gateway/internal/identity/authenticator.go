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

// ErrInvalidKey says that a secret is malformed, unknown, revoked or expired.
// Callers are not told which.
var ErrInvalidKey = errors.New("invalid API key")

const (
	// cacheTTL is how long a key is believed without a look at the store. A
	// key revoked by somebody who could not tell this process is refused when
	// it has passed.
	cacheTTL = 5 * time.Second
	// staleTTL is how long a key is believed while the store does not answer.
	staleTTL = 10 * time.Second
	// maxCached bounds the keys that are remembered.
	maxCached = 100_000
	// findTimeout bounds one question to the store.
	findTimeout = 2 * time.Second
)

// Authenticator tells who a secret belongs to.
type Authenticator struct {
	keys    Keys
	peppers Peppers
	now     func() time.Time
	group   singleflight.Group

	mu    sync.Mutex
	cache map[cacheKey]cached
	used  map[string]time.Time // last use by key id, not yet stored
}

// cacheKey is the hash of a secret: the cache holds no secrets, and nothing in
// it refers to the memory of a request.
type cacheKey [sha256.Size]byte

// cached is what the authenticator remembers of a key, and since when.
type cached struct {
	account Account
	at      time.Time
}

// NewAuthenticator returns an Authenticator over the keys.
func NewAuthenticator(keys Keys, peppers Peppers) *Authenticator {
	return &Authenticator{keys: keys, peppers: peppers, now: time.Now, cache: map[cacheKey]cached{}, used: map[string]time.Time{}}
}

// Authenticate returns the account of a secret, ErrInvalidKey if there is none
// or it is no longer valid, and any other error if the store does not answer.
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

// account returns the account from the cache or the store. Unknown secrets are
// not cached: a key works from the moment that it is made.
func (a *Authenticator) account(ctx context.Context, secret string) (Account, error) {
	key := cacheKey(sha256.Sum256([]byte(secret)))
	a.mu.Lock()
	hit, ok := a.cache[key]
	a.mu.Unlock()
	if ok && a.now().Sub(hit.at) < cacheTTL {
		return hit.account, nil
	}
	// Many requests with one key make one question.
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

// remember keeps the account of a key for the requests to come.
func (a *Authenticator) remember(key cacheKey, account Account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.cache) >= maxCached {
		clear(a.cache) // simpler than to age it, and as rare as 100 000 keys in use
	}
	a.cache[key] = cached{account: account, at: a.now()}
}

// Forget drops a key from the cache: it was changed elsewhere.
func (a *Authenticator) Forget(keyID string) {
	a.forget(func(_ cacheKey, c cached) bool { return c.account.Key.ID == keyID })
}

// forget drops what drop tells it to. It goes through the whole memory: keys
// change seldom, and requests come all the time.
func (a *Authenticator) forget(drop func(cacheKey, cached) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, c := range a.cache {
		if drop(key, c) {
			delete(a.cache, key)
		}
	}
}

// Flush stores when keys were last used. What cannot be stored is tried again
// at the next call.
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
