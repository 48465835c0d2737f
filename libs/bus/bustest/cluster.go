package bustest

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// Cluster is a cluster of NATS servers within the process. They listen on
// loopback, so that a connection that loses one of them finds another one.
type Cluster struct {
	t       testing.TB
	options []*server.Options
	servers []*server.Server
}

// NewCluster starts a cluster that ends with the test, and returns when all of
// its servers are ready.
func NewCluster(t testing.TB, size int) *Cluster {
	t.Helper()
	c := &Cluster{t: t, servers: make([]*server.Server, size)}
	ports := freePorts(t, 3*size)
	var routes []*url.URL
	for _, port := range ports[:size] {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	dir := t.TempDir()
	for i := range size {
		name := fmt.Sprintf("nats-%d", i)
		c.options = append(c.options, &server.Options{
			ServerName: name, Host: "127.0.0.1", Port: ports[size+i], HTTPHost: "127.0.0.1", HTTPPort: ports[2*size+i],
			NoSigs: true, JetStream: true, StoreDir: filepath.Join(dir, name), JetStreamMaxMemory: 1 << 30, JetStreamMaxStore: 1 << 30,
			Cluster: server.ClusterOpts{Name: "recto", Host: "127.0.0.1", Port: ports[i]}, Routes: routes,
			LameDuckDuration: time.Second, LameDuckGracePeriod: 100 * time.Millisecond,
		})
	}
	t.Cleanup(func() {
		for i := range c.servers {
			c.Kill(i)
		}
	})
	for i := range size {
		c.Start(i)
	}
	for i := range size {
		c.WaitReady(i)
	}
	return c
}

// freePorts returns ports on loopback that nobody listens on.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = ln.Close() }()
		ports = append(ports, ln.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// Start starts the server i, and waits for nothing.
func (c *Cluster) Start(i int) {
	c.t.Helper()
	options := *c.options[i] // the server changes them
	s, err := server.NewServer(&options)
	if err != nil {
		c.t.Fatal(err)
	}
	s.Start()
	c.servers[i] = s
}

// WaitReady waits until the server i says that it is healthy: it has caught up
// with the others, and the next one may go away.
func (c *Cluster) WaitReady(i int) {
	c.t.Helper()
	probe := fmt.Sprintf("http://127.0.0.1:%d/healthz", c.options[i].HTTPPort)
	patience.Until(c.t, fmt.Sprintf("the NATS server %d becomes healthy", i), func() bool {
		response, err := http.Get(probe)
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// Retire ends the server i as an operator does: it moves what it leads and its
// clients to the others.
func (c *Cluster) Retire(i int) {
	c.servers[i].LameDuckShutdown()
	c.servers[i].WaitForShutdown()
}

// Kill ends the server i without a word to the others.
func (c *Cluster) Kill(i int) {
	if c.servers[i] != nil {
		c.servers[i].Shutdown()
		c.servers[i].WaitForShutdown()
	}
}

// URL leads to all servers.
func (c *Cluster) URL() string {
	var urls []string
	for i := range c.options {
		urls = append(urls, c.URLOf(i))
	}
	return strings.Join(urls, ",")
}

// URLOf leads to the server i at first. Where the others are, it says itself.
func (c *Cluster) URLOf(i int) string {
	return fmt.Sprintf("nats://127.0.0.1:%d", c.options[i].Port)
}

// Connect connects the part called name to any server, with what is stored on
// all of them; the connection ends with the test.
func (c *Cluster) Connect(name string) *bus.Conn {
	c.t.Helper()
	return c.ConnectTo(c.URL(), name)
}

// ConnectTo is Connect to the servers of a URL.
func (c *Cluster) ConnectTo(url, name string) *bus.Conn {
	c.t.Helper()
	tel, err := telemetry.New(c.t.Context(), name, telemetry.Config{}, c.t.Output())
	if err != nil {
		c.t.Fatal(err)
	}
	cfg := Config()
	cfg.URL, cfg.Replicas = url, len(c.servers)
	conn, err := bus.Connect(c.t.Context(), name, cfg, tel)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	return conn
}
