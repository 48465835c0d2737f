package e2e

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// hold opens n idle connections to an address, half of them after a TLS handshake. The
// function that it returns closes them.
func hold(t *testing.T, s *harness.System, addr string, n int) (release func()) {
	t.Helper()
	conns := make([]net.Conn, n)
	var wg sync.WaitGroup
	for i := range conns {
		wg.Go(func() {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Error(err)
				return
			}
			conns[i] = conn
			if i%2 == 0 {
				config := s.TLS()
				config.ServerName = "127.0.0.1"
				_ = conn.SetDeadline(time.Now().Add(patience.Limit()))
				_ = tls.Client(conn, config).Handshake() // fails if the connection was displaced
			}
		})
	}
	wg.Wait()
	return func() {
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close()
			}
		}
	}
}

// works checks that a new client can use the API and the object store.
func works(t *testing.T, s *harness.System, when string) {
	t.Helper()
	c := s.Client(t)
	content := fmt.Appendf(nil, "Agreement, uploaded %s", when)
	d := upload(t, c, "a.txt", content)
	var got document
	c.Get("/documents/" + d.ID).OK(&got)
	if a := c.Raw(http.MethodGet, got.Files[0].DownloadURL, nil, nil); !bytes.Equal(a.Body, content) {
		t.Errorf("%s: the download is %d %q", when, a.Status, a.Body)
	}
	if a := c.Do(harness.Request{Path: "//readyz", Undocumented: true}); a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"object-server":"ready"`) {
		t.Errorf("%s: /readyz returns %d %s", when, a.Status, a.Body)
	}
}

// TestFewDescriptors limits the program to 512 file descriptors and opens more
// connections than that to each of its ports. New clients are still served.
func TestFewDescriptors(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Rate: "unlimited", Files: 512})
	s.Shows(t, `"variable":"GATEWAY_MAX_CONNECTIONS","configured":16384`, `"variable":"OBJECTS_MAX_CONNECTIONS"`)
	objects := objectsHostOf(t, s)
	for name, addr := range map[string]string{"the API": host(s), "objects": objects, "metrics": s.Probe()} {
		release := hold(t, s, addr, 600)
		for i := range 3 {
			works(t, s, fmt.Sprintf("with idle connections to %s, %d", name, i))
		}
		release()
		works(t, s, "after the idle connections to "+name)
	}
	both := []func(){hold(t, s, host(s), 600), hold(t, s, objects, 600)}
	works(t, s, "with idle connections to both")
	for _, release := range both {
		release()
	}
	c := s.Client(t)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	c.Post("/documents/"+d.ID+"/convert", nil).OK(nil)
	if n := metric(t, s, `recto_connections_displaced_total{listener="api"}`); n == 0 {
		t.Error("no idle connection was displaced although there were too many")
	}
}

// objectsHostOf returns the address of a system's object store.
func objectsHostOf(t *testing.T, s *harness.System) string {
	t.Helper()
	u, err := url.Parse(create(t, s.Client(t), valid()).Files[0].UploadURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// metric returns the value of a metric of the gateway.
func metric(t *testing.T, s *harness.System, name string) float64 {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(s.Metrics(t, "gateway"))
	if found == nil {
		t.Fatalf("there is no metric %s", name)
	}
	value, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// dialObjects connects to the host of an upload URL. Head is the beginning of a PUT
// request to that URL.
func dialObjects(t *testing.T, s *harness.System, uploadURL string) (conn *socket, head string) {
	t.Helper()
	u, err := url.Parse(uploadURL)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := tls.Dial("tcp", u.Host, s.TLS())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	_ = raw.SetDeadline(time.Now().Add(patience.Limit()))
	return &socket{raw, bufio.NewReader(raw), t}, fmt.Sprintf("PUT %s HTTP/1.1\r\nHost: %s\r\n", u.RequestURI(), u.Host)
}

// cut fails the test unless the server closes the connection.
func (s *socket) cut() {
	s.t.Helper()
	_, err := io.Copy(io.Discard, s.r)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		s.t.Error("the connection is still open")
	}
}

// TestSlowObjectClients abandons connections to the object store in every state that a
// client can leave them in. The server closes all of them.
func TestSlowObjectClients(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{
		"OBJECTS_HEAD_TIMEOUT=1s", "OBJECTS_IDLE_TIMEOUT=1s", "OBJECTS_STALL_TIMEOUT=2s",
	}})
	c := s.Client(t)
	var wg sync.WaitGroup
	for name, send := range map[string]func(conn *socket, head string){
		"nothing":               func(*socket, string) {},
		"half a head":           func(conn *socket, head string) { conn.send("%s", head[:20]) },
		"no body":               func(conn *socket, head string) { conn.send("%sContent-Length: 100\r\n\r\n", head) },
		"half a body":           func(conn *socket, head string) { conn.send("%sContent-Length: 100\r\n\r\nhalf", head) },
		"half a chunk":          func(conn *socket, head string) { conn.send("%sTransfer-Encoding: chunked\r\n\r\nff\r\nhalf", head) },
		"after a body":          func(conn *socket, head string) { conn.send("%sContent-Length: 4\r\n\r\nbody", head) },
		"half the next request": func(conn *socket, head string) { conn.send("%sContent-Length: 4\r\n\r\nbody%s", head, head[:20]) },
		"a dripping body": func(conn *socket, head string) {
			conn.send("%sContent-Length: 10000\r\n\r\n", head)
			for range 200 {
				if _, err := conn.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		},
	} {
		wg.Go(func() {
			t.Run(name, func(t *testing.T) {
				d := create(t, c, valid())
				conn, head := dialObjects(t, s, d.Files[0].UploadURL)
				send(conn, head)
				conn.cut()
				if strings.Contains(name, "body") && name != "after a body" {
					if a := c.Post("/documents/"+d.ID+"/convert", nil); a.Status != 400 {
						t.Errorf("half an upload counts as complete: %d %s", a.Status, a.Body)
					}
				}
			})
		})
	}
	wg.Go(func() {
		t.Run("no handshake", func(t *testing.T) {
			for _, addr := range []string{objectsHostOf(t, s), s.Probe()} {
				raw, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				defer raw.Close()
				_ = raw.SetDeadline(time.Now().Add(patience.Limit()))
				if _, err := raw.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("a silent connection to %s is still open", addr)
				}
			}
		})
	})
	wg.Wait()
	works(t, s, "after slow clients")
}

// TestSlowDownload requests a large file and does not read it. The server closes the
// connection before it has sent the whole file.
func TestSlowDownload(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"OBJECTS_STALL_TIMEOUT=1s", "OBJECTS_IDLE_TIMEOUT=1s"}})
	c := s.Client(t)
	const size = 64 << 20 // more than the buffers of both sockets
	d := upload(t, c, "a.bin", bytes.Repeat([]byte("x"), size))
	var got document
	c.Get("/documents/" + d.ID).OK(&got)
	for pause := 3 * time.Second; ; pause *= 2 {
		conn, head := dialObjects(t, s, got.Files[0].DownloadURL)
		conn.send("%s\r\n", strings.Replace(head, "PUT", "GET", 1))
		if line, err := conn.r.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("the response begins with %q, %v", line, err)
		}
		time.Sleep(pause) // only reading shows whether the server has closed the connection
		if n, _ := io.Copy(io.Discard, conn.r); n < size {
			return
		}
		if pause > patience.Limit() {
			t.Fatalf("a client that reads nothing for %s still gets the whole file", pause)
		}
	}
}

// TestSteadyUpload sends a body slowly, but above the minimum rate, for longer than any
// of the timeouts. It is stored.
func TestSteadyUpload(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"OBJECTS_STALL_TIMEOUT=3s", "OBJECTS_HEAD_TIMEOUT=3s", "OBJECTS_IDLE_TIMEOUT=3s"}})
	c := s.Client(t)
	const steps, size = 50, 1 << 10
	for range 5 {
		d := create(t, c, valid())
		conn, head := dialObjects(t, s, d.Files[0].UploadURL)
		conn.send("%sContent-Length: %d\r\n\r\n", head, steps*size)
		var longest time.Duration
		for range steps {
			begin := time.Now()
			time.Sleep(200 * time.Millisecond)
			conn.send("%s", strings.Repeat("x", size))
			longest = max(longest, time.Since(begin))
		}
		response, err := http.ReadResponse(conn.r, nil)
		if err == nil && response.StatusCode == http.StatusOK {
			return
		}
		if longest < 500*time.Millisecond {
			t.Fatalf("a steady upload is not stored: %v, %v", response, err)
		}
		t.Logf("this machine paused for %s; trying again", longest)
	}
	t.Error("this machine is too busy to send steadily")
}

// TestConnectionsPerAddress checks the limit on connections from one address. A new
// connection displaces an idle one; if uploads are in progress on all of them, it is
// closed at once.
func TestConnectionsPerAddress(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{
		"OBJECTS_CONNECTIONS_PER_ADDRESS=6", "OBJECTS_TRUSTED_NETWORKS=192.0.2.0/24", "OBJECTS_STALL_TIMEOUT=10m",
	}})
	c := s.Client(t)
	release := hold(t, s, objectsHostOf(t, s), 20)
	works(t, s, "with idle connections from one address")
	release()
	refused := func() float64 { return metric(t, s, `recto_connections_refused_total{listener="objects"}`) }
	var conns []net.Conn
	for deadline := time.Now().Add(patience.Limit()); refused() == 0; {
		if time.Now().After(deadline) {
			t.Fatal("the connections of one address are not limited")
		}
		u, err := url.Parse(create(t, c, valid()).Files[0].UploadURL)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := tls.Dial("tcp", u.Host, s.TLS())
		if err != nil {
			continue // refused
		}
		conns = append(conns, conn)
		_, _ = fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\nhalf", u.RequestURI(), u.Host)
		if len(conns) > 100 {
			t.Fatalf("one address has %d connections, the limit is 6", len(conns))
		}
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
	eventuallyUploads(t, s)
}

// eventuallyUploads waits until uploads work again.
func eventuallyUploads(t *testing.T, s *harness.System) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: s.TLS(), DisableKeepAlives: true}}
	for deadline := time.Now().Add(patience.Limit()); ; time.Sleep(50 * time.Millisecond) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, create(t, s.Client(t), valid()).Files[0].UploadURL, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("uploads still fail: %v", err)
		}
	}
}

// TestOtherLengthHeaders sends chunked bodies with other headers whose name or value
// contains Content-Length.
func TestOtherLengthHeaders(t *testing.T) {
	c := shared.NewClient(t)
	body := `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`
	for _, line := range []string{"X-Original-Content-Length: 5", "x-original-content-length: 500000000", "X-Note: content-length: 5"} {
		s := dial(t, shared)
		s.send("POST /v2/documents HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\n%s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", c.Key, line, len(body), body)
		if r := s.answer(); r.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", line, r.StatusCode)
		}
	}
}
