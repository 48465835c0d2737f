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
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// socket is a TLS connection for requests that no HTTP library would send.
type socket struct {
	*tls.Conn
	r *bufio.Reader
	t *testing.T
}

func host(s *harness.System) string {
	u, _ := url.Parse(s.BaseURL) // valid: the program wrote it
	return u.Host
}

func dial(t *testing.T, s *harness.System) *socket {
	t.Helper()
	conn, err := tls.Dial("tcp", host(s), s.TLS())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience.Limit()))
	return &socket{conn, bufio.NewReader(conn), t}
}

func (s *socket) send(format string, args ...any) {
	s.t.Helper()
	if _, err := fmt.Fprintf(s, format, args...); err != nil {
		s.t.Logf("send: %v", err) // the server may have closed the connection
	}
}

// answer reads one response.
func (s *socket) answer() *http.Response {
	s.t.Helper()
	response, err := http.ReadResponse(s.r, nil)
	if err != nil {
		s.t.Fatalf("read the response: %v", err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatalf("read the body of the response: %v", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response
}

// fails reads a response and fails the test unless it is an error with the status and
// code.
func (s *socket) fails(status, code int) *http.Response {
	s.t.Helper()
	response := s.answer()
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != status || !bytes.Contains(body, fmt.Appendf(nil, `"code":%d,`, code)) {
		s.t.Fatalf("got %d %s, want %d/%d", response.StatusCode, body, status, code)
	}
	return response
}

// ended fails the test unless the connection ends without another byte.
func (s *socket) ended() {
	s.t.Helper()
	rest, err := io.ReadAll(s.r)
	if len(rest) > 0 || err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.ErrUnexpectedEOF) {
		s.t.Errorf("the response is followed by %q, %v", rest, err)
	}
}

// TestUnreadBodiesAreNotRequests sends requests that are refused and whose bodies contain
// another request. That request must never be served.
func TestUnreadBodiesAreNotRequests(t *testing.T) {
	c := shared.NewClient(t)
	limited := shared.NewClient(t, "--scopes", "insights")
	exhausted := shared.NewClient(t, "--rate", "1/min")
	exhausted.Get("/me").OK(nil)
	smuggled := fmt.Sprintf("GET /v2/me HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\n\r\n", c.Key)
	for _, refusal := range []struct {
		name, method, path, key string
		status, code            int
	}{
		{"no key", "POST", "/v2/documents", "", 401, 2001},
		{"an invalid key", "POST", "/v2/documents", "rk_live_x", 403, 2002},
		{"no scope", "POST", "/v2/documents", limited.Key, 403, 2004},
		{"too many requests", "POST", "/v2/documents", exhausted.Key, 429, 2003},
		{"no route", "POST", "/v2/nothing", c.Key, 404, 1001},
		{"no method", "DELETE", "/v2/documents", c.Key, 405, 1002},
		{"an unknown method", "FROBNICATE", "/v2/documents", c.Key, 405, 1002},
		{"a content encoding", "POST", "/v2/documents", c.Key + "\r\nContent-Encoding: gzip", 400, 3001},
	} {
		for _, padding := range []int{0, 5000, 9000, 300_000} {
			body := strings.Repeat(" ", padding) + smuggled
			t.Run(fmt.Sprintf("%s/length %d", refusal.name, len(body)), func(t *testing.T) {
				s := dial(t, shared)
				s.send("%s %s HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Length: %d\r\n\r\n%s", refusal.method, refusal.path, refusal.key, len(body), body)
				if s.fails(refusal.status, refusal.code).Close {
					s.ended()
					return
				}
				// On a kept connection the next response must be that to the next request.
				s.send("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
				if r := s.answer(); r.StatusCode != 200 || r.Header.Get("RateLimit") != "" {
					t.Errorf("the next response is %d %v", r.StatusCode, r.Header)
				}
				s.ended()
			})
			t.Run(fmt.Sprintf("%s/chunked %d", refusal.name, len(body)), func(t *testing.T) {
				s := dial(t, shared)
				s.send("%s %s HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n%s",
					refusal.method, refusal.path, refusal.key, len(body), body, smuggled)
				if !s.fails(refusal.status, refusal.code).Close {
					t.Error("the connection is kept although a body of unknown length is unread")
				}
				s.ended()
			})
		}
	}
}

// TestIgnoredBodies sends bodies with requests that do not need one.
func TestIgnoredBodies(t *testing.T) {
	c := shared.NewClient(t)
	s := dial(t, shared)
	for range 3 {
		s.send("GET /v2/me HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Length: 5\r\n\r\nhello", c.Key)
		if r := s.answer(); r.StatusCode != 200 || r.Close {
			t.Fatalf("got %d, close %v", r.StatusCode, r.Close)
		}
	}
	s.send("GET /v2/me HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", c.Key)
	if r := s.answer(); r.StatusCode != 200 || !r.Close {
		t.Errorf("got %d, close %v", r.StatusCode, r.Close)
	}
	s.ended()
}

// TestAnswerArrivesWhileTheBodyIsSent checks that a client that is still sending its body
// gets the response that refuses its request, not a broken pipe.
func TestAnswerArrivesWhileTheBodyIsSent(t *testing.T) {
	for range 5 {
		s := dial(t, shared)
		const size = 40 << 20
		s.send("POST /v2/documents HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
		chunk := bytes.Repeat([]byte("x"), 1<<20)
		for range size / len(chunk) {
			if _, err := s.Write(chunk); err != nil {
				t.Fatalf("the connection broke while the body was sent: %v", err)
			}
		}
		s.fails(401, 2001)
	}
}

// memory returns the peak resident memory of the system's process, in bytes.
func memory(t *testing.T, s *harness.System) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID(t)))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(kib), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

// TestHugeBodies sends bodies of 1 GiB, with Content-Length and chunked. The peak memory of
// the process must not grow with them.
func TestHugeBodies(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited"})
	c := s.Client(t)
	c.Post("/documents", valid()).OK(nil)
	const gib = 1 << 30
	chunk := bytes.Repeat([]byte("A"), 1<<20)
	before := memory(t, s)
	for _, path := range []string{"/v2/documents", "/v2/documents/convert", "/v2/documents/doc_x/annotate", "/v2/insights", "/v2/nothing"} {
		conn := dial(t, s)
		conn.send("POST %s HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Length: %d\r\n\r\n", path, c.Key, gib)
		for range gib / len(chunk) {
			if _, err := conn.Write(chunk); err != nil {
				break
			}
		}
		response := conn.answer()
		if want := map[string]int{"/v2/documents": 413, "/v2/documents/convert": 413, "/v2/documents/doc_x/annotate": 413, "/v2/insights": 413, "/v2/nothing": 404}[path]; response.StatusCode != want {
			t.Errorf("%s returns %d, want %d", path, response.StatusCode, want)
		}
	}
	grown := memory(t, s) - before
	t.Logf("bodies of 1 GiB with Content-Length: peak memory grew by %d MiB", grown>>20)
	if grown > 32<<20 {
		t.Errorf("bodies of 1 GiB with Content-Length used %d MiB, the limit is 32 MiB", grown>>20)
	}
	const limit = 64 << 20
	for _, path := range []string{"/v2/documents", "/v2/documents/convert", "/v2/insights"} {
		conn := dial(t, s)
		conn.send("POST %s HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nTransfer-Encoding: chunked\r\n\r\n", path, c.Key)
		for range gib / len(chunk) {
			if _, err := fmt.Fprintf(conn, "%x\r\n%s\r\n", len(chunk), chunk); err != nil {
				break
			}
		}
		conn.fails(413, 3004)
	}
	// A body is held in memory until it exceeds the limit, and Go's garbage collector may
	// let that memory double.
	grown = memory(t, s) - before
	t.Logf("chunked bodies of 1 GiB: peak memory grew by %d MiB", grown>>20)
	if grown > 5*limit {
		t.Errorf("chunked bodies of 1 GiB used %d MiB, the limit is %d MiB", grown>>20, 5*limit>>20)
	}
}

// TestSlowClients sends heads and bodies slowly or not at all. The server closes such
// connections.
func TestSlowClients(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"GATEWAY_READ_TIMEOUT=2s"}})
	c := s.Client(t)
	head := fmt.Sprintf("POST /v2/documents HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\n", c.Key)
	drip := func(conn *socket, text string) {
		for i := range text {
			if _, err := conn.Write([]byte(text[i : i+1])); err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	var wg sync.WaitGroup
	for name, send := range map[string]func(*socket){
		"no head":           func(*socket) {},
		"half a head":       func(conn *socket) { conn.send("POST /v2/doc") },
		"a dripping head":   func(conn *socket) { drip(conn, head+strings.Repeat("x", 1000)) },
		"no body":           func(conn *socket) { conn.send("%sContent-Length: 100\r\n\r\n", head) },
		"half a body":       func(conn *socket) { conn.send("%sContent-Length: 100\r\n\r\n{", head) },
		"half a large body": func(conn *socket) { conn.send("%sContent-Length: 100000\r\n\r\n%s", head, strings.Repeat(" ", 50_000)) },
		"no chunk":          func(conn *socket) { conn.send("%sTransfer-Encoding: chunked\r\n\r\n", head) },
		"half a chunk":      func(conn *socket) { conn.send("%sTransfer-Encoding: chunked\r\n\r\nff\r\n{", head) },
		"a dripping large body": func(conn *socket) {
			conn.send("%sContent-Length: 100000\r\n\r\n%s", head, strings.Repeat(" ", 10_000))
			drip(conn, strings.Repeat(" ", 1000))
		},
		"dripping chunks": func(conn *socket) {
			conn.send("%sTransfer-Encoding: chunked\r\n\r\n", head)
			drip(conn, strings.Repeat("1\r\n \r\n", 200))
		},
		"a body after continue": func(conn *socket) { conn.send("%sExpect: 100-continue\r\nContent-Length: 100\r\n\r\n", head) },
	} {
		wg.Go(func() {
			t.Run(name, func(t *testing.T) {
				conn := dial(t, s)
				send(conn)
				rest, err := io.ReadAll(conn.r)
				var timeout net.Error
				if errors.As(err, &timeout) && timeout.Timeout() {
					t.Error("the connection is still open")
				}
				if bytes.Contains(rest, []byte(" 200 OK")) || name == "no head" && len(rest) > 0 {
					t.Errorf("the response is %q", rest)
				}
			})
		})
	}
	wg.Wait()
	c.Get("/me").OK(nil)
}

// TestKeyComesBeforeWithheldBodies announces bodies without sending them. A request
// with an invalid key, or with a body that is too large, is still refused.
func TestKeyComesBeforeWithheldBodies(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"GATEWAY_READ_TIMEOUT=2s"}})
	for _, tc := range []struct {
		key          string
		size         int64
		status, code int
	}{
		{"", 50, 401, 2001}, {"bad", 50, 403, 2002}, {"bad", 500_000_000, 403, 2002},
		{s.APIKey, 500_000_000, 413, 3004}, {s.APIKey, 50, 400, 3001},
	} {
		conn := dial(t, s)
		header := ""
		if tc.key != "" {
			header = "x-api-key: " + tc.key + "\r\n"
		}
		conn.send("POST /v2/documents HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n", header, tc.size)
		conn.fails(tc.status, tc.code)
	}
}

