package job

import (
	"context"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/problem"
)

// Slots limits the concurrent work of a process: jobs, and requests that wait for a reply.
type Slots struct {
	name    string
	taken   chan struct{}
	waiting atomic.Int64
}

// NewSlots returns n slots; n is at least 1. name is what errors for clients call them, as
// in "All 4 workers are busy."
func NewSlots(n int, name string) *Slots { return &Slots{name: name, taken: make(chan struct{}, n)} }

// Acquire waits for a slot. The slot is held until release is called.
func (s *Slots) Acquire(ctx context.Context) (release func(), err error) {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	select {
	case s.taken <- struct{}{}:
		return func() { <-s.taken }, nil
	case <-ctx.Done():
		return nil, problem.New(problem.Unavailable, "All %d %s are busy. Retry later.", cap(s.taken), s.name).
			After(busyRetry).Because(ctx.Err())
	}
}

// Load returns how many callers wait for a slot, and how many hold one.
func (s *Slots) Load() (waiting, running int) { return int(s.waiting.Load()), len(s.taken) }

// Measure registers gauges for the load that load returns, as Slots.Load does:
// name_waiting and name_running, with the given help texts.
func Measure(r prometheus.Registerer, name, waiting, running string, load func() (waiting, running int)) {
	register := func(name, help string, value func() int) {
		// Only once in a process: see newMetrics.
		_ = r.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
	}
	register(name+"_waiting", waiting, func() int { n, _ := load(); return n })
	register(name+"_running", running, func() int { _, n := load(); return n })
}
