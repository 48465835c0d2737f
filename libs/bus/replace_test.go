package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/testkit/faultproxy"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestReplace replaces the instances of a service one after the other under load, as a
// rolling restart does: no request fails, although none may be sent twice.
func TestReplace(t *testing.T) {
	t.Run("one server", func(t *testing.T) {
		n := bustest.Server(t)
		replaceInstances(t, func(name string) *bus.Conn { return bustest.Connect(t, n, name) })
	})
	t.Run("a cluster", func(t *testing.T) {
		cluster := bustest.NewCluster(t, 3)
		var next atomic.Int32
		replaceInstances(t, func(name string) *bus.Conn {
			return cluster.ConnectTo(cluster.URLOf(int(next.Add(1))%3), name)
		})
	})
}

// replacements is how often TestReplace replaces an instance.
const replacements = 30

// replaceInstances runs callers next to two instances, and replaces the instances. Each
// has a connection of its own from connect.
func replaceInstances(t *testing.T, connect func(name string) *bus.Conn) {
	instances := []func(){newInstance(t, connect("test")), newInstance(t, connect("test"))}
	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	var answered atomic.Int64
	var failed sync.Map
	for range 3 {
		conn := connect("caller")
		for _, call := range []func(context.Context) error{
			func(ctx context.Context) error { return callEcho(ctx, conn, "small") },
			func(ctx context.Context) error { return callEcho(ctx, conn, "small") },
			func(ctx context.Context) error { return callEcho(ctx, conn, strings.Repeat("large", 60<<10)) },
			func(ctx context.Context) error { return callUpper(ctx, conn) },
		} {
			callers.Go(func() {
				for ctx.Err() == nil {
					bounded, cancel := context.WithTimeout(context.Background(), patience.Limit())
					err := call(bounded)
					cancel()
					if err != nil {
						failed.Store(time.Now(), err)
					}
					answered.Add(1)
				}
			})
		}
	}
	for i := range replacements {
		next := newInstance(t, connect("test"))
		instances[i%2]()
		instances[i%2] = next
	}
	stop()
	callers.Wait()
	failed.Range(func(at, err any) bool {
		t.Errorf("at %v: %v", at, err)
		return true
	})
	t.Logf("%d requests", answered.Load())
	for _, end := range instances {
		end()
	}
}

func callEcho(ctx context.Context, conn *bus.Conn, text string) error {
	got, err := bus.Call(ctx, conn, echo, principal, message{text})
	if err == nil && got.Text != text {
		err = errors.New("wrong reply")
	}
	return err
}

func callUpper(ctx context.Context, conn *bus.Conn) error {
	got, err := ask(ctx, conn, "text")
	if err == nil && got != "TEXT" {
		err = fmt.Errorf("the reply is %q", got)
	}
	return err
}

// newInstance starts an instance that answers echo and upper. End shuts it down as a
// service does on SIGTERM.
func newInstance(t *testing.T, conn *bus.Conn) (end func()) {
	t.Helper()
	server, err := conn.Serve("test", "1.0.0", 512)
	if err != nil {
		t.Fatal(err)
	}
	queue, err := conn.OpenRequests(t.Context(), "test.upper", 100, ackWait())
	if err != nil {
		t.Fatal(err)
	}
	answer := func(_ context.Context, _ contract.Principal, m message) (message, error) { return m, nil }
	if err := errors.Join(bus.Handle(server, echo, answer), bus.Forward(server, upper, queue)); err != nil {
		t.Fatal(err)
	}
	taking, stop := context.WithCancel(context.Background())
	var taker sync.WaitGroup
	taker.Go(func() {
		for taking.Err() == nil {
			if taken, err := bus.Take(taking, server, queue, toUpper); !taken && taking.Err() == nil {
				if err != nil {
					t.Error(err)
				}
				select {
				case <-taking.Done():
				case <-queue.Woken():
				case <-time.After(100 * time.Millisecond):
				}
			}
		}
	})
	return func() {
		stop()
		taker.Wait()
		if err := errors.Join(server.Shutdown(patience.Context(t)), queue.Close(), conn.Close()); err != nil {
			t.Error(err)
		}
	}
}

