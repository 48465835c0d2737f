package harness

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// balancer spreads connections over the gateways that report ready, as the load
// balancer of a cluster does.
type balancer struct {
	ln      net.Listener
	next    atomic.Uint64
	stop    chan struct{}
	running sync.WaitGroup

	mu       sync.Mutex
	backends []*backend
	conns    map[net.Conn]bool
}

// backend is one gateway.
type backend struct {
	addr, probe string
	ready       atomic.Bool
	removed     chan struct{}
}

// probeEvery is the interval between readiness probes of a gateway.
const probeEvery = 100 * time.Millisecond

// probeTimeout is how long a gateway may take to answer the balancer.
func probeTimeout() time.Duration { return patience.Scale(3 * time.Second) }

// newBalancer listens on a loopback address. It accepts no connection until serve is
// called.
func newBalancer() (*balancer, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &balancer{ln: ln, stop: make(chan struct{}), conns: map[net.Conn]bool{}}, nil
}

// serve starts spreading connections over the backends.
func (b *balancer) serve() { b.running.Go(b.accept) }

// add adds a gateway, by the addresses of its API and of its readiness probe, unless it is
// known.
func (b *balancer) add(addr, probe string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, known := range b.backends {
		if known.addr == addr {
			return
		}
	}
	be := &backend{addr: addr, probe: probe, removed: make(chan struct{})}
	be.ready.Store(be.isReady())
	b.backends = append(slices.Clone(b.backends), be)
	b.running.Go(func() { b.watch(be) })
}

// remove removes the gateway with the address. Its connections stay open.
func (b *balancer) remove(addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var rest []*backend
	for _, be := range b.backends {
		if be.addr == addr {
			close(be.removed)
			continue
		}
		rest = append(rest, be)
	}
	b.backends = rest
}

// isReady probes the gateway's readiness endpoint.
func (be *backend) isReady() bool {
	client := http.Client{Timeout: probeTimeout(), Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + be.probe + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// watch probes a gateway every probeEvery.
func (b *balancer) watch(be *backend) {
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-be.removed:
			return
		case <-ticker.C:
			be.ready.Store(be.isReady())
		}
	}
}

func (b *balancer) accept() {
	for {
		conn, err := b.ln.Accept()
		if err != nil {
			return
		}
		b.running.Go(func() { b.forward(conn.(*net.TCPConn)) })
	}
}

// forward connects a client to a ready gateway. If there is none, it closes the
// client's connection.
func (b *balancer) forward(client *net.TCPConn) {
	defer func() { _ = client.Close() }()
	server := b.dial()
	if server == nil {
		return
	}
	defer func() { _ = server.Close() }()
	if !b.keep(client, server) {
		return
	}
	defer b.forget(client, server)
	done := make(chan struct{})
	go func() {
		pipe(server, client)
		close(done)
	}()
	pipe(client, server)
	<-done
}

// pipe copies src to dst until src ends, then closes dst the same way.
func pipe(dst, src *net.TCPConn) {
	if _, err := io.Copy(dst, src); err != nil && !errors.Is(err, net.ErrClosed) {
		_ = dst.SetLinger(0) // reset this side too
		_ = dst.Close()
		return
	}
	_ = dst.CloseWrite()
}

// dial connects to the next ready gateway, round robin.
func (b *balancer) dial() *net.TCPConn {
	b.mu.Lock()
	backends := b.backends
	b.mu.Unlock()
	for range backends {
		be := backends[b.next.Add(1)%uint64(len(backends))]
		if !be.ready.Load() {
			continue
		}
		if conn, err := net.DialTimeout("tcp", be.addr, probeTimeout()); err == nil {
			return conn.(*net.TCPConn)
		}
		be.ready.Store(false)
	}
	return nil
}

// keep records open connections so that close can close them. It reports whether
// the balancer is still running.
func (b *balancer) keep(conns ...net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range conns {
		if b.conns != nil {
			b.conns[c] = true
		}
	}
	return b.conns != nil
}

func (b *balancer) forget(conns ...net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range conns {
		delete(b.conns, c)
	}
}

// addr returns the address that clients connect to.
func (b *balancer) addr() string { return b.ln.Addr().String() }

// close stops the balancer and closes all connections.
func (b *balancer) close() {
	close(b.stop)
	_ = b.ln.Close()
	b.mu.Lock()
	for c := range b.conns {
		_ = c.Close()
	}
	b.conns = nil
	b.mu.Unlock()
	b.running.Wait()
}
