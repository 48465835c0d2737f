// Package faultproxy is a TCP proxy that fails the way servers and networks do. A test
// puts it between a client and its server, to see how the client handles a server that
// is dead, paused, slow or half dead, and one that recovers.
//
// The proxy listens on the same loopback port for its whole life. No other process gets
// that port while the proxy refuses connections.
//
// We tried Toxiproxy 2.12 instead, which is similar. It releases the port while it
// refuses connections, cannot freeze existing connections while it serves new ones, and
// does not count connections. Ending a fault takes it 5 s if a client disconnected while
// a response was held back, which is what most tests here do.
package faultproxy

import (
	"context"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Fault is a failure on the way to the server.
type Fault int

const (
	// None forwards bytes in both directions.
	None Fault = iota
	// Refuse refuses connections, like a machine that does not run the server. Open
	// connections stay open; Cut ends them.
	Refuse
	// Stall accepts connections but forwards nothing, like a paused server. The
	// bytes sent meanwhile arrive when the fault ends.
	Stall
	// HalfDead forwards what clients send, but no responses. The responses arrive
	// when the fault ends.
	HalfDead
)

// Proxy is a running proxy. It is safe for concurrent use.
type Proxy struct {
	target   string
	addr     *net.TCPAddr
	reserved int // socket that reserves the port
	running  sync.WaitGroup

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when a condition that holds bytes back changes
	fault    Fault
	latency  time.Duration
	listener net.Listener // nil while connections are refused
	links    map[*link]struct{}
	accepted int
}

// New returns a proxy to target (host:port) without a fault. Like httptest.NewServer,
// it panics if it cannot listen. The caller must call Close.
func New(target string) *Proxy {
	p := &Proxy{target: target, changed: make(chan struct{}), links: map[*link]struct{}{}}
	if err := p.reserve(); err != nil {
		panic(fmt.Sprintf("faultproxy: reserve a port: %v", err))
	}
	p.Set(None)
	return p
}

// reserve binds a socket that never listens. While the socket exists, no other process
// gets the port.
func (p *Proxy) reserve() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	p.reserved = fd
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return err
	}
	inet, ok := name.(*unix.SockaddrInet4)
	if !ok {
		return fmt.Errorf("the socket is bound to %v", name)
	}
	p.addr = &net.TCPAddr{IP: net.IP(inet.Addr[:]), Port: inet.Port}
	return nil
}

// Addr returns the address for clients, host:port.
func (p *Proxy) Addr() string { return p.addr.String() }

// Accepted returns how many connections the proxy has accepted so far.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Set changes the fault for open and new connections.
func (p *Proxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
	p.wake()
	switch {
	case f == Refuse && p.listener != nil:
		_ = p.listener.Close()
		p.listener = nil
	case f != Refuse && p.listener == nil:
		p.listen()
	}
}

// SetLatency delays each response by d.
func (p *Proxy) SetLatency(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latency = d
	p.wake()
}

// Cut resets the open connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.reset()
	}
}

// Freeze permanently stops all traffic on the open connections without notifying
// either side, like a firewall that has forgotten them. New connections are not
// affected.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.frozen = true
	}
	p.wake()
}

// Close stops the proxy and resets all of its connections.
func (p *Proxy) Close() {
	p.Set(Refuse)
	p.Cut()
	p.running.Wait()
	_ = unix.Close(p.reserved)
}

// wake makes all waiters check again whether they may continue. The caller holds the
// lock.
func (p *Proxy) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// listen starts to accept connections. The caller holds the lock.
func (p *Proxy) listen() {
	shared := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		failed := c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
		if failed != nil {
			return failed
		}
		return err
	}}
	ln, err := shared.Listen(context.Background(), "tcp4", p.Addr())
	if err != nil {
		panic(fmt.Sprintf("faultproxy: listen on the reserved port: %v", err))
	}
	p.listener = ln
	p.running.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return // the listener is closed
			}
			p.accept(conn)
		}
	})
}

// accept serves a connection until either side ends it.
func (p *Proxy) accept(conn net.Conn) {
	l := &link{proxy: p, client: conn, ended: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accepted++
	if p.listener == nil { // it was accepted while Set closed the listener
		l.reset()
		return
	}
	p.links[l] = struct{}{}
	p.running.Go(func() {
		l.serve()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.links, l)
	})
}
