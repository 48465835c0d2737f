package sandboxtest

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"
)

// Compare prints how long work takes in the sandbox against without its filter, and
// against without namespaces, as ratios of the medians of so many rounds. The ways take
// turns, so that what else the machine does meets all of them. For each way, prepare
// returns the work for children of that context. Without RECTO_BENCH the test is skipped.
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
			began := time.Now()
			w.work()
			w.took = append(w.took, time.Since(began))
		}
	}
	whole := ways[0].median()
	t.Logf("%-20s %8.1f ms", ways[0].name, whole.Seconds()*1e3)
	for _, w := range ways[1:] {
		t.Logf("%-20s %8.1f ms: in the sandbox it takes %.3f of that", w.name, w.median().Seconds()*1e3, whole.Seconds()/w.median().Seconds())
	}
}

// way is a way to confine children.
type way struct {
	name string
	work func()
	took []time.Duration
}

func (w *way) median() time.Duration {
	slices.Sort(w.took)
	return w.took[len(w.took)/2]
}
