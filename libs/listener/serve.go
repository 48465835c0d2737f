package listener

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Deadlines limit how long a client of an HTTP server may take. All must be
// positive.
type Deadlines struct {
	// Head is the limit for the TLS handshake, and then for a request's header.
	Head time.Duration
	// Idle is how long a kept-alive connection may wait for its next request.
	Idle time.Duration
	// Stall is the time in which a client that sends a body must send at least
	// Stall times MinRate bytes. There is no limit for a whole body.
	// Options.Stall does the same for reading a response.
	Stall time.Duration
}

// Server returns an HTTP server that serves h on listeners of this package. It
// enforces the deadlines and tells the listener which connections are idle. It
// logs errors of single connections at level debug, because a client can cause
// any number of them.
func Server(h http.Handler, d Deadlines, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: pace(h, d.Stall), ReadHeaderTimeout: d.Head, IdleTimeout: d.Idle, ConnState: follow,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// follow tells a listener whether a net/http connection is idle.
func follow(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateActive:
		Of(c).Busy()
	case http.StateIdle:
		Of(c).Idle()
	}
}
