package job

import (
	"context"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/problem"
)

// Slots bound how much a process works on at a time, for jobs and for whoever
// waits for an answer.
type Slots struct {
	of      string
	taken   chan struct{}
	waiting atomic.Int64
}

// NewSlots returns n slots, at least 1, of what clients are told is busy.
func NewSlots(n int, of string) *Slots { return &Slots{of: of, taken: make(chan struct{}, n)} }

// Acquire waits for a slot, which is held until release is called.
func (s *Slots) Acquire(ctx context.Context) (release func(), err error) {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	select {
	case s.taken <- struct{}{}:
		return func() { <-s.taken }, nil
	case <-ctx.Done():
		return nil, problem.New(problem.Unavailable, "All %d %s are busy. Retry later.", cap(s.taken), s.of).
			After(busyRetry).Because(ctx.Err())
	}
}

// Load returns how many wait for a slot, and how many have one.
func (s *Slots) Load() (waiting, running int) { return int(s.waiting.Load()), len(s.taken) }

// Measure registers gauges of the load of the process that Slots.Load has told of:
// name_waiting and name_running, which the texts explain.
func Measure(r prometheus.Registerer, name, waiting, running string, load func() (waiting, running int)) {
	register := func(name, help string, value func() int) {
		// Once in a process: see newMetrics.
		_ = r.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) }))
	}
	register(name+"_waiting", waiting, func() int { n, _ := load(); return n })
	register(name+"_running", running, func() int { _, n := load(); return n })
}
