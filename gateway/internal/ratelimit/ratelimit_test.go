package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/gateway/internal/ratelimit"
	"github.com/rectohq/recto/gateway/internal/ratelimit/redistest"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// limiters runs a test against every Limiter.
func limiters(t *testing.T, test func(t *testing.T, l ratelimit.Limiter)) {
	t.Run("local", func(t *testing.T) { test(t, ratelimit.NewLocal()) })
	t.Run("redis", func(t *testing.T) {
		r, err := ratelimit.OpenRedis(redistest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		test(t, r)
	})
	t.Run("prepaid", func(t *testing.T) {
		r, err := ratelimit.OpenRedis(redistest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		test(t, ratelimit.NewPrepaid(r))
	})
}

func key(t *testing.T) string { return fmt.Sprintf("%s-%d", t.Name(), time.Now().UnixNano()) }

func TestBurstThenRefusal(t *testing.T) {
	limiters(t, func(t *testing.T, l ratelimit.Limiter) {
		patience.Until(t, "every request is counted in time", func() bool { return burstsThenRefuses(t, l) })
	})
}

// burstsThenRefuses uses up a limit. It reports false if a request was not counted, because
// a busy machine may exceed the 50 ms that Redis has for each. The requests that were
// counted are checked in any case.
func burstsThenRefuses(t *testing.T, l ratelimit.Limiter) bool {
	t.Helper()
	key := key(t)
	limit := ratelimit.Limit{Requests: 5, Period: time.Hour}
	for i := range 5 {
		d, err := l.Allow(t.Context(), key, limit)
		if err != nil {
			return false
		}
		if !d.Allowed || d.Remaining != 4-i || d.RetryAfter != 0 {
			t.Errorf("request %d: %+v", i, d)
		}
	}
	for range 3 { // refused ones are not counted: the wait does not grow
		d, err := l.Allow(t.Context(), key, limit)
		if err != nil {
			return false
		}
		if d.Allowed || d.Remaining != 0 || d.RetryAfter <= 0 || d.RetryAfter > 12*time.Minute || d.ResetAfter <= d.RetryAfter {
			t.Errorf("over the limit: %+v", d)
		}
	}
	d, err := l.Allow(t.Context(), key+"other", limit)
	if err != nil {
		return false
	}
	if !d.Allowed || d.Remaining != 4 {
		t.Errorf("another key: %+v", d)
	}
	return true
}

// TestCountsTogether uses up a limit from many goroutines: exactly the limit is allowed.
func TestCountsTogether(t *testing.T) {
	limiters(t, func(t *testing.T, l ratelimit.Limiter) {
		together := 16
		patience.Until(t, "every request is counted in time", func() bool {
			allowed, failed := together320(t, l, together)
			if allowed > 100 || allowed < 100-failed { // a request that failed may have been counted
				t.Errorf("%d requests were allowed and %d failed, the limit is 100", allowed, failed)
			}
			together = max(together/2, 2) // less concurrency if the machine is busy
			return failed == 0
		})
	})
}

// together320 counts 320 requests against a limit of 100, from the given number of
// goroutines. It returns how many were allowed, and how many could not be counted in time.
func together320(t *testing.T, l ratelimit.Limiter, together int) (allowed, failed int64) {
	t.Helper()
	key := key(t)
	var yes, errs atomic.Int64
	var wg sync.WaitGroup
	for range together {
		wg.Go(func() {
			for range 320 / together {
				d, err := l.Allow(context.Background(), key, ratelimit.Limit{Requests: 100, Period: 1000 * time.Hour})
				if err != nil {
					errs.Add(1)
				} else if d.Allowed {
					yes.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return yes.Load(), errs.Load()
}

func TestRefill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.NewLocal()
		limit := ratelimit.Limit{Requests: 60, Period: time.Minute}
		allow := func() bool {
			d, _ := l.Allow(t.Context(), "k", limit)
			return d.Allowed
		}
		for range 60 {
			if !allow() {
				t.Fatal("refused within the burst")
			}
		}
		d, _ := l.Allow(t.Context(), "k", limit)
		if d.Allowed || d.RetryAfter != time.Second || d.ResetAfter != time.Minute {
			t.Errorf("over the limit: %+v", d)
		}
		time.Sleep(time.Second)
		if !allow() || allow() {
			t.Error("want exactly one allowed request after one interval")
		}
		time.Sleep(time.Minute)
		for i := range 60 {
			if !allow() {
				t.Fatalf("request %d of a new burst is refused", i)
			}
		}
	})
}

// TestHugeLimit counts against a limit that is meant to be none.
func TestHugeLimit(t *testing.T) {
	l := ratelimit.NewLocal()
	for range 3 {
		d, err := l.Allow(t.Context(), "k", ratelimit.Limit{Requests: math.MaxInt, Period: time.Minute})
		if err != nil || !d.Allowed || d.Remaining <= 0 {
			t.Errorf("got %+v, %v", d, err)
		}
	}
}

// TestForgets checks that keys that were used only once are removed.
func TestForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.NewLocal()
		limit := ratelimit.Limit{Requests: 1, Period: time.Second}
		for i := range 200_000 {
			if i%1000 == 0 {
				time.Sleep(time.Second)
			}
			if d, _ := l.Allow(t.Context(), fmt.Sprint(i), limit); !d.Allowed {
				t.Fatal("refused")
			}
		}
		if n := l.Len(); n > 100_000 {
			t.Errorf("%d of 200000 keys are stored", n)
		}
	})
}

// switchable is a Limiter that fails while down is set.
type switchable struct {
	down  bool
	asked int
}

func (s *switchable) Allow(context.Context, string, ratelimit.Limit) (ratelimit.Decision, error) {
	s.asked++
	if s.down {
		return ratelimit.Decision{}, errors.New("down")
	}
	return ratelimit.Decision{Allowed: true, Remaining: 77}, nil
}

func TestFallback(t *testing.T) {
	failed := 0
	l := ratelimit.NewFallback(&switchable{down: true}, ratelimit.NewLocal(), func(context.Context, error) { failed++ })
	d, err := l.Allow(t.Context(), "k", ratelimit.Limit{Requests: 1, Period: time.Hour})
	if err != nil || !d.Allowed || failed != 1 {
		t.Errorf("got %+v, %v, %d failures reported", d, err, failed)
	}
	if d, err := l.Allow(t.Context(), "k", ratelimit.Limit{Requests: 1, Period: time.Hour}); err != nil || d.Allowed {
		t.Errorf("the second limiter does not count: %+v, %v", d, err)
	}
}

// TestCircuitBreaker lets a Limiter go down and come back. While it is down, it is called
// once a second, and every request is counted.
func TestCircuitBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, reported := &switchable{down: true}, 0
		l := ratelimit.NewFallback(first, ratelimit.NewLocal(), func(context.Context, error) { reported++ })
		ask := func(n int) (last ratelimit.Decision) {
			for range n {
				d, err := l.Allow(t.Context(), "k", ratelimit.Limit{Requests: 1000, Period: time.Hour})
				if err != nil || !d.Allowed {
					t.Fatalf("got %+v, %v", d, err)
				}
				last = d
			}
			return last
		}
		if ask(100); first.asked != 5 || reported != 100 {
			t.Errorf("it was called %d times, want 5; %d failures were reported", first.asked, reported)
		}
		time.Sleep(time.Second)
		if ask(100); first.asked != 6 {
			t.Errorf("a second later it was called %d times, want 6", first.asked)
		}
		first.down = false
		time.Sleep(time.Second)
		if d := ask(100); first.asked != 106 || d.Remaining != 77 || reported != 200 {
			t.Errorf("when it is back it was called %d times, want 106; the last decision is %+v, %d failures were reported", first.asked, d, reported)
		}
		first.down = true
		if ask(4); first.asked != 110 { // fewer failures do not open the circuit
			t.Errorf("it was called %d times, want 110", first.asked)
		}
	})
}

func TestRedisUnavailable(t *testing.T) {
	r, err := ratelimit.OpenRedis("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Allow(t.Context(), "k", ratelimit.Limit{Requests: 1, Period: time.Second}); err == nil {
		t.Error("counted without Redis")
	}
	for _, url := range []string{"http://x", "http://x?addr=y", "http://x?master_name=y", "redis://x?strange=1", "redis://x?addr=y:1&strange=1", "\x00"} {
		if _, err := ratelimit.OpenRedis(url); err == nil {
			t.Errorf("OpenRedis(%q) returned no error", url)
		}
	}
	for _, url := range []string{"redis://127.0.0.1:1?addr=127.0.0.1:2", "redis://127.0.0.1:1?master_name=m&addr=127.0.0.1:2", "rediss://:secret@127.0.0.1:1/2"} {
		r, err := ratelimit.OpenRedis(url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if _, err := r.Allow(t.Context(), "k", ratelimit.Limit{Requests: 1, Period: time.Second}); err == nil {
			t.Errorf("%s: counted without Redis", url)
		}
		_ = r.Close()
	}
}
