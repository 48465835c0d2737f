package faultproxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// link is one connection of a client, and that to the server which belongs to
// it.
type link struct {
	proxy  *Proxy
	client net.Conn
	ended  chan struct{}

	// The lock of the proxy guards what follows.
	server net.Conn // nil before it is dialled
	frozen bool
	closed bool
}

// serve dials the server, as soon as the fault allows, and passes on what either
// side sends until both have ended.
func (l *link) serve() {
	if !l.wait(false) || !l.dial() {
		l.end(true)
		return
	}
	var pumps sync.WaitGroup
	pumps.Go(func() { l.pump(l.server, l.client, false) })
	pumps.Go(func() { l.pump(l.client, l.server, true) })
	pumps.Wait()
	l.end(false)
}

// dialTimeout bounds the dialling of a server, which is near.
const dialTimeout = 5 * time.Second

// dial connects to the server and reports whether that, and the client, is
// there.
func (l *link) dial() bool {
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", l.proxy.target)
	if err != nil {
		return false
	}
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	if l.closed {
		_ = conn.Close()
		return false
	}
	l.server = conn
	return true
}

// bufferSize is how much of what was sent is held at a time.
const bufferSize = 32 << 10

// pump passes on what from sends, and its end. An end in disorder ends both
// sides.
func (l *link) pump(to, from net.Conn, answers bool) {
	buffer := make([]byte, bufferSize)
	for {
		n, err := from.Read(buffer)
		if !l.wait(answers) {
			return
		}
		if _, failed := to.Write(buffer[:n]); failed != nil {
			err = failed
		}
		half, ok := to.(*net.TCPConn)
		switch {
		case err == nil:
			continue
		case errors.Is(err, io.EOF) && ok && half.CloseWrite() == nil:
		default:
			l.end(true)
		}
		return
	}
}

// wait returns true when the fault, and the latency, let pass what was sent, and
// false when the link is ended before.
func (l *link) wait(answer bool) bool {
	for {
		l.proxy.mu.Lock()
		f, changed, delay := l.proxy.fault, l.proxy.changed, l.proxy.latency
		held, closed := l.frozen || f == Stall || f == HalfDead && answer, l.closed
		l.proxy.mu.Unlock()
		if closed {
			return false
		}
		var passed <-chan time.Time
		switch {
		case held:
		case answer && delay > 0:
			passed = time.After(delay)
		default:
			return true
		}
		select {
		case <-passed:
			return true
		case <-changed:
		case <-l.ended:
			return false
		}
	}
}

// end is reset for those who do not hold the lock. Without disorder, what is on
// its way arrives.
func (l *link) end(disorder bool) {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	if disorder {
		l.reset()
	} else {
		l.close(func(*net.TCPConn) {})
	}
}

// reset ends both sides at once. The caller holds the lock.
func (l *link) reset() {
	l.close(func(conn *net.TCPConn) { _ = conn.SetLinger(0) })
}

// close closes both sides, each after prepare. Once more does nothing. The caller
// holds the lock.
func (l *link) close(prepare func(*net.TCPConn)) {
	if l.closed {
		return
	}
	l.closed = true
	close(l.ended)
	for _, conn := range []net.Conn{l.client, l.server} {
		if tcp, ok := conn.(*net.TCPConn); ok {
			prepare(tcp)
			_ = tcp.Close()
		}
	}
}
