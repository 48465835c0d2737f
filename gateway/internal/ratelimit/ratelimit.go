// Package ratelimit counts requests by GCRA, the generic cell rate algorithm: a
// burst of as many requests as the limit has, then one each time that the
// period divided by the limit has passed. Redis counts for all gateways
// together; Local counts for one, alone or while Redis does not answer.
package ratelimit

import (
	"context"
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

// Fallback is a Limiter that asks one and, if that fails, another.
type Fallback struct {
	First, Second Limiter
	// Failed is told each time that First fails.
	Failed func(ctx context.Context, err error)
}

// Allow implements Limiter.
func (f Fallback) Allow(ctx context.Context, key string, l Limit) (Decision, error) {
	d, err := f.First.Allow(ctx, key, l)
	if err == nil {
		return d, nil
	}
	f.Failed(ctx, err)
	return f.Second.Allow(ctx, key, l)
}
