package provider

import (
	"net/http"
	"sync"
	"time"
)

// gate holds requests back for as long as the provider has asked to wait. The zero gate is
// open.
type gate struct {
	mu     sync.Mutex
	until  time.Time
	status int
}

// overloaded is the status by which Anthropic says that it has no capacity.
const overloaded = 529

// close closes the gate if a failure says how long to wait before any request.
func (g *gate) close(e *Error) {
	limited := e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable || e.Status == overloaded
	if !limited || e.After <= 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(e.After); until.After(g.until) {
		g.until, g.status = until, e.Status
	}
}

// check returns an *Error while the gate is closed.
func (g *gate) check() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if left := time.Until(g.until); left > 0 {
		return &Error{Kind: Unavailable, Status: g.status, After: left, Reason: "it has asked to wait before the next request"}
	}
	return nil
}
