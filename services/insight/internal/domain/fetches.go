package domain

import (
	"context"
	"sync"
	"time"

	"github.com/rectohq/recto/libs/problem"
)

const (
	// maxFetches is how many URLs are fetched concurrently for one organization; each
	// fetch uses a file in the scratch folder. maxFetchesWaiting is how many more may
	// wait. The limits keep deliberately slow servers from starving other organizations.
	maxFetches        = 8
	maxFetchesWaiting = 24
	// fetchRetry is how long clients over the limit should wait.
	fetchRetry = 2 * time.Second
)

// fetches limits the concurrent URL fetches of each organization.
type fetches struct {
	mu    sync.Mutex
	turns map[string]*turns
}

// turns holds the turns of one organization, as long as any is in use or waited for.
type turns struct {
	taken chan struct{}
	users int // requests that hold a turn or wait for one
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

// join adds a user to the turns of an organization, and returns nil if there are too many.
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

// leave undoes join.
func (f *fetches) leave(organization string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.turns[organization]
	if t.users--; t.users == 0 {
		delete(f.turns, organization)
	}
}
