package ratelimit

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// counted is a Shared count in memory that records how often it is called.
type counted struct {
	*Local
	mu      sync.Mutex
	asked   int
	taken   int
	failure error
	hold    chan struct{} // if not nil, Take waits for it
}

func (c *counted) Take(ctx context.Context, key string, l Limit, n int) (int, Decision, error) {
	c.mu.Lock()
	c.asked++
	failure, hold := c.failure, c.hold
	c.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if failure != nil {
		return 0, Decision{}, failure
	}
	var last Decision
	for granted := range n {
		d, _ := c.Allow(ctx, key, l)
		if !d.Allowed {
			if granted == 0 {
				last = d
			}
			return granted, last, nil
		}
		last = d
		c.mu.Lock()
		c.taken++
		c.mu.Unlock()
	}
	return n, last, nil
}

// clock is a clock that a test advances.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) get() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// prepaid returns a Prepaid over a count in memory, and the clock of both.
func prepaid() (*Prepaid, *counted, *clock) {
	c := &clock{now: time.Unix(1_800_000_000, 0)}
	shared := &counted{Local: NewLocal()}
	shared.now = c.get
	p := NewPrepaid(shared)
	p.now = c.get
	return p, shared, c
}

// TestBusyKeysAskSeldom sends the requests of a busy key. Few of them call the shared count,
// and each reports one fewer remaining request.
func TestBusyKeysAskSeldom(t *testing.T) {
	p, shared, c := prepaid()
	limit := Limit{Requests: 100_000, Period: time.Minute}
	for i := range 1000 {
		d, err := p.Allow(t.Context(), "k", limit)
		if err != nil || !d.Allowed || d.Remaining != limit.Requests-1-i {
			t.Fatalf("request %d: %+v, %v", i, d, err)
		}
		if i%100 == 0 {
			c.pass(time.Microsecond)
		}
	}
	if shared.asked > 30 {
		t.Errorf("the shared count was called %d times for 1000 requests", shared.asked)
	}
}

// TestPrepaidAllowsNoMore uses up a limit from many goroutines: exactly the limit is
// allowed.
func TestPrepaidAllowsNoMore(t *testing.T) {
	p, _, _ := prepaid()
	limit := Limit{Requests: 1000, Period: time.Minute}
	var mu sync.Mutex
	allowed := 0
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 100 {
				d, err := p.Allow(context.Background(), "k", limit)
				if err != nil {
					t.Error(err)
				}
				if !d.Allowed && d.RetryAfter <= 0 {
					t.Errorf("refused with %+v", d)
				}
				mu.Lock()
				if d.Allowed {
					allowed++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if allowed != limit.Requests {
		t.Errorf("%d requests were allowed, want %d", allowed, limit.Requests)
	}
}

// TestSlowKeysLoseNothing sends requests with pauses in between: each takes only one from
// the shared count. With a small limit, that holds at any speed.
func TestSlowKeysLoseNothing(t *testing.T) {
	p, shared, c := prepaid()
	for range 50 {
		if d, err := p.Allow(t.Context(), "slow", Limit{Requests: 10_000, Period: time.Minute}); err != nil || !d.Allowed {
			t.Fatal(d, err)
		}
		c.pass(busyWithin + time.Millisecond)
	}
	for range 50 {
		if d, err := p.Allow(t.Context(), "small", Limit{Requests: 199, Period: time.Minute}); err != nil || !d.Allowed {
			t.Fatal(d, err)
		}
	}
	if shared.taken != 100 {
		t.Errorf("100 requests took %d", shared.taken)
	}
}

// TestPrepaidIsLost leaves prepaid requests unused until they are lost: the next request
// calls the shared count.
func TestPrepaidIsLost(t *testing.T) {
	p, shared, c := prepaid()
	limit := Limit{Requests: 10_000, Period: time.Minute}
	for range 4 { // 1, then 2, then 1 of 4
		_, _ = p.Allow(t.Context(), "k", limit)
	}
	asked := shared.asked
	c.pass(prepaidFor)
	if d, err := p.Allow(t.Context(), "k", limit); err != nil || !d.Allowed || shared.asked != asked+1 || p.accounts["k"].size != 1 {
		t.Errorf("%+v, %v; called %d times, then %d", d, err, asked, shared.asked)
	}
}

// TestFailuresAreShared lets requests wait for a call that fails.
func TestFailuresAreShared(t *testing.T) {
	p, shared, _ := prepaid()
	shared.failure, shared.hold = errors.New("down"), make(chan struct{})
	results := make(chan error, 8)
	for range 8 {
		go func() {
			_, err := p.Allow(context.Background(), "k", Limit{Requests: 10_000, Period: time.Minute})
			results <- err
		}()
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	patience.Until(t, "requests wait", func() bool { return p.account("k").waiting() != nil })
	if _, err := p.Allow(gone, "k", Limit{Requests: 10_000, Period: time.Minute}); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled request gets %v", err)
	}
	close(shared.hold)
	for range 8 {
		if err := <-results; err == nil || err.Error() != "down" {
			t.Errorf("a waiting request gets %v", err)
		}
	}
	shared.mu.Lock()
	shared.failure = nil
	shared.mu.Unlock()
	if d, err := p.Allow(t.Context(), "k", Limit{Requests: 10_000, Period: time.Minute}); err != nil || !d.Allowed {
		t.Errorf("after that: %+v, %v", d, err)
	}
}

// waiting returns the channel that requests wait for.
func (a *account) waiting() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asking
}

// TestIdleAccountsAreSwept uses more keys than are kept before a sweep.
func TestIdleAccountsAreSwept(t *testing.T) {
	p, _, c := prepaid()
	for i := range firstSweep {
		_, _ = p.Allow(t.Context(), string(rune('a'+i)), Limit{Requests: 10_000, Period: time.Minute})
	}
	c.pass(2 * prepaidFor)
	_, _ = p.Allow(t.Context(), "another", Limit{Requests: 10_000, Period: time.Minute})
	if n := len(p.accounts); n != 1 {
		t.Errorf("%d keys are stored, want 1", n)
	}
}
