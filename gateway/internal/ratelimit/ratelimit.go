// Package ratelimit counts requests by GCRA, the generic cell rate algorithm: a
// burst of as many requests as the limit has, then one each time that the
// period divided by the limit has passed. Redis counts for all gateways
// together, and is asked by Prepaid for several requests of a busy key at a time;
// Local counts for one, alone or while Redis does not answer.
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

// Decision is what became of one request.
type Decision struct {
	Allowed bool
	// Remaining is how many more requests are allowed at once.
	Remaining int
	// RetryAfter is when the next request is allowed, 0 if this one is.
	RetryAfter time.Duration
	// ResetAfter is when the whole limit is there again.
	ResetAfter time.Duration
}

// Limiter counts requests by key. Any number of goroutines may use it.
type Limiter interface {
	// Allow counts one request. One that is not allowed is not counted. An
	// error says that it could not be counted.
	Allow(ctx context.Context, key string, l Limit) (Decision, error)
}

// Fallback is a Limiter that asks one and, if that fails, another. It is a
// circuit breaker: after a few failures in a row the first one is left alone for
// a while, so that no request waits for what is known to be away.
type Fallback struct {
	first, second Limiter
	failed        func(ctx context.Context, err error)
	now           func() time.Time

	mu       sync.Mutex
	failures int       // in a row
	retryAt  time.Time // when the first one is asked again, by one request
}

const (
	// breakAfter is how many failures in a row open the circuit.
	breakAfter = 5
	// breakFor is how long it stays open.
	breakFor = time.Second
)

// NewFallback returns a Fallback. Failed is told of each request that the second
// one had to count, with the reason.
func NewFallback(first, second Limiter, failed func(ctx context.Context, err error)) *Fallback {
	return &Fallback{first: first, second: second, failed: failed, now: time.Now}
}

// errOpen says that the first limiter was not asked.
var errOpen = errors.New("it has failed several times and is left alone for a second")

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

// closed reports whether the first limiter is to be asked. While it is left
// alone, one request each second finds out whether it is back.
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

// note counts the failures in a row.
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
