package job

import (
	"context"
	"errors"
	"sync"
)

// Shares limits how many requests of each organization are served at once, and how many more
// wait for that. A burst of one organization then neither holds up the others nor takes up all
// requests that this process accepts.
type Shares struct {
	served, accepted int

	mu            sync.Mutex
	organizations map[string]*share // those with accepted requests
}

// share counts the requests of one organization.
type share struct {
	served   chan struct{}
	accepted int // those that are served, and those that wait
}

// NewShares returns Shares of which each serves at most served requests, and accepts at most
// accepted, including those that it serves. Both are at least 1.
func NewShares(served, accepted int) *Shares {
	return &Shares{served: served, accepted: max(served, accepted), organizations: map[string]*share{}}
}

// ErrShareFull means that an organization has too many requests that are served or wait.
var ErrShareFull = errors.New("too many requests of the organization wait")

// Acquire waits until the share of the organization has room, and reports whether it had to.
// The request counts until release is called. The error is ErrShareFull, at once, or that of
// ctx.
func (s *Shares) Acquire(ctx context.Context, organization string) (waited bool, release func(), err error) {
	own := s.join(organization)
	if own == nil {
		return false, nil, ErrShareFull
	}
	release = func() { <-own.served; s.leave(organization, own) }
	select {
	case own.served <- struct{}{}:
		return false, release, nil
	default:
	}
	select {
	case own.served <- struct{}{}:
		return true, release, nil
	case <-ctx.Done():
		s.leave(organization, own)
		return true, nil, ctx.Err()
	}
}

// Accepted returns how many requests of the organization are served or wait.
func (s *Shares) Accepted(organization string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own := s.organizations[organization]; own != nil {
		return own.accepted
	}
	return 0
}

// join adds a request to the share of the organization. It returns nil if the share is full.
func (s *Shares) join(organization string) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.organizations[organization]
	if own == nil {
		own = &share{served: make(chan struct{}, s.served)}
		s.organizations[organization] = own
	}
	if own.accepted >= s.accepted {
		return nil
	}
	own.accepted++
	return own
}

// leave removes a request from the share of the organization.
func (s *Shares) leave(organization string, own *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.accepted--; own.accepted == 0 {
		delete(s.organizations, organization)
	}
}
