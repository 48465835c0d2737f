package ratelimit

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// shards is the number of locks that the keys are spread over.
const shards = 64

// Local is a Limiter that counts in the memory of the process.
type Local struct {
	seed   maphash.Seed
	shards [shards]shard
	now    func() time.Time
}

// shard is one part of a Local, so that requests of different keys rarely wait for the same
// lock.
type shard struct {
	mu sync.Mutex
	// arrivals holds the theoretical arrival time of GCRA by key: when the full limit is
	// available again. Keys whose time has passed can be removed.
	arrivals map[string]time.Time
	sweepAt  int // number of keys at which those keys are removed
}

// firstSweep is the number of keys in a shard at which it is first swept.
const firstSweep = 1024

// NewLocal returns a Local that has counted nothing yet.
func NewLocal() *Local {
	l := &Local{seed: maphash.MakeSeed(), now: time.Now}
	for i := range l.shards {
		l.shards[i].arrivals = map[string]time.Time{}
		l.shards[i].sweepAt = firstSweep
	}
	return l
}

// Allow implements Limiter. It never fails.
func (l *Local) Allow(_ context.Context, key string, limit Limit) (Decision, error) {
	s := &l.shards[maphash.String(l.seed, key)%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	now := l.now()
	interval := max(limit.Period/time.Duration(limit.Requests), 1) // a limit of more requests than nanoseconds limits nothing
	arrival := s.arrivals[key]
	if arrival.Before(now) {
		arrival = now
	}
	next := arrival.Add(interval)
	if wait := next.Add(-limit.Period).Sub(now); wait > 0 {
		return Decision{RetryAfter: wait, ResetAfter: arrival.Sub(now)}, nil
	}
	s.put(key, next, now)
	return Decision{
		Allowed: true, Remaining: int((limit.Period - next.Sub(now)) / interval), ResetAfter: next.Sub(now),
	}, nil
}

// put stores the arrival time of a key. Whenever the number of keys has doubled, it removes
// those that are no longer needed.
func (s *shard) put(key string, arrival, now time.Time) {
	s.arrivals[key] = arrival
	if len(s.arrivals) < s.sweepAt {
		return
	}
	for k, a := range s.arrivals {
		if a.Before(now) {
			delete(s.arrivals, k)
		}
	}
	s.sweepAt = max(firstSweep, 2*len(s.arrivals))
}
