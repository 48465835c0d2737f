package ratelimit

import (
	"context"
	"sync"
	"time"
)

// Shared is a count that several gateways share.
type Shared interface {
	// Take counts up to n requests and returns how many are allowed, from 0,
	// with the Decision of the last of them. An error says that none could be
	// counted.
	Take(ctx context.Context, key string, l Limit, n int) (int, Decision, error)
}

// Prepaid is a Limiter that takes several requests at a time of a busy key from
// a Shared count, so that not each of them waits for it: a key that has used up
// what was taken within busyWithin is given twice as much the next time, up to a
// hundredth of its limit and at most maxPrepaid. What is not used within
// prepaidFor is lost. So a key is never allowed more than its limit, and where
// several gateways serve it at once each may hold back as much as a hundredth of
// it, for as long.
type Prepaid struct {
	shared Shared
	now    func() time.Time

	mu       sync.Mutex
	accounts map[string]*account
	sweepAt  int // number of accounts at which idle ones are removed
}

const (
	// maxPrepaid is how many requests are taken at once at the most.
	maxPrepaid = 64
	// busyWithin is how soon a busy key has used what was taken for it.
	busyWithin = 100 * time.Millisecond
	// prepaidFor is how long what was taken can be used.
	prepaidFor = time.Second
)

// account is what was taken for one key.
type account struct {
	mu       sync.Mutex
	limit    Limit
	size     int // how many were asked for the last time
	left     int // how many of them are not used
	decision Decision
	takenAt  time.Time
	// asking is closed when the question that is under way is answered, nil if
	// there is none.
	asking chan struct{}
	failed error // of the last question
}

// NewPrepaid returns a Prepaid that has taken nothing.
func NewPrepaid(shared Shared) *Prepaid {
	return &Prepaid{shared: shared, now: time.Now, accounts: map[string]*account{}, sweepAt: firstSweep}
}

// Allow implements Limiter. Requests that come while the shared count is asked
// wait for that answer, and share its failure.
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

// mostPrepaid is how many requests of a limit may be taken at once.
func mostPrepaid(l Limit) int { return min(max(l.Requests/100, 1), maxPrepaid) }

// account returns what was taken for a key.
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

// sweep removes accounts that hold nothing that can be used, each time that
// their number has doubled.
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

// use uses one of the requests that were taken. If there is none it returns what
// to wait for, or nil if the caller is the one to ask: then asking is set.
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

// outcome returns what the last question has ended for all who waited for it: a
// failure or a refusal. What was allowed is to be used.
func (a *account) outcome() (Decision, error, bool) { //nolint:revive // the error is a part of the outcome, not of asking for it
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.decision, a.failed, a.failed != nil || !a.decision.Allowed
}

// take asks for a.size requests and uses the first of them.
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
