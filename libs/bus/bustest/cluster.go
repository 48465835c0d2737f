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

// Cluster is an in-process cluster of NATS servers. They listen on loopback, so a client
// that loses one server reconnects to another.
type Cluster struct {
	t       testing.TB
	options []*server.Options
	servers []*server.Server
}

// NewCluster starts a cluster and returns when all of its servers are ready. The servers
// stop when the test ends.
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

// freePorts returns n unused loopback ports.
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

// Start starts server i without waiting for it to become ready.
func (c *Cluster) Start(i int) {
	c.t.Helper()
	options := *c.options[i] // the server modifies its options
	s, err := server.NewServer(&options)
	if err != nil {
		c.t.Fatal(err)
	}
	s.Start()
	c.servers[i] = s
}

// WaitReady waits until server i reports that it is healthy: it has caught up with the
// others, so the next one may be stopped.
func (c *Cluster) WaitReady(i int) {
	c.t.Helper()
	probe := fmt.Sprintf("http://127.0.0.1:%d/healthz", c.options[i].HTTPPort)
	patience.Until(c.t, fmt.Sprintf("NATS server %d becomes healthy", i), func() bool {
		response, err := http.Get(probe)
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// Retire stops server i as an operator does: it hands its leadership and its clients over
// to the other servers.
func (c *Cluster) Retire(i int) {
	c.servers[i].LameDuckShutdown()
	c.servers[i].WaitForShutdown()
}

// Kill stops server i without notice to the others.
func (c *Cluster) Kill(i int) {
	if c.servers[i] != nil {
		c.servers[i].Shutdown()
		c.servers[i].WaitForShutdown()
	}
}

// URL lists all servers.
func (c *Cluster) URL() string {
	var urls []string
	for i := range c.options {
		urls = append(urls, c.URLOf(i))
	}
	return strings.Join(urls, ",")
}

// URLOf lists server i alone. The client learns of the other servers from it.
func (c *Cluster) URLOf(i int) string {
	return fmt.Sprintf("nats://127.0.0.1:%d", c.options[i].Port)
}

// Connect connects the part called name to any of the servers and replicates streams to
// all of them. The connection is closed when the test ends.
func (c *Cluster) Connect(name string) *bus.Conn {
	c.t.Helper()
	return c.ConnectTo(c.URL(), name)
}

// ConnectTo is Connect with the given server URL.
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
