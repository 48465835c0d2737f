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
	// checkEvery is how long the result of a check is cached. Any client may ask for
	// readiness, and each check takes a connection.
	checkEvery = time.Second
	// probePorts is how many local ports a check tries.
	probePorts = 3
)

// probes tracks the connections that check a listener. They are identified by
// their source address, so that they do not count towards limits.
type probes struct {
	turn chan struct{} // holds one token: checks take turns

	// Guarded by turn.
	checked time.Time
	result  error

	mu      sync.Mutex
	awaited map[netip.AddrPort]chan<- struct{} // closed on arrival
}

func newProbes() *probes {
	return &probes{turn: make(chan struct{}, 1), awaited: map[netip.AddrPort]chan<- struct{}{}}
}

// arrived reports whether a connection from a is a probe, and if so notifies the
// waiting check.
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

// Check returns nil if the listener accepts connections: it opens one and waits
// until Accept has seen it. That connection does not count towards any limit, so
// a listener at its limit is still ready. The result is cached for a second.
// Check always succeeds if the listener is not TCP.
func (l *Listener) Check(ctx context.Context) error {
	target, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return nil
	}
	select {
	case l.probes.turn <- struct{}{}:
		defer func() { <-l.probes.turn }()
	case <-ctx.Done():
		return fmt.Errorf("check the listener of %s: %w", l.options.Name, ctx.Err())
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

// probe connects to the listener from a port chosen beforehand.
func (l *Listener) probe(ctx context.Context, target *net.TCPAddr) (err error) {
	for range probePorts {
		if err = l.probeFrom(ctx, target); !errors.Is(err, syscall.EADDRINUSE) {
			break // otherwise another process took the port first
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
			_ = tcp.SetLinger(0) // do not leave the port in TIME_WAIT
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

// near returns an address at which this machine can reach a listener. It
// replaces the unspecified address by loopback.
func near(a *net.TCPAddr) *net.TCPAddr {
	if !a.IP.IsUnspecified() {
		return a
	}
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: a.Port}
}

func unmapped(a *net.TCPAddr) netip.AddrPort {
	return netip.AddrPortFrom(a.AddrPort().Addr().Unmap().WithZone(""), uint16(a.Port))
}
