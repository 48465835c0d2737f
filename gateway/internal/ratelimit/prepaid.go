package ratelimit

import (
	"context"
	"sync"
	"time"
)

// Shared counts requests for several gateways together.
type Shared interface {
	// Take counts up to n requests. It returns how many of them are allowed, which may be
	// 0, and the Decision on the last one. On error, none was counted.
	Take(ctx context.Context, key string, l Limit, n int) (int, Decision, error)
}

// Prepaid is a Limiter over a Shared count. For a busy key, it takes several requests from
// the shared count in one call, so that not every request waits for it. If a key uses up
// its prepaid requests within busyWithin, the next call takes twice as many, up to a
// hundredth of the limit and at most maxPrepaid. Prepaid requests that are not used within
// prepaidFor are lost.
//
// A key never gets more requests than its limit. If several gateways serve it, each of them
// may withhold up to a hundredth of the limit for up to prepaidFor.
type Prepaid struct {
	shared Shared
	now    func() time.Time

	mu       sync.Mutex
	accounts map[string]*account
	sweepAt  int // number of accounts at which idle ones are removed
}

const (
	// maxPrepaid is the maximum number of requests that are taken in one call.
	maxPrepaid = 64
	// busyWithin is the time within which a busy key uses up its prepaid requests.
	busyWithin = 100 * time.Millisecond
	// prepaidFor is how long prepaid requests stay valid.
	prepaidFor = time.Second
)

// account holds the prepaid requests of one key.
type account struct {
	mu       sync.Mutex
	limit    Limit
	size     int // number of requests that the last call asked for
	left     int // number of them that are unused
	decision Decision
	takenAt  time.Time
	// asking is closed when the pending call returns; nil if there is none.
	asking chan struct{}
	failed error // error of the last call
}

// NewPrepaid returns a Prepaid that has taken nothing yet.
func NewPrepaid(shared Shared) *Prepaid {
	return &Prepaid{shared: shared, now: time.Now, accounts: map[string]*account{}, sweepAt: firstSweep}
}

// Allow implements Limiter. Requests that arrive during a call of the shared count wait for
// it, and fail if it fails.
func (p *Prepaid) Allow(ctx context.Context, key string, l Limit) (Decision, error) {
	if mostPrepaid(l) == 1 {
		_, d, err := p.shared.Take(ctx, key, l, 1)
		return d, err
	}
	a := p.account(key)
	for {
		d, wait, done := a.use(p.now(), l)
		if done {
			return d, nil
		}
		if wait == nil {
			return p.take(ctx, a, key, l)
		}
		select {
		case <-ctx.Done():
			return Decision{}, ctx.Err()
		case <-wait:
		}
		if d, err, ended := a.outcome(); ended {
			return d, err
		}
	}
}

// mostPrepaid returns how many requests of a limit may be taken in one call.
func mostPrepaid(l Limit) int { return min(max(l.Requests/100, 1), maxPrepaid) }

// account returns the account of a key.
func (p *Prepaid) account(key string) *account {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.accounts[key]
	if a == nil {
		p.sweep()
		a = &account{}
		p.accounts[key] = a
	}
	return a
}

// sweep removes accounts without valid prepaid requests whenever the number of accounts
// has doubled. The caller holds p.mu.
func (p *Prepaid) sweep() {
	if len(p.accounts) < p.sweepAt {
		return
	}
	now := p.now()
	for key, a := range p.accounts {
		a.mu.Lock()
		if a.asking == nil && now.Sub(a.takenAt) > prepaidFor {
			delete(p.accounts, key)
		}
		a.mu.Unlock()
	}
	p.sweepAt = max(firstSweep, 2*len(p.accounts))
}

// use uses a prepaid request and reports done. If there is none, it returns a channel to
// wait for. If no call is pending, the channel is nil and the caller must call take; use has
// then set asking.
func (a *account) use(now time.Time, l Limit) (d Decision, wait <-chan struct{}, done bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	age := now.Sub(a.takenAt)
	if a.left > 0 && age < prepaidFor && a.limit == l {
		a.left--
		d := a.decision
		d.Remaining += a.left
		d.ResetAfter = max(d.ResetAfter-age, 0)
		return d, nil, true
	}
	if a.asking != nil {
		return Decision{}, a.asking, false
	}
	a.asking = make(chan struct{})
	if a.left > 0 || age > busyWithin || a.limit != l {
		a.size = 0
	}
	a.left, a.limit = 0, l
	a.size = min(max(2*a.size, 1), mostPrepaid(l))
	return Decision{}, nil, false
}

// outcome returns the result of the last call if it is final for all waiters: an error or
// a refusal. Otherwise the waiters use the requests that it has taken.
func (a *account) outcome() (Decision, error, bool) { //nolint:revive // the error is a part of the outcome, not of asking for it
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.decision, a.failed, a.failed != nil || !a.decision.Allowed
}

// take takes a.size requests from the shared count and uses the first of them.
func (p *Prepaid) take(ctx context.Context, a *account, key string, l Limit) (Decision, error) {
	granted, d, err := p.shared.Take(ctx, key, l, a.size)
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.asking)
	a.asking, a.decision, a.failed, a.takenAt = nil, d, err, p.now()
	if err != nil {
		a.size = 0
		return Decision{}, err
	}
	a.left = max(granted-1, 0)
	d.Remaining += a.left
	return d, nil
}
