package sandboxtest

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Compare prints how long work takes in the sandbox, without its filter, and without
// namespaces: the median over the rounds, and the ratio of the sandbox to each. The
// variants take turns, so that other load on the machine affects all of them. prepare
// returns the work for children started with a context. Compare skips the test unless
// RECTO_BENCH is set.
func Compare(t *testing.T, rounds int, prepare func(context.Context) (work func())) {
	t.Helper()
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("set RECTO_BENCH to measure")
	}
	ways := []*way{
		{name: "in the sandbox", work: prepare(t.Context())},
		{name: "without the filter", work: prepare(WithoutFilter(t.Context(), t))},
		{name: "without namespaces", work: prepare(WithoutNamespaces(t.Context(), t))},
	}
	for _, w := range ways {
		w.work() // warms caches
	}
	for range rounds {
		for _, w := range ways {
			began, used := time.Now(), childTime()
			w.work()
			w.took, w.used = append(w.took, time.Since(began)), append(w.used, childTime()-used)
		}
	}
	took, used := median(ways[0].took), median(ways[0].used)
	for _, w := range ways {
		t.Logf("%-20s %7.1f ms, %7.1f ms of CPU time; ratio of the sandbox: %.3f and %.3f",
			w.name, median(w.took), median(w.used), took/median(w.took), used/median(w.used))
	}
}

// way is one variant of confining children.
type way struct {
	name string
	work func()
	// took is wall time. used is the CPU time of children that ended meanwhile.
	took, used []time.Duration
}

// childTime returns the CPU time of all children that have ended.
func childTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// median returns the median in milliseconds.
func median(times []time.Duration) float64 {
	times = slices.Sorted(slices.Values(times))
	return float64(times[len(times)/2]) / float64(time.Millisecond)
}
