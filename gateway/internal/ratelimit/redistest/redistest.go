// Package redistest starts Redis servers for tests.
package redistest

import (
	"net"
	"net/url"
	"os"
	"os/exec"
	"testing"

	"github.com/rectohq/recto/libs/testkit/faultproxy"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// URL returns the URL of a Redis server: the one in RECTO_TEST_REDIS_URL, or else one that
// it starts for the test.
func URL(t testing.TB) string {
	t.Helper()
	if named := os.Getenv("RECTO_TEST_REDIS_URL"); named != "" {
		return named
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	_ = ln.Close()
	_, port, _ := net.SplitHostPort(addr)
	cmd := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatalf("start redis-server: %v; make install-packages installs it", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	patience.Until(t, "redis-server listens on "+addr, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return false
		}
		_ = conn.Close()
		return true
	})
	return "redis://" + addr
}

// Behind returns the URL of a proxy in front of a Redis server, see URL, and the proxy.
func Behind(t testing.TB) (string, *faultproxy.Proxy) {
	t.Helper()
	u, err := url.Parse(URL(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := faultproxy.New(u.Host)
	t.Cleanup(proxy.Close)
	u.Host = proxy.Addr()
	return u.String(), proxy
}
