package listener_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/listener"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == descriptorsArgument {
		os.Exit(printLimit())
	}
	goleak.VerifyTestMain(m)
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// wrap returns a listener on top of ln, and its metrics.
func wrap(t *testing.T, ln net.Listener, o listener.Options) (*listener.Listener, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewRegistry()
	o.Name, o.Metrics = "test", registry
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	l, err := listener.New(ln, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, registry
}

// open returns a listener on a free port.
func open(t *testing.T, o listener.Options) (*listener.Listener, *prometheus.Registry) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return wrap(t, ln, o)
}

// holds fails the test unless the metrics contain the lines.
func holds(t *testing.T, r *prometheus.Registry, lines ...string) {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			values[f.GetName()] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	for _, line := range lines {
		name, want, _ := strings.Cut(line, " ")
		if got := values[name]; want != strconv.FormatFloat(got, 'g', -1, 64) {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
	}
}

// script is a listener whose Accept returns scripted results.
type script struct {
	results []any // error or net.Conn
	calls   int
}

func (s *script) Accept() (net.Conn, error) {
	if s.calls == len(s.results) {
		return nil, net.ErrClosed
	}
	s.calls++
	if err, ok := s.results[s.calls-1].(error); ok {
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
	}
	return s.results[s.calls-1].(net.Conn), nil
}

func (s *script) Close() error   { return nil }
func (s *script) Addr() net.Addr { return &net.UnixAddr{} }

// from is a connection from addr.
type from struct {
	net.Conn
	addr   string
	closed bool
}

func (f *from) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(f.addr))
}
func (f *from) Close() error { f.closed = true; return nil }

// TestTemporaryErrors shows that Accept retries temporary errors and returns permanent ones.
func TestTemporaryErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		conn := &from{addr: "192.0.2.1:1"}
		errs := []any{
			syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EPROTO,
			syscall.EPERM, syscall.ENETDOWN, syscall.EHOSTUNREACH, os.ErrDeadlineExceeded,
		}
		inner := &script{results: append(errs, conn, syscall.EBADF)}
		l, metrics := wrap(t, inner, listener.Options{Max: 10, Log: slog.New(slog.NewTextHandler(&log, nil))})
		begin := time.Now()
		c, err := l.Accept()
		if err != nil || listener.Of(c) == nil {
			t.Fatalf("after temporary errors: got %v, %v; want a connection", c, err)
		}
		if waited := time.Since(begin); waited < time.Second || waited > 10*time.Second { // by the synctest clock
			t.Errorf("Accept waited %s for %d errors, want 1s to 10s", waited, len(errs))
		}
		if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), "too many open files") {
			t.Errorf("Accept logged %d lines, want 1:\n%s", lines, &log)
		}
		holds(t, metrics, "recto_accept_errors_total 10", "recto_connections 1")
		if _, err := l.Accept(); !errors.Is(err, syscall.EBADF) {
			t.Errorf("permanent error: got %v, want EBADF", err)
		}
		_ = c.Close()
		holds(t, metrics, "recto_connections 0")
	})
}

// TestCloseEndsTheWait shows that Close ends Accept while it waits to retry.
func TestCloseEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		always := make([]any, 1000)
		for i := range always {
			always[i] = syscall.ENFILE
		}
		l, _ := wrap(t, &script{results: always}, listener.Options{Max: 10})
		ended := make(chan error, 1)
		go func() {
			_, err := l.Accept()
			ended <- err
		}()
		time.Sleep(time.Minute)
		_ = l.Close()
		if err := <-ended; err == nil {
			t.Error("Accept returned no error after Close")
		}
	})
}

// TestShortOfDescriptors shows that a listener out of descriptors closes an idle
// connection, not one with a request in progress.
func TestShortOfDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy, idle, next := &from{addr: "192.0.2.1:1"}, &from{addr: "192.0.2.1:2"}, &from{addr: "192.0.2.1:3"}
		l, metrics := wrap(t, &script{results: []any{busy, idle, syscall.EMFILE, syscall.EMFILE, next}}, listener.Options{Max: 10})
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		listener.Of(c).Busy()
		for range 2 {
			if _, err := l.Accept(); err != nil {
				t.Fatal(err)
			}
		}
		if busy.closed || !idle.closed || next.closed {
			t.Errorf("closed: busy %t, idle %t, next %t", busy.closed, idle.closed, next.closed)
		}
		holds(t, metrics, "recto_connections_displaced_total 1", "recto_connections 2")
	})
}

