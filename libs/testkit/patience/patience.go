// Package patience defines how long tests wait. No test may assume that the machine is
// idle: a test waits for a condition, and the limit only ends a test that hangs. Limits
// are chosen for a busy machine and multiplied by RECTO_TEST_TIMESCALE.
//
// Scale durations that must not run out: how long a test waits, and a timeout of the
// product that must not fire during the test. Do not scale a timeout that should fire
// in the test, or a polling interval.
package patience

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"
)

const (
	// Variable is the environment variable with the factor for every limit: a positive
	// number, 1 if unset.
	Variable = "RECTO_TEST_TIMESCALE"
	// most is the largest factor allowed.
	most = 1000
	// limit is the value of Limit if the factor is 1.
	limit = time.Minute
	// pollEvery is how often Until checks its condition.
	pollEvery = 5 * time.Millisecond
)

// Scale returns d multiplied by the factor. It panics if Variable is set to something else.
func Scale(d time.Duration) time.Duration {
	text := os.Getenv(Variable)
	if text == "" {
		return d
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(factor) || factor <= 0 || factor > most {
		panic(fmt.Sprintf("%s=%s: set it to a positive number up to %d, for example 3, or leave it unset", Variable, text, most))
	}
	return time.Duration(float64(d) * factor)
}

// Limit returns a duration that is long enough for any step of a test.
func Limit() time.Duration { return Scale(limit) }

// Context returns a context that ends after Limit, or with the test.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Limit())
	t.Cleanup(cancel)
	return ctx
}

// Until waits until met returns true. After Limit it fails the test with a message that
// contains what. Only the test's goroutine may call it.
func Until(t testing.TB, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(Limit()); !met(); time.Sleep(pollEvery) {
		if time.Now().After(end) {
			t.Fatalf("still waiting after %v: %s", Limit(), what)
		}
	}
}

// Grow calls try with begin, then twice begin, and so on, until try reports that the
// duration was long enough. Use it for a timeout of the product that must fire, but only
// after the test has reached a certain point. The test fails if no duration up to about
// Limit is long enough. Only the test's goroutine may call it.
func Grow(t testing.TB, begin time.Duration, try func(time.Duration) (enough bool)) {
	t.Helper()
	for d := begin; !try(d); d *= 2 {
		if d >= Limit() {
			t.Fatalf("not even %v is long enough", d)
		}
	}
}

// Receive returns the next value from a channel, or the zero value if the channel is
// closed. After Limit it fails the test with a message that contains what. Only the
// test's goroutine may call it.
func Receive[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(Limit()):
		t.Fatalf("still waiting after %v: %s", Limit(), what)
		panic("unreachable")
	}
}
