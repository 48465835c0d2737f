// Package patience holds how long tests wait. No test may assume that the machine is
// idle: a test waits for a condition, and its limit only ends a test that hangs. Every
// limit is for a busy machine and grows with RECTO_TEST_TIMESCALE.
//
// Scale what must not run out: how long a test waits, and a timeout of the product
// that must not fire while the test runs. Do not scale a timeout that the test wants
// to see fire, or the pause between two looks at a condition.
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
	// Variable names the factor that every limit is multiplied by: a positive number,
	// 1 if unset.
	Variable = "RECTO_TEST_TIMESCALE"
	// most is the largest factor.
	most = 1000
	// limit is Limit where the factor is 1.
	limit = time.Minute
	// pollEvery is the pause between two looks at a condition.
	pollEvery = 5 * time.Millisecond
)

// Scale returns d multiplied by the factor. It panics if Variable holds none.
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

// Limit is long enough for anything that one step of a test waits for.
func Limit() time.Duration { return Scale(limit) }

// Context returns a context that ends after Limit, or with the test.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Limit())
	t.Cleanup(cancel)
	return ctx
}

// Until waits until met reports true. After Limit the test fails, with what it waited
// for. Only the goroutine of the test may call it.
func Until(t testing.TB, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(Limit()); !met(); time.Sleep(pollEvery) {
		if time.Now().After(end) {
			t.Fatalf("still waiting after %v: %s", Limit(), what)
		}
	}
}

// Grow calls try with a time of begin, twice begin, and so on, until try reports that
// the time was long enough. It is for a timeout of the product that has to fire, but
// not before the test has got as far as it must. The test fails if no time up to
// Limit is long enough. Only the goroutine of the test may call it.
func Grow(t testing.TB, begin time.Duration, try func(time.Duration) (enough bool)) {
	t.Helper()
	for d := begin; !try(d); d *= 2 {
		if d >= Limit() {
			t.Fatalf("not even %v is long enough", d)
		}
	}
}

// Receive returns the next value of a channel, the zero value if it is closed. After
// Limit the test fails, with what it waited for. Only the goroutine of the test may
// call it.
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
