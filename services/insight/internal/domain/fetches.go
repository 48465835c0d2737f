package domain

import (
	"context"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/problem"
)

const (
	// maxFetches is how many addresses are fetched at a time for one organization, each
	// of which takes a file in the scratch folder, and maxFetchesWaiting how many more
	// wait for that: what is slow on purpose is to leave room for others.
	maxFetches        = 8
	maxFetchesWaiting = 24
	// fetchRetry is how long to wait when there are more.
	fetchRetry = 2 * time.Second
)

// fetches are the turns of organizations to fetch what addresses lead to.
type fetches struct {
	mu    sync.Mutex
	turns map[string]*turns
}

// turns are those of one organization, for as long as somebody needs them.
type turns struct {
	taken chan struct{}
	users int // who have one, or wait for one
}

func newFetches() *fetches { return &fetches{turns: map[string]*turns{}} }

// acquire waits for a turn, which is held until release is called.
func (f *fetches) acquire(ctx context.Context, organization string) (release func(), err error) {
	t := f.join(organization)
	if t == nil {
		return nil, problem.New(problem.Unavailable, "Your organization has too many requests that fetch a URL (limit %d). Retry later.",
			maxFetches+maxFetchesWaiting).After(fetchRetry)
	}
	select {
	case t.taken <- struct{}{}:
		return func() { <-t.taken; f.leave(organization) }, nil
	case <-ctx.Done():
		f.leave(organization)
		return nil, problem.New(problem.Unavailable, "Your organization is already fetching %d URLs. Retry later.", maxFetches).
			After(fetchRetry).Because(ctx.Err())
	}
}

// join returns the turns of an organization, nil if too many use them.
func (f *fetches) join(organization string) *turns {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.turns[organization]
	if t == nil {
		t = &turns{taken: make(chan struct{}, maxFetches)}
		f.turns[organization] = t
	}
	if t.users == maxFetches+maxFetchesWaiting {
		return nil
	}
	t.users++
	return t
}

// leave ends what join has begun.
func (f *fetches) leave(organization string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.turns[organization]
	if t.users--; t.users == 0 {
		delete(f.turns, organization)
	}
}
