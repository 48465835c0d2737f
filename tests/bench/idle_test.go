package bench

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// TestBenchIdle prints how many idle connections the program holds at default limits, and
// the speed of uploads with and without them.
func TestBenchIdle(t *testing.T) {
	const idle, uploads = 4000, 300
	s := start(t)
	upload := func() load {
		urls := uploadURLs(t, s, uploads)
		client := &http.Client{Transport: s.Transport()}
		defer client.CloseIdleConnections()
		return run(t, client, uploads, 4, func(i int) *http.Request {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, urls[i], strings.NewReader(strings.Repeat("x", 64<<10)))
			if err != nil {
				t.Error(err)
			}
			return request
		})
	}
	objects, err := url.Parse(uploadURLs(t, s, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	api, err := url.Parse(s.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	upload() // warm
	without := upload()
	before := residentMiB(t, s.PID(t))
	t.Logf("%-52s %s", "uploads of 64 KiB", without)
	for _, listener := range []struct{ name, addr string }{{"objects", objects.Host}, {"api", api.Host}} {
		begin := time.Now()
		release := holdIdle(t, listener.addr, idle)
		held := connections(t, s, listener.name)
		t.Logf("%d of %d idle connections to %s held, opened in %s; %d MiB more", held, idle, listener.name, time.Since(begin).Round(time.Millisecond), residentMiB(t, s.PID(t))-before)
		t.Logf("%-52s %s", fmt.Sprintf("uploads with %d idle connections to %s", held, listener.name), upload().against(without))
		release()
	}
}

// uploadURLs creates n documents and returns their upload URLs.
func uploadURLs(t *testing.T, s *harness.System, n int) []string {
	t.Helper()
	urls := make([]string, n)
	c := s.Client(t)
	for i := range urls {
		var d struct {
			Files []struct {
				UploadURL string `json:"upload_url"`
			}
		}
		a := c.Post("/documents", map[string]any{"name": "x", "files": []any{map[string]any{"name": "a.bin", "type": "application/octet-stream"}}})
		if err := json.Unmarshal(a.Body, &d); err != nil || len(d.Files) != 1 {
			t.Fatalf("create: %d %s", a.Status, a.Body)
		}
		urls[i] = d.Files[0].UploadURL
	}
	return urls
}

// holdIdle opens n connections that send nothing. Call release to close them.
func holdIdle(t *testing.T, addr string, n int) (release func()) {
	t.Helper()
	conns := make(chan net.Conn, n)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range n / 16 {
				conn, err := net.DialTimeout("tcp", addr, time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				conns <- conn
			}
		})
	}
	wg.Wait()
	close(conns)
	return func() {
		for conn := range conns {
			_ = conn.Close()
		}
	}
}

// connections returns the number of open connections to a listener, from the gateway's
// metrics.
func connections(t *testing.T, s *harness.System, listener string) (n int) {
	t.Helper()
	for line := range strings.Lines(s.Metrics(t, "gateway")) {
		if count, ok := strings.CutPrefix(line, fmt.Sprintf("recto_connections{listener=%q} ", listener)); ok {
			if _, err := fmt.Sscan(count, &n); err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no metric for connections to %s", listener)
	return 0
}
