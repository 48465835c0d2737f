package telemetry

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Health tracks which parts of the process are ready to serve.
type Health struct {
	mu    sync.Mutex
	parts map[string]*Part
}

// NewHealth returns a Health without parts, which is not ready.
func NewHealth() *Health { return &Health{parts: map[string]*Part{}} }

// Part returns the part with the name. It creates the part at the first call; the part is
// not ready until its Up is called.
func (h *Health) Part(name string) *Part {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.parts[name]
	if !ok {
		p = &Part{state: "starting", notes: map[string]string{}, changed: make(chan struct{})}
		h.parts[name] = p
	}
	return p
}

// stateReady is the state of a part that is ready.
const stateReady = "ready"

// Ready returns the state of every part, and whether all are ready.
func (h *Health) Ready(ctx context.Context) (states map[string]string, ready bool) {
	h.mu.Lock()
	parts := maps.Clone(h.parts)
	h.mu.Unlock()

	states = map[string]string{}
	ready = len(parts) > 0
	for name, p := range parts {
		if err := p.Err(ctx); err != nil {
			states[name] = err.Error()
			ready = false
		} else {
			states[name] = stateReady
		}
	}
	return states, ready
}

// Notes returns the notes of the parts, by part and topic.
func (h *Health) Notes() map[string]map[string]string {
	h.mu.Lock()
	parts := maps.Clone(h.parts)
	h.mu.Unlock()

	notes := map[string]map[string]string{}
	for name, p := range parts {
		p.mu.Lock()
		if len(p.notes) > 0 {
			notes[name] = maps.Clone(p.notes)
		}
		p.mu.Unlock()
	}
	return notes
}

// Part is the health of one part of the process.
type Part struct {
	mu      sync.Mutex
	notes   map[string]string
	state   string // why it is not ready, "" if it is
	checks  []func(context.Context) error
	changed chan struct{} // closed and replaced when state changes
}

// Up marks the part as ready. The checks run at every readiness request; the part is
// ready as long as all of them return nil.
func (p *Part) Up(checks ...func(context.Context) error) {
	p.mu.Lock()
	p.checks = slices.Clone(checks)
	p.mu.Unlock()
	p.set("")
}

// Down marks the part as not ready, for a reason such as "stopping".
func (p *Part) Down(reason string) { p.set(reason) }

// Note adds information about the part that does not affect readiness, such as how its
// child processes are confined. It replaces an earlier note on the topic.
func (p *Part) Note(topic, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes[topic] = text
}

// set changes the state and wakes all waiters.
func (p *Part) set(state string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = state
	close(p.changed)
	p.changed = make(chan struct{})
}

// Err returns nil if the part is ready, and otherwise the reason why not.
func (p *Part) Err(ctx context.Context) error {
	p.mu.Lock()
	state, checks := p.state, p.checks
	p.mu.Unlock()
	if state != "" {
		return fmt.Errorf("%s", state)
	}
	for _, check := range checks {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Wait returns nil as soon as the part is up, or the error of ctx.
func (p *Part) Wait(ctx context.Context) error {
	for {
		p.mu.Lock()
		state, changed := p.state, p.changed
		p.mu.Unlock()
		if state == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", state, ctx.Err())
		case <-changed:
		}
	}
}
