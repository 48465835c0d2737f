package mongodbtest

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// Proxy stands between a client and the server, and can be away. It begins
// stopped: nobody listens.
type Proxy struct {
	t            testing.TB
	addr, server string

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
	muted    bool
	work     sync.WaitGroup
}

// NewProxy returns a proxy to the server of a database's URL, and the URL by
// which the database is reached through it.
func NewProxy(t testing.TB, database string) (*Proxy, string) {
	t.Helper()
	parsed, err := connstring.Parse(database)
	if err != nil {
		t.Fatal("the URL of the database cannot be read")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{t: t, addr: ln.Addr().String(), server: parsed.Hosts[0], conns: map[net.Conn]bool{}}
	_ = ln.Close()
	t.Cleanup(func() { p.Stop(); p.work.Wait() })
	base, query, _ := strings.Cut(database, "?")
	url := strings.Replace(base, strings.Join(parsed.RawHosts, ","), p.addr, 1) + "?" + query
	if !strings.Contains(query, "directConnection=") {
		url += "&directConnection=true" // a replica set would tell of the server itself
	}
	return p, url
}

// Start begins to listen.
func (p *Proxy) Start() {
	p.t.Helper()
	var ln net.Listener
	patience.Until(p.t, "connections of before have ended, and "+p.addr+" is free", func() (free bool) {
		var err error
		ln, err = net.Listen("tcp", p.addr)
		return err == nil
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener = ln
	p.work.Go(func() { p.accept(ln) })
}

// Stop ends all connections and listens no more.
func (p *Proxy) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	p.cut()
}

// Mute lets requests pass and holds all answers back, as if the server had
// stopped at the very end of its work.
func (p *Proxy) Mute() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.muted = true
}

// Unmute ends the connections whose answers are lost and lets those of new ones
// pass.
func (p *Proxy) Unmute() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.muted = false
	p.cut()
}

// cut ends all connections. The caller holds mu.
func (p *Proxy) cut() {
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}

func (p *Proxy) isMuted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.muted
}

// accept serves connections until the listener is closed.
func (p *Proxy) accept(ln net.Listener) {
	for {
		client, err := ln.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		if p.listener != ln { // stopped meanwhile
			_, _ = client.Close(), server.Close()
			p.mu.Unlock()
			continue
		}
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		p.work.Go(func() { _, _ = io.Copy(server, client); p.end(client, server) })
		p.work.Go(func() { _, _ = io.Copy(answers{p, client}, server); p.end(client, server) })
	}
}

// end forgets two connections, both ends of one.
func (p *Proxy) end(client, server net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, client)
	delete(p.conns, server)
	_, _ = client.Close(), server.Close()
}

// answers writes to a client unless the proxy is muted.
type answers struct {
	proxy  *Proxy
	client net.Conn
}

// Write implements io.Writer.
func (a answers) Write(b []byte) (int, error) {
	if a.proxy.isMuted() {
		return len(b), nil
	}
	return a.client.Write(b)
}