// TestExpect checks that "100 Continue" is sent only for requests whose body will be read.
func TestExpect(t *testing.T) {
	c := shared.NewClient(t)
	body := `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`
	s := dial(t, shared)
	for range 2 { // twice on the same connection
		s.send("POST /v2/documents HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", c.Key, len(body))
		if line, err := s.r.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
			t.Fatalf("got %q, %v", line, err)
		}
		_, _ = s.r.ReadString('\n')
		s.send("%s", body)
		if r := s.answer(); r.StatusCode != 200 {
			t.Fatalf("got %d", r.StatusCode)
		}
	}
	counted := shared.NewClient(t, "--rate", "10/min")
	s = dial(t, shared)
	s.send("POST /v2/documents HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n%s", counted.Key, len(body), body)
	_, _ = s.r.ReadString('\n')
	_, _ = s.r.ReadString('\n')
	if r := s.answer(); !strings.HasPrefix(r.Header.Get("RateLimit"), `"default";r=9;`) {
		t.Errorf("RateLimit is %s", r.Header.Get("RateLimit"))
	}
	for _, tc := range []struct {
		key          string
		length       int
		status, code int
	}{
		{"", 10, 401, 2001}, {"rk_live_x", 10, 403, 2002}, {c.Key, 1 << 40, 413, 3004},
	} {
		s := dial(t, shared)
		s.send("POST /v2/documents HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", tc.key, tc.length)
		r := s.fails(tc.status, tc.code)
		if r.Header.Get("X-Request-Id") == "" || !r.Close {
			t.Errorf("the response has the headers %v", r.Header)
		}
		s.ended()
	}
}

