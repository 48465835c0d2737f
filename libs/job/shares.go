package job

import (
	"context"
	"errors"
	"sync"
)

// Shares limits how many requests of each organization are served concurrently, and how many
// more may wait. A burst from one organization then neither delays the others nor uses up the
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

// NewShares returns Shares with the limits for each organization: the number of requests served
// concurrently, and the number accepted, which includes those that are served. Both must be at
// least 1.
func NewShares(served, accepted int) *Shares {
	return &Shares{served: served, accepted: max(served, accepted), organizations: map[string]*share{}}
}

// ErrShareFull means that an organization has reached its number of accepted requests.
var ErrShareFull = errors.New("too many requests of the organization wait")

// Acquire waits until the share of the organization has room, and reports whether it had to.
// The request counts until release is called. Acquire fails immediately with ErrShareFull if
// the share is full, and with the error of ctx if that ends first.
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
