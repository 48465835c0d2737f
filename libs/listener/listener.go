// Package listener accepts connections for a server and outlives what would end
// its accept loop. It retries temporary errors such as a lack of file
// descriptors, caps connections in total and per address, lets a full listener
// displace idle connections rather than refuse new ones, cuts peers that stop
// sending or reading, and proves to readiness checks that it still accepts.
//
// It works below any server. Listener is a net.Listener whose connections are of
// the type *Conn. Serve is a net/http server on top of it.
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

// Options say what a Listener allows.
type Options struct {
	// Name tells listeners of one process apart in logs and metrics, for
	// example "api".
	Name string
	// Max is the largest number of connections at a time. It must be positive.
	Max int
	// PerAddress is the largest number of connections at a time from one
	// address; 0 is as many as Max.
	PerAddress int
	// Trusted networks are exempt from PerAddress, and an eighth of Max is kept
	// for them.
	Trusted []netip.Prefix
	// Stall is how long a peer may take for one Stall's worth of MinRate when it
	// reads an answer; 0 leaves that to the server.
	Stall time.Duration
	// Log is told of temporary errors, at most every logEvery.
	Log *slog.Logger
	// Metrics is where the listener registers its metrics.
	Metrics prometheus.Registerer
}

const (
	// minBackoff and maxBackoff are how long the listener waits after a
	// temporary error of Accept. The wait doubles with each error in a row.
	minBackoff = 5 * time.Millisecond
	maxBackoff = time.Second
	// logEvery is how often temporary errors are logged.
	logEvery = 10 * time.Second
	// trustedShare is the part of all connections that only trusted networks
	// may take: one in trustedShare.
	trustedShare = 8
)

// Listener accepts connections within limits. Accept is called by one goroutine.
type Listener struct {
	net.Listener
	options     Options
	connections *connections
	probes      *probes
	metrics     *metrics

	closed  chan struct{}
	close   sync.Once
	backoff time.Duration // used by Accept alone
	logged  time.Time     // used by Accept alone
}

// New returns a Listener that accepts what ln does. An error says that a
// listener of that name has registered its metrics already.
func New(ln net.Listener, o Options) (*Listener, error) {
	l := &Listener{Listener: ln, options: o, closed: make(chan struct{})}
	l.connections = newConnections(o)
	l.probes = newProbes()
	l.metrics = newMetrics(o.Name, l.connections.count)
	return l, l.metrics.register(o.Metrics)
}

// Accept returns the next connection, a *Conn. It waits temporary errors out: an
// error means that the listener is dead or closed.
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

// cut closes a connection that has to make room for another one, if there is one.
func (l *Listener) cut(c *Conn) {
	if c != nil {
		l.metrics.displaced.Inc()
		_ = c.Close()
	}
}

// Close stops accepting. Connections that were accepted stay.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// wait waits after a temporary error, and reports false if the listener is
// closed meanwhile. If descriptors are short, it closes the connection that has
// been idle for longest: nothing else is sure to give any back.
func (l *Listener) wait(err error) bool {
	l.metrics.errors.Inc()
	if time.Since(l.logged) >= logEvery {
		l.logged = time.Now()
		l.options.Log.Warn("connections cannot be accepted; the listener tries again", "listener", l.options.Name, "error", err)
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

// temporary reports whether Accept may succeed after err: the system is short of
// something, or the connection failed before it was accepted. The list is that of
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
