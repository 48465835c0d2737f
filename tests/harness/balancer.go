package harness

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// balancer shares connections among the gateways that say that they are ready,
// as the load balancer of a cluster does.
type balancer struct {
	ln       net.Listener
	backends []*backend
	next     atomic.Uint64
	stop     chan struct{}
	running  sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// backend is one gateway.
type backend struct {
	addr, probe string
	ready       atomic.Bool
}

// probeEvery is how often gateways are asked whether they are ready.
const probeEvery = 100 * time.Millisecond

// probeTimeout is how long a gateway may take to answer the balancer.
func probeTimeout() time.Duration { return patience.Scale(3 * time.Second) }

// newBalancer listens on an address of loopback. It serves when it is told the
// backends.
func newBalancer() (*balancer, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &balancer{ln: ln, stop: make(chan struct{}), conns: map[net.Conn]bool{}}, nil
}

// serve begins to share connections among the backends.
func (b *balancer) serve(backends ...*backend) {
	b.backends = backends
	for _, be := range backends {
		be.ready.Store(be.isReady())
		b.running.Go(func() { b.watch(be) })
	}
	b.running.Go(b.accept)
}

// isReady asks the gateway.
func (be *backend) isReady() bool {
	client := http.Client{Timeout: probeTimeout(), Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + be.probe + "/readyz")
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// watch asks a gateway from time to time.
func (b *balancer) watch(be *backend) {
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-b.stop:
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

// forward connects a client to a gateway. Without one that is ready the client's
// connection is closed.
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

// pipe copies to dst until src ends, and hands the end on.
func pipe(dst, src *net.TCPConn) {
	if _, err := io.Copy(dst, src); err != nil && !errors.Is(err, net.ErrClosed) {
		_ = dst.SetLinger(0) // a connection that was cut is cut on the other side too
		_ = dst.Close()
		return
	}
	_ = dst.CloseWrite()
}

// dial connects to a gateway that is ready, each in turn.
func (b *balancer) dial() *net.TCPConn {
	for range b.backends {
		be := b.backends[b.next.Add(1)%uint64(len(b.backends))]
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

// keep notes open connections, so that close can close them. It reports whether
// the balancer still runs.
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

// addr is where clients connect.
func (b *balancer) addr() string { return b.ln.Addr().String() }

// close ends it and all connections.
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