// TestKeysDoNotAlias sends requests with different keys over the same connection and over
// several at once. Each response belongs to the key of its request.
func TestKeysDoNotAlias(t *testing.T) {
	var clients []*harness.Client
	for range 4 {
		clients = append(clients, shared.NewClient(t))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := dial(t, shared)
			for i := range 400 {
				c := clients[i%len(clients)]
				s.send("GET /v2/me HTTP/1.1\r\nHost: x\r\nX-Padding: %s\r\nx-api-key: %s\r\nX-Request-Id: id-%d\r\n\r\n", strings.Repeat("y", i%50), c.Key, i)
				r := s.answer()
				body, _ := io.ReadAll(r.Body)
				if !bytes.Contains(body, []byte(c.OrganizationID)) || r.Header.Get("X-Request-Id") != fmt.Sprintf("id-%d", i) {
					t.Errorf("the key of %s got %s, id %s", c.OrganizationID, body, r.Header.Get("X-Request-Id"))
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestPipelining sends several requests before it reads the responses.
func TestPipelining(t *testing.T) {
	c := shared.NewClient(t)
	s := dial(t, shared)
	body := `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`
	for range 3 {
		s.send("POST /v2/documents HTTP/1.1\r\nHost: x\r\nx-api-key: %[1]s\r\nContent-Length: %[2]d\r\n\r\n%[3]sGET /v2/documents HTTP/1.1\r\nHost: x\r\nx-api-key: %[1]s\r\n\r\n", c.Key, len(body), body)
	}
	for i := range 6 {
		if r := s.answer(); r.StatusCode != 200 {
			t.Errorf("response %d has status %d", i, r.StatusCode)
		}
	}
	var l list
	if c.Get("/documents").OK(&l); l.Total != 3 {
		t.Errorf("%d documents were created, want 3", l.Total)
	}
}

// TestMalformedHTTP sends malformed requests, and requests that are ambiguous about the end
// of their body.
func TestMalformedHTTP(t *testing.T) {
	c := shared.NewClient(t)
	key := "x-api-key: " + c.Key + "\r\n"
	for name, request := range map[string]string{
		"garbage":             "\x00\x01\x02\r\n\r\n",
		"no version":          "GET /v2/me\r\n\r\n",
		"two lengths":         "POST /v2/documents HTTP/1.1\r\nHost: x\r\n" + key + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
		"a negative length":   "POST /v2/documents HTTP/1.1\r\nHost: x\r\n" + key + "Content-Length: -5\r\n\r\nhello",
		"a length of words":   "POST /v2/documents HTTP/1.1\r\nHost: x\r\n" + key + "Content-Length: five\r\n\r\nhello",
		"length and chunked":  "POST /v2/documents HTTP/1.1\r\nHost: x\r\n" + key + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"a bad chunk":         "POST /v2/documents HTTP/1.1\r\nHost: x\r\n" + key + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
		"another encoding":    "POST /v2/documents HTTP/1.1\r\nHost: x\r\n" + key + "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"a space in a header": "GET /v2/me HTTP/1.1\r\nHost: x\r\nx-api-key : " + c.Key + "\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := dial(t, shared)
			s.send("%s", request)
			r := s.answer()
			body, _ := io.ReadAll(r.Body)
			if r.StatusCode < 400 || r.StatusCode >= 500 || r.Header.Get("Content-Type") != "application/json" || !bytes.Contains(body, []byte(`"code":`)) {
				t.Errorf("the response is %d %s: %s", r.StatusCode, r.Header.Get("Content-Type"), body)
			}
			s.ended()
		})
	}
	s := dial(t, shared)
	s.send("GET /v2/documents/%%zz HTTP/1.1\r\nHost: x\r\n%s\r\n", key)
	s.fails(404, 4001)
	s.send("GET https://other.example/v2/me HTTP/1.1\r\nHost: x\r\n%s\r\n", key)
	if r := s.answer(); r.StatusCode != 200 {
		t.Errorf("a request in absolute form returns %d", r.StatusCode)
	}
	s.send("GET /v2/me HTTP/1.0\r\n%s\r\n", key)
	if r := s.answer(); r.StatusCode != 200 || !r.Close {
		t.Errorf("HTTP/1.0 returns %d, close %v", r.StatusCode, r.Close)
	}
}

// TestPlainHTTP sends plain HTTP to the HTTPS port.
func TestPlainHTTP(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+host(shared)+"/v2/me", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("x-api-key", shared.APIKey)
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != 426 || err != nil || method != "HEAD" && !bytes.Contains(body, []byte(`"code":1003`)) || response.Header.Get("Upgrade") == "" {
			t.Errorf("%s returns %d %s, %v", method, response.StatusCode, body, err)
		}
	}
}

// TestTLSVersions checks that versions older than TLS 1.2 are refused.
func TestTLSVersions(t *testing.T) {
	config := shared.TLS()
	config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	if conn, err := tls.Dial("tcp", host(shared), config); err == nil {
		_ = conn.Close()
		t.Error("TLS 1.1 is accepted")
	}
}
