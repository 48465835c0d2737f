package faultproxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// link is a connection of a client, together with the proxy's connection to the
// server for it.
type link struct {
	proxy  *Proxy
	client net.Conn
	ended  chan struct{}

	// The following fields are guarded by the lock of the proxy.
	server net.Conn // nil until it is dialed
	frozen bool
	closed bool
}

// serve dials the server as soon as the fault allows, and forwards bytes in both
// directions until both sides have ended.
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

// dialTimeout bounds dialing the server, which is local.
const dialTimeout = 5 * time.Second

// dial connects to the server. It reports whether that succeeded and the link is
// still open.
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

// bufferSize is the largest number of bytes held back in a direction.
const bufferSize = 32 << 10

// pump forwards what from sends, including the end of the stream. An error resets
// both sides.
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

// wait returns true when the fault and the latency let bytes pass, and false if the
// link ends before that.
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

// end closes the link. The caller does not hold the lock. With abort, it resets
// both sides; otherwise, bytes in flight still arrive.
func (l *link) end(abort bool) {
	l.proxy.mu.Lock()
	defer l.proxy.mu.Unlock()
	if abort {
		l.reset()
	} else {
		l.close(func(*net.TCPConn) {})
	}
}

// reset closes both sides immediately with a TCP reset. The caller holds the lock.
func (l *link) reset() {
	l.close(func(conn *net.TCPConn) { _ = conn.SetLinger(0) })
}

// close calls prepare on each side and closes it. Further calls do nothing. The caller
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
