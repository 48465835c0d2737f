// Package ratelimit limits requests with GCRA, the generic cell rate algorithm. It allows a
// burst of as many requests as the limit, and then one request per period divided by the
// limit.
//
// Redis counts for all gateways together; Prepaid takes several requests of a busy key from
// it in one call. Local counts for one process, either on its own or while Redis is
// unavailable.
package ratelimit

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Limit is how many requests are allowed in Period.
type Limit struct {
	Requests int
	Period   time.Duration
}

// Decision is the result of counting one request.
type Decision struct {
	Allowed bool
	// Remaining is how many more requests are allowed right now.
	Remaining int
	// RetryAfter is how long to wait for the next request, 0 if this one is allowed.
	RetryAfter time.Duration
	// ResetAfter is the time until the full limit is available again.
	ResetAfter time.Duration
}

// Limiter counts requests by key. It is safe for concurrent use.
type Limiter interface {
	// Allow counts one request, unless it is not allowed. It returns an error if the
	// request could not be counted.
	Allow(ctx context.Context, key string, l Limit) (Decision, error)
}

// Fallback is a Limiter that uses a second Limiter when the first one fails. It is a circuit
// breaker: after several consecutive failures it skips the first Limiter for a while, so
// that requests do not wait for a Limiter that is known to be down.
type Fallback struct {
	first, second Limiter
	failed        func(ctx context.Context, err error)
	now           func() time.Time

	mu       sync.Mutex
	failures int       // number of consecutive failures
	retryAt  time.Time // when one request tries the first Limiter again
}

const (
	// breakAfter is how many consecutive failures open the circuit.
	breakAfter = 5
	// breakFor is how long it stays open.
	breakFor = time.Second
)

// NewFallback returns a Fallback. It calls failed with the reason for each request that the
// second Limiter counts.
func NewFallback(first, second Limiter, failed func(ctx context.Context, err error)) *Fallback {
	return &Fallback{first: first, second: second, failed: failed, now: time.Now}
}

// errOpen is the reason for requests that skip the first Limiter.
var errOpen = errors.New("the circuit is open after several failures")

// Allow implements Limiter.
func (f *Fallback) Allow(ctx context.Context, key string, l Limit) (Decision, error) {
	err := errOpen
	if f.closed() {
		var d Decision
		d, err = f.first.Allow(ctx, key, l)
		f.note(err == nil)
		if err == nil {
			return d, nil
		}
	}
	f.failed(ctx, err)
	return f.second.Allow(ctx, key, l)
}

// closed reports whether to use the first Limiter. While the circuit is open, it returns
// true for one request a second, to find out whether the Limiter works again.
func (f *Fallback) closed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failures < breakAfter {
		return true
	}
	now := f.now()
	if now.Before(f.retryAt) {
		return false
	}
	f.retryAt = now.Add(breakFor)
	return true
}

// note counts consecutive failures.
func (f *Fallback) note(ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ok {
		f.failures = 0
		return
	}
	if f.failures++; f.failures == breakAfter {
		f.retryAt = f.now().Add(breakFor)
	}
}
