// Package faultproxy is a TCP proxy that fails as servers and networks do. A test
// puts it between a client and its server, and sees what the client makes of a
// server that is dead, paused, slow or half dead, and of one that comes back.
//
// It listens on loopback, on one port for all of its life: nobody else is given
// that port while connections to it are refused.
//
// Toxiproxy 2.12, which is alike, was tried in its place. It gives the port away
// while it refuses, cannot freeze the connections that are there and serve new ones,
// and does not count connections. To end a fault takes it 5 s where a client has gone
// while an answer was held back, which is what most tests here do.
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

// Fault is what is wrong with the way to the server.
type Fault int

const (
	// None lets bytes pass both ways.
	None Fault = iota
	// Refuse refuses connections, as a machine does on which the server does not
	// run. Those that are open stay; Cut ends them.
	Refuse
	// Stall accepts connections and passes nothing on, as a server that is
	// paused. What was sent meanwhile arrives when the fault has gone.
	Stall
	// HalfDead passes on what clients send, and no answer. The answers arrive
	// when the fault has gone.
	HalfDead
)

// Proxy is a running proxy. Any number of goroutines may use it.
type Proxy struct {
	target   string
	addr     *net.TCPAddr
	reserved int // a socket that keeps the port
	running  sync.WaitGroup

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when what holds bytes back changes
	fault    Fault
	latency  time.Duration
	listener net.Listener // nil while connections are refused
	links    map[*link]struct{}
	accepted int
}

// New returns a proxy to target, host:port, without a fault. As servers of tests
// do, it panics if it cannot listen. Whoever calls it calls Close.
func New(target string) *Proxy {
	p := &Proxy{target: target, changed: make(chan struct{}), links: map[*link]struct{}{}}
	if err := p.reserve(); err != nil {
		panic(fmt.Sprintf("faultproxy: reserve a port: %v", err))
	}
	p.Set(None)
	return p
}

// reserve binds a socket that never listens: as long as it is there, the port is
// nobody else's.
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

// Addr returns the address that clients connect to, host:port.
func (p *Proxy) Addr() string { return p.addr.String() }

// Accepted returns how many connections were accepted so far.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Set changes what is wrong, for connections that are open and for new ones.
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

// SetLatency lets each answer wait for d before it is passed on.
func (p *Proxy) SetLatency(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latency = d
	p.wake()
}

// Cut resets the connections that are open.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.reset()
	}
}

// Freeze lets nothing pass any more on the connections that are open, ever, and
// does not tell either side: so does a firewall that has forgotten them. New
// ones are as good as before.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.frozen = true
	}
	p.wake()
}

// Close ends the proxy with all of its connections.
func (p *Proxy) Close() {
	p.Set(Refuse)
	p.Cut()
	p.running.Wait()
	_ = unix.Close(p.reserved)
}

// wake lets all that wait look again at whether they may go on. The caller holds
// the lock.
func (p *Proxy) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// listen begins to accept connections. The caller holds the lock.
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
		panic(fmt.Sprintf("faultproxy: listen on a port that is reserved: %v", err))
	}
	p.listener = ln
	p.running.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return // it is closed
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
