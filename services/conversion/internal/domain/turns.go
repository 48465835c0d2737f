package domain

import (
	"context"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/problem"
)

// turns bounds how many requests of one organization are in a queue at once, and how many
// wait here to get there. A burst of one organization then neither holds up the others nor
// takes up all requests that this process accepts.
type turns struct {
	// queued is the maximum in the queue, and accepted the maximum of those and of those that
	// wait. Both are for each organization.
	queued, accepted int

	mu    sync.Mutex
	lines map[string]*line
}

// line is what an organization has in the queue and before it.
type line struct {
	queued   chan struct{}
	accepted int
}

// newTurns returns turns with the limits, which are at least 1.
func newTurns(queued, accepted int) *turns {
	return &turns{queued: queued, accepted: max(queued, accepted), lines: map[string]*line{}}
}

// turnRetry is the retry delay for callers that got no turn.
const turnRetry = 2 * time.Second

// take waits for a turn of the organization, and reports whether it had to. The turn is held
// until release is called. It fails at once if too many wait already.
func (t *turns) take(ctx context.Context, organization string) (waited bool, release func(), err error) {
	l := t.join(organization)
	if l == nil {
		return false, nil, problem.New(problem.Unavailable, "Too many new pages are requested at once. Request fewer at a time, or retry later.").After(turnRetry)
	}
	release = func() { <-l.queued; t.leave(organization, l) }
	select {
	case l.queued <- struct{}{}:
		return false, release, nil
	default:
	}
	select {
	case l.queued <- struct{}{}:
		return true, release, nil
	case <-ctx.Done():
		t.leave(organization, l)
		return true, nil, problem.New(problem.Unavailable, "Other pages are being made. Request fewer at a time, or retry later.").
			After(turnRetry).Because(ctx.Err())
	}
}

// join adds a request to the line of the organization. It returns nil if the line is full.
func (t *turns) join(organization string) *line {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[organization]
	if l == nil {
		l = &line{queued: make(chan struct{}, t.queued)}
		t.lines[organization] = l
	}
	if l.accepted >= t.accepted {
		return nil
	}
	l.accepted++
	return l
}

// leave removes a request from the line of the organization.
func (t *turns) leave(organization string, l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.accepted--; l.accepted == 0 {
		delete(t.lines, organization)
	}
}
