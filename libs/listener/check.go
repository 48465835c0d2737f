package listener

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

const (
	// checkEvery is how long the result of a check is good. Anybody may ask for
	// readiness, and each check takes a connection.
	checkEvery = time.Second
	// probePorts is how many local ports a check tries.
	probePorts = 3
)

// probes are the connections by which a listener is checked. They are known by
// where they come from, so that they count as no connections.
type probes struct {
	turn chan struct{} // holds one token: checks take turns

	// The following two belong to whoever has the turn.
	checked time.Time
	result  error

	mu      sync.Mutex
	awaited map[netip.AddrPort]chan<- struct{} // closed upon arrival
}

func newProbes() *probes {
	return &probes{turn: make(chan struct{}, 1), awaited: map[netip.AddrPort]chan<- struct{}{}}
}

// arrived reports whether a connection from a is a probe, and tells who waits
// for it.
func (p *probes) arrived(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	from := unmapped(tcp)
	here, ok := p.awaited[from]
	if ok {
		close(here)
		delete(p.awaited, from)
	}
	return ok
}

// await returns a channel that is closed when a connection from a has arrived.
func (p *probes) await(a netip.AddrPort) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	here := make(chan struct{})
	p.awaited[a] = here
	return here
}

func (p *probes) forget(a netip.AddrPort) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.awaited, a)
}

// Check returns nil if the listener accepts connections: it makes one and waits
// until Accept has seen it. That connection counts towards no limit, so that a
// listener whose connections are all taken is still ready. The result is kept
// for a second. Check always succeeds for what is not TCP.
func (l *Listener) Check(ctx context.Context) error {
	target, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return nil
	}
	select {
	case l.probes.turn <- struct{}{}:
		defer func() { <-l.probes.turn }()
	case <-ctx.Done():
		return fmt.Errorf("the listener of %s was not checked: %w", l.options.Name, ctx.Err())
	}
	if time.Since(l.probes.checked) >= checkEvery {
		err := l.probe(ctx, near(target))
		if err != nil {
			err = fmt.Errorf("%s does not accept connections on %s: %w", l.options.Name, target, err)
		}
		l.probes.result, l.probes.checked = err, time.Now()
	}
	return l.probes.result
}

// probe connects to the listener from a port that it knows beforehand.
func (l *Listener) probe(ctx context.Context, target *net.TCPAddr) (err error) {
	for range probePorts {
		if err = l.probeFrom(ctx, target); !errors.Is(err, syscall.EADDRINUSE) {
			break // otherwise somebody else was quicker to use the port
		}
	}
	return err
}

func (l *Listener) probeFrom(ctx context.Context, target *net.TCPAddr) error {
	own, err := net.ListenTCP("tcp", &net.TCPAddr{IP: target.IP, Zone: target.Zone})
	if err != nil {
		return err
	}
	from := own.Addr().(*net.TCPAddr)
	if err := own.Close(); err != nil {
		return err
	}
	here := l.probes.await(unmapped(from))
	defer l.probes.forget(unmapped(from))
	dialer := net.Dialer{LocalAddr: from}
	conn, err := dialer.DialContext(ctx, "tcp", target.String())
	if err != nil {
		return err
	}
	defer func() {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // the port must not be kept in TIME_WAIT
		}
		_ = conn.Close()
	}()
	select {
	case <-here:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// near returns the address at which this machine reaches a listener: all
// addresses are none.
func near(a *net.TCPAddr) *net.TCPAddr {
	if !a.IP.IsUnspecified() {
		return a
	}
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: a.Port}
}

func unmapped(a *net.TCPAddr) netip.AddrPort {
	return netip.AddrPortFrom(a.AddrPort().Addr().Unmap().WithZone(""), uint16(a.Port))
}
