package listener

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Deadlines are what a client of an HTTP server has time for. All must be
// positive.
type Deadlines struct {
	// Head is for the handshake of TLS, and then for the head of a request.
	Head time.Duration
	// Idle is for the next request on a connection that is kept.
	Idle time.Duration
	// Stall is for sending Stall's worth of MinRate of a body. There is no limit
	// for a whole body. Options.Stall is the same for reading an answer.
	Stall time.Duration
}

// Server returns an HTTP server that serves h on listeners of this package: it
// keeps the deadlines, and tells the listener which connections are idle.
// Complaints about single connections are logged at the level debug, since any
// client can cause as many as it likes.
func Server(h http.Handler, d Deadlines, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: pace(h, d.Stall), ReadHeaderTimeout: d.Head, IdleTimeout: d.Idle, ConnState: follow,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// follow tells a listener whether a connection of net/http is idle.
func follow(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateActive:
		Of(c).Busy()
	case http.StateIdle:
		Of(c).Idle()
	}
}