// proxied is a server behind a proxy, with the endpoint echo, and a caller that is
// connected directly.
type proxied struct {
	nats   *server.Server
	proxy  *faultproxy.Proxy
	conn   *bus.Conn
	server *bus.Server
	caller *bus.Conn
}

func newProxied(t *testing.T) *proxied {
	t.Helper()
	p := &proxied{nats: listen(t, server.Options{})}
	p.proxy = faultproxy.New(p.nats.Addr().String())
	t.Cleanup(p.proxy.Close)
	p.conn, p.caller = p.dial(t, "test", p.proxy.Addr()), p.dial(t, "caller", p.nats.Addr().String())
	p.server = serveEcho(t, p.conn)
	return p
}

func (p *proxied) dial(t *testing.T, name, addr string) *bus.Conn {
	t.Helper()
	conn, err := connect(patience.Context(t), t, name, "nats://"+addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// serveEcho answers echo.
func serveEcho(t *testing.T, conn *bus.Conn) *bus.Server {
	t.Helper()
	// A request leaves the pool shortly after its reply: on a busy machine, a client that
	// sends one after the other may fill a small pool.
	s, err := conn.Serve("test", "1.0.0", 64)
	if err == nil {
		err = bus.Handle(s, echo, func(_ context.Context, _ contract.Principal, m message) (message, error) { return m, nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sent returns how many messages NATS has sent to the instance, whether or not they have
// arrived. A second subscriber could not tell: NATS may send it its copy first.
func (p *proxied) sent(t *testing.T) int64 {
	t.Helper()
	list, err := p.nats.Connz(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, conn := range list.Conns {
		if conn.Name == "recto-test" {
			return conn.OutMsgs
		}
	}
	t.Fatal("NATS does not list the instance's connection")
	return 0
}

// shutDown shuts the server down in the background.
func (p *proxied) shutDown(t *testing.T) (down <-chan error) {
	ended := make(chan error, 1)
	go func() { ended <- p.server.Shutdown(patience.Context(t)) }()
	return ended
}

// TestShutdownBehindSlowNetwork shuts an instance down while a request is on its way to
// it, over a network that delivers it a second later: the request is answered.
func TestShutdownBehindSlowNetwork(t *testing.T) {
	p := newProxied(t)
	before := p.sent(t)
	p.proxy.Set(faultproxy.HalfDead)
	answered := make(chan error, 1)
	go func() { answered <- callEcho(patience.Context(t), p.caller, "x") }()
	patience.Until(t, "NATS has sent the request to the instance", func() bool { return p.sent(t) > before })
	down := p.shutDown(t)
	time.Sleep(time.Second) // of slow network; package nats waits at most 10 s for what is on its way
	p.proxy.Set(faultproxy.None)
	if err := errors.Join(<-answered, <-down); err != nil {
		t.Error(err)
	}
}

// TestShutdownWithoutConnection shuts an instance down while it has lost its connection:
// when the connection is back, no request goes to the instance.
func TestShutdownWithoutConnection(t *testing.T) {
	p := newProxied(t)
	other := serveEcho(t, p.dial(t, "test", p.nats.Addr().String()))
	p.proxy.Set(faultproxy.Refuse)
	p.proxy.Cut()
	patience.Until(t, "the connection is lost", func() bool { return p.conn.Check(t.Context()) != nil })
	down := p.shutDown(t)
	p.proxy.Set(faultproxy.None)
	patience.Until(t, "the connection is back", func() bool { return p.conn.Check(t.Context()) == nil })
	for range 20 { // each would go to either instance
		if err := callEcho(patience.Context(t), p.caller, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(<-down, other.Shutdown(patience.Context(t))); err != nil {
		t.Error(err)
	}
}