// TestLimits shows which connection is refused or displaced when a limit is reached.
func TestLimits(t *testing.T) {
	const a, b, trusted = "192.0.2.1:1", "192.0.2.2:1", "127.0.0.1:1"
	for name, tc := range map[string]struct {
		options listener.Options
		open    string // i: idle, b: busy, upper case: from address b, t: idle and trusted
		next    string
		closed  int // index of the closed connection; -1: none, len(open): the next one
	}{
		"room":                               {listener.Options{Max: 3}, "ib", a, -1},
		"full, one idle":                     {listener.Options{Max: 3}, "bib", a, 1},
		"full, the longest idle is closed":   {listener.Options{Max: 3}, "bii", b, 1},
		"full, none idle":                    {listener.Options{Max: 3}, "bbb", b, 3},
		"an address is at its limit":         {listener.Options{Max: 9, PerAddress: 2}, "bb", a, 2},
		"another address is not":             {listener.Options{Max: 9, PerAddress: 2}, "bb", b, -1},
		"an address displaces its own":       {listener.Options{Max: 9, PerAddress: 2}, "IIib", a, 2},
		"trusted networks are exempt":        {listener.Options{Max: 90, PerAddress: 2, Trusted: loopback}, "ttt", trusted, -1},
		"untrusted: the reserve is not used": {listener.Options{Max: 8, Trusted: loopback}, "bbbbbbb", a, 7},
		"trusted: the reserve is used":       {listener.Options{Max: 8, Trusted: loopback}, "bbbbbbb", trusted, -1},
		"the reserve cannot be displaced":    {listener.Options{Max: 8, Trusted: loopback}, "bbbbbbbt", a, 8},
	} {
		t.Run(name, func(t *testing.T) {
			inner := &script{}
			var conns []*from
			for _, kind := range tc.open {
				addr := a
				switch {
				case kind == 't':
					addr = trusted
				case kind < 'a':
					addr = b
				}
				conns = append(conns, &from{addr: addr})
			}
			conns = append(conns, &from{addr: tc.next})
			for _, c := range conns {
				inner.results = append(inner.results, c)
			}
			l, metrics := wrap(t, inner, tc.options)
			for _, kind := range tc.open {
				c, err := l.Accept()
				if err != nil {
					t.Fatal(err)
				}
				listener.Of(c).Busy()
				if kind != 'b' && kind != 'B' {
					listener.Of(c).Idle()
				}
			}
			_, err := l.Accept()
			if refused := errors.Is(err, net.ErrClosed); refused != (tc.closed == len(tc.open)) {
				t.Errorf("the next connection: %v", err)
			}
			for i, c := range conns {
				if c.closed != (i == tc.closed) {
					t.Errorf("connection %d: closed is %t, want %t", i, c.closed, i == tc.closed)
				}
			}
			switch {
			case tc.closed == len(tc.open):
				holds(t, metrics, "recto_connections_refused_total 1", "recto_connections_displaced_total 0")
			case tc.closed >= 0:
				holds(t, metrics, "recto_connections_refused_total 0", "recto_connections_displaced_total 1")
			default:
				holds(t, metrics, "recto_connections_refused_total 0", "recto_connections_displaced_total 0")
			}
		})
	}
}

// TestNoConnectionIsForgotten opens, uses and closes connections concurrently from
// many goroutines, and shows that the count returns to zero.
func TestNoConnectionIsForgotten(t *testing.T) {
	l, metrics := open(t, listener.Options{Max: 20, PerAddress: 10})
	var served sync.WaitGroup
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				own := listener.Of(c)
				buffer := make([]byte, 1)
				for {
					if _, err := c.Read(buffer); err != nil {
						_ = c.Close()
						_ = c.Close()
						own.Idle() // has no effect after Close
						return
					}
					own.Busy()
					_, _ = c.Write(buffer)
					own.Idle()
				}
			})
		}
	}()
	var clients sync.WaitGroup
	for range 40 {
		clients.Go(func() {
			for range 20 {
				c, err := net.Dial("tcp", l.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				for range 3 {
					_, _ = c.Write([]byte("x")) // it may have been displaced
					_, _ = io.ReadFull(c, make([]byte, 1))
				}
				_ = c.Close()
			}
		})
	}
	clients.Wait()
	if err := l.Check(t.Context()); err != nil { // every earlier connection has now been accepted
		t.Error(err)
	}
	served.Wait()
	holds(t, metrics, "recto_connections 0")
	_ = l.Close()
	<-ended
}

// TestCheck checks a listener that accepts, one that is full, one without an
// accept loop, and one that is closed.
func TestCheck(t *testing.T) {
	abandoned, _ := open(t, listener.Options{Max: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := abandoned.Check(ctx); err == nil || !strings.Contains(err.Error(), "test does not accept connections on 127.0.0.1:") {
		t.Errorf("without an accept loop: %v", err)
	}
	l, metrics := open(t, listener.Options{Max: 1})
	held := make(chan *listener.Conn, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(held)
				return
			}
			listener.Of(c).Busy()
			held <- listener.Of(c)
		}
	}()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	defer func() { _ = (<-held).Close() }()
	within(t, func() bool { return l.Check(t.Context()) == nil })
	holds(t, metrics, "recto_connections 1", "recto_connections_refused_total 0")
	_ = l.Close()
	within(t, func() bool { return l.Check(t.Context()) != nil })
}

// within waits until the condition holds.
func within(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the condition did not become true within a minute")
		}
	}
}
