// Package listener accepts connections for a server and survives errors that
// would end its accept loop. It retries temporary errors such as a lack of file
// descriptors, limits connections in total and per address, displaces idle
// connections rather than refusing new ones, closes connections whose peer stops
// sending or reading, and proves to readiness checks that it still accepts.
//
// It works with any server. Listener is a net.Listener whose connections have
// the type *Conn. Server returns a net/http server for it. Certificate serves TLS with a
// certificate that may be renewed.
package listener

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Options configure a Listener.
type Options struct {
	// Name distinguishes the listeners of a process in logs and metrics, for
	// example "api".
	Name string
	// Max is the maximum number of concurrent connections. It must be positive.
	Max int
	// PerAddress is the maximum number of concurrent connections from one
	// address; 0 means Max.
	PerAddress int
	// Trusted networks are exempt from PerAddress, and an eighth of Max is
	// reserved for them.
	Trusted []netip.Prefix
	// Stall is the time in which a peer that reads a response must read at least
	// Stall times MinRate bytes; 0 leaves the limit to the server.
	Stall time.Duration
	// Log receives temporary errors, at most one per logEvery.
	Log *slog.Logger
	// Metrics is the registry for the listener's metrics.
	Metrics prometheus.Registerer
}

const (
	// minBackoff and maxBackoff are how long the listener waits after a
	// temporary error of Accept. The wait doubles with each consecutive error.
	minBackoff = 5 * time.Millisecond
	maxBackoff = time.Second
	// logEvery is the minimum time between logged temporary errors.
	logEvery = 10 * time.Second
	// trustedShare reserves one in trustedShare connections for trusted
	// networks.
	trustedShare = 8
)

// Listener accepts connections within limits. Only one goroutine may call Accept.
type Listener struct {
	net.Listener
	options     Options
	connections *connections
	probes      *probes
	metrics     *metrics

	closed  chan struct{}
	close   sync.Once
	backoff time.Duration // used only by Accept
	logged  time.Time     // used only by Accept
}

// New returns a Listener that accepts connections from ln. It fails if a
// listener of the same name has already registered its metrics.
func New(ln net.Listener, o Options) (*Listener, error) {
	l := &Listener{Listener: ln, options: o, closed: make(chan struct{})}
	l.connections = newConnections(o)
	l.probes = newProbes()
	l.metrics = newMetrics(o.Name, l.connections.count)
	return l, l.metrics.register(o.Metrics)
}

// Accept returns the next connection, a *Conn. It retries temporary errors, so
// an error means that the listener is broken or closed.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		switch {
		case err == nil:
			l.backoff = 0
		case temporary(err) && l.wait(err):
			continue
		default:
			return nil, err
		}
		if l.probes.arrived(raw.RemoteAddr()) {
			_ = raw.Close()
			continue
		}
		c, displaced := l.connections.admit(raw, l.options.Stall)
		l.cut(displaced)
		if c == nil {
			l.metrics.refused.Inc()
			_ = raw.Close()
			continue
		}
		return c, nil
	}
}

// cut closes a displaced connection. It does nothing if c is nil.
func (l *Listener) cut(c *Conn) {
	if c != nil {
		l.metrics.displaced.Inc()
		_ = c.Close()
	}
}

// Close stops accepting connections. Accepted connections stay open.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// wait waits after a temporary error, and returns false if the listener is
// closed meanwhile. If the process is out of descriptors, wait closes the
// longest-idle connection, because nothing else is certain to free any.
func (l *Listener) wait(err error) bool {
	l.metrics.errors.Inc()
	if time.Since(l.logged) >= logEvery {
		l.logged = time.Now()
		l.options.Log.Warn("cannot accept connections; retrying", "listener", l.options.Name, "error", err)
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		l.cut(l.connections.displace())
	}
	l.backoff = min(max(2*l.backoff, minBackoff), maxBackoff)
	select {
	case <-l.closed:
		return false
	case <-time.After(l.backoff):
		return true
	}
}

// temporary reports whether Accept may succeed after err: a resource is
// exhausted, or the connection failed before it was accepted. The list is from
// accept(2).
func temporary(err error) bool {
	for _, errno := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM,
		syscall.ECONNABORTED, syscall.ECONNRESET, syscall.EINTR, syscall.EAGAIN, syscall.EPERM, syscall.EPROTO,
		syscall.ENETDOWN, syscall.ENOPROTOOPT, syscall.EHOSTDOWN, syscall.ENONET, syscall.EHOSTUNREACH, syscall.ENETUNREACH,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
