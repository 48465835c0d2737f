package blob

import (
	"context"
	"net"
	"time"
)

// OpenWithin is Open with other limits for the start of a response and for a stalled
// connection.
func OpenWithin(cfg Config, answer, stall time.Duration) (*Store, error) {
	return open(cfg, limits{dial: usual.dial, answer: answer, stall: stall}, (&net.Dialer{}).DialContext, newRequests())
}

// OpenAt is Open for an object store all of whose host names lead to addr.
func OpenAt(cfg Config, addr string) (*Store, error) {
	return open(cfg, usual, func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}, newRequests())
}
