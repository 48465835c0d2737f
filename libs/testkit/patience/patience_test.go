package patience_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// recorder is a testing.TB that records its failure.
type recorder struct {
	testing.TB
	failed string
}

// Fatalf implements testing.TB.
func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	panic(r)
}

// failure returns the message with which f fails its test, or "" if f does not.
func failure(t *testing.T, f func(testing.TB)) string {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		f(r)
	}()
	return r.failed
}

func TestScale(t *testing.T) {
	for factor, want := range map[string]time.Duration{"": 10 * time.Second, "1": 10 * time.Second, "2.5": 25 * time.Second, "0.5": 5 * time.Second} {
		t.Setenv(patience.Variable, factor)
		if got := patience.Scale(10 * time.Second); got != want || patience.Limit() != 6*want {
			t.Errorf("%q: got %v, and a limit of %v", factor, got, patience.Limit())
		}
	}
	for _, factor := range []string{"0", "-1", "many", "NaN", "Inf", "1001", "2s"} {
		t.Setenv(patience.Variable, factor)
		func() {
			defer func() {
				if got, want := recover(), patience.Variable+"="+factor+": set it to a positive number up to 1000, for example 3, or leave it unset"; got != want {
					t.Errorf("%q: got %v", factor, got)
				}
			}()
			patience.Scale(time.Second)
		}()
	}
}

// TestWaiting waits for an event just before the limit, and for one after it.
func TestWaiting(t *testing.T) {
	t.Setenv(patience.Variable, "3")
	for name, wait := range map[string]func(t testing.TB, after time.Duration){
		"until": func(t testing.TB, after time.Duration) {
			begin := time.Now()
			patience.Until(t, "it happens", func() bool { return time.Since(begin) >= after })
		},
		"receive": func(t testing.TB, after time.Duration) {
			c := make(chan int, 1)
			time.AfterFunc(after, func() { c <- 7 })
			if got := patience.Receive(t, "it happens", c); got != 7 {
				t.Errorf("got %d", got)
			}
		},
		"context": func(t testing.TB, after time.Duration) {
			select {
			case <-patience.Context(t).Done():
				t.Fatalf("still waiting after %v: it happens", patience.Limit())
			case <-time.After(after):
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := failure(t, func(t testing.TB) { wait(t, 3*time.Minute-time.Second) }); got != "" {
					t.Errorf("an event before the limit: %s", got)
				}
				begin := time.Now()
				if got := failure(t, func(t testing.TB) { wait(t, 4*time.Minute) }); got != "still waiting after 3m0s: it happens" || time.Since(begin) > 3*time.Minute+time.Second {
					t.Errorf("after %v: %s", time.Since(begin), got)
				}
				time.Sleep(time.Minute) // the timers end with the bubble
			})
		})
	}
}

func TestGrow(t *testing.T) {
	t.Setenv(patience.Variable, "0.1")
	var tried []time.Duration
	try := func(enough time.Duration) string {
		tried = nil
		return failure(t, func(t testing.TB) {
			patience.Grow(t, time.Second, func(d time.Duration) bool {
				tried = append(tried, d)
				return d >= enough
			})
		})
	}
	if got := try(3 * time.Second); got != "" || fmt.Sprint(tried) != "[1s 2s 4s]" {
		t.Errorf("tried %v: %s", tried, got)
	}
	if got := try(time.Hour); got != "not even 8s is long enough" || fmt.Sprint(tried) != "[1s 2s 4s 8s]" {
		t.Errorf("tried %v: %s", tried, got)
	}
}
