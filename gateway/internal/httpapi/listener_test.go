package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/gateway/internal/httpapi"
	"github.com/rectohq/recto/libs/bus/bustest"
	"github.com/rectohq/recto/libs/config"
)

// forward sends a request with exactly the given header lines, as a proxy does, and returns
// the status.
func (g *gateway) forward(t *testing.T, path string, lines ...string) int {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n\r\n", path, strings.Join(lines, "\r\n")); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// TestForwardedProtocol checks that a client cannot fake X-Forwarded-Proto: only the value
// that the proxy appends counts.
func TestForwardedProtocol(t *testing.T) {
	g := serve(t)
	const proto = "X-Forwarded-Proto: "
	for _, tc := range []struct {
		lines string
		want  int
	}{
		{proto + "https", 200}, {proto + "http", 426}, {"", 426},
		{proto + "https\n" + proto + "http", 426}, {proto + "http\n" + proto + "https", 200},
		{proto + "https, http", 426}, {proto + "http, https", 200}, {proto + "http,https \n" + proto + " https", 200},
		{proto + "https\n" + proto, 426}, {proto + "https,", 426},
		{proto + "https, https\n" + proto + "http\nX-Forwarded-For: 198.51.100.1, 10.0.0.1", 426},
		{"x-forwarded-PROTO: https\n" + proto + "http", 426},
	} {
		lines := append([]string{"x-api-key: " + g.key}, strings.Split(tc.lines, "\n")...)
		if tc.lines == "" {
			lines = lines[:1]
		}
		if got := g.forward(t, "/v2/me", lines...); got != tc.want {
			t.Errorf("%q: %d, want %d", tc.lines, got, tc.want)
		}
	}
}

// TestForwardedAddresses checks that a client cannot escape the limit for failed keys with a
// fake X-Forwarded-For, whether proxies append to its line or add a line.
func TestForwardedAddresses(t *testing.T) {
	g := serve(t, "GATEWAY_FAILED_KEYS=2")
	const header = "X-Forwarded-For: "
	for i, tc := range []struct {
		lines string
		want  int
	}{
		{header + "198.51.100.1", 403},
		{header + "1.1.1.1\n" + header + "198.51.100.1", 403},
		{header + "1.1.1.2\n" + header + "198.51.100.1", 429},
		{header + "1.1.1.3, 1.1.1.4\n" + header + "1.1.1.5\n" + header + "198.51.100.1, 10.1.1.1\n" + header + "10.0.0.2", 429},
		{header + "10.0.0.1\n" + header + "198.51.100.1", 429},
		{header + "\n" + header + "198.51.100.1", 429},
		{header + "198.51.100.1\n" + header + "198.51.100.2", 403},
	} {
		lines := append(strings.Split(tc.lines, "\n"), "x-api-key: x", "X-Forwarded-Proto: https")
		if got := g.forward(t, "/v2/me", lines...); got != tc.want {
			t.Errorf("request %d, %q: %d, want %d", i, tc.lines, got, tc.want)
		}
	}
}

// failing is a listener whose Accept first fails once with each error.
type failing struct {
	net.Listener
	errs []syscall.Errno
}

func (f *failing) Accept() (net.Conn, error) {
	if len(f.errs) == 0 {
		return f.Listener.Accept()
	}
	err := f.errs[0]
	f.errs = f.errs[1:]
	return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
}

// serveFailing serves on a listener that fails. It returns the address, and a channel for
// the result of Serve.
func serveFailing(t *testing.T, errs ...syscall.Errno) (addr string, ended <-chan error) {
	t.Helper()
	var cfg httpapi.Config
	if err := config.Load([]string{"GATEWAY_TLS=proxy", "GATEWAY_TRUSTED_PROXIES=127.0.0.0/8", "GATEWAY_DRAIN_DELAY=0s"}, "", &cfg); err != nil {
		t.Fatal(err)
	}
	server, err := httpapi.New(cfg, httpapi.Deps{Telemetry: fresh(t), Bus: bustest.Connect(t, bustest.Server(t), "gateway")})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done, stopped := make(chan error, 1), make(chan error, 1)
	go func() {
		err := server.Serve(ctx, &failing{ln, errs})
		done <- err
		stopped <- err
	}()
	t.Cleanup(func() {
		cancel()
		<-stopped
		_ = ln.Close()
	})
	return ln.Addr().String(), done
}

// TestListenerSurvives lets Accept fail repeatedly with temporary errors, such as a lack of
// file descriptors.
func TestListenerSurvives(t *testing.T) {
	addr, ended := serveFailing(t, syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ECONNABORTED, syscall.EMFILE)
	response, err := http.Get("http://" + addr + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	_ = response.Body.Close()
	select {
	case err := <-ended:
		t.Errorf("Serve has returned: %v", err)
	default:
	}
}

// TestListenerDies lets Accept fail permanently. Serve returns an error, which ends the
// process.
func TestListenerDies(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EBADF, syscall.EINVAL} {
		_, ended := serveFailing(t, errno)
		if err := <-ended; !errors.Is(err, errno) || !strings.Contains(err.Error(), "the API listener failed") {
			t.Errorf("Serve = %v", err)
		}
	}
}

// TestIdleConnectionsMakeRoom opens more connections than the limit. Requests on new
// connections still succeed, and the gateway stays ready.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	g := serve(t, "GATEWAY_MAX_CONNECTIONS=16")
	addr := strings.TrimPrefix(g.url, "http://")
	for i := range 60 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if i%2 == 0 { // idle after a request
			if _, err := io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
				t.Fatalf("request on connection %d: %v", i, err)
			}
		}
		if i%10 == 9 {
			for _, path := range []string{"/v2/me", "/readyz"} {
				if status, body := g.get(t, path); status != 200 {
					t.Errorf("with %d idle connections, %s: %d %s", i+1, path, status, body)
				}
			}
		}
	}
}

// TestBusyConnectionsStay opens idle connections while requests are in progress. The idle
// connections replace each other, and the requests succeed.
func TestBusyConnectionsStay(t *testing.T) {
	g, s := serveAll(t, "GATEWAY_MAX_CONNECTIONS=3")
	wait := make(chan struct{})
	s.set(func(s *services) { s.wait = wait })
	answered := make(chan reply, 2)
	for range 2 {
		go func() { answered <- g.post(t, "/v2/documents", newDocument) }()
	}
	for asked := false; !asked; time.Sleep(time.Millisecond) {
		s.set(func(s *services) { asked = len(s.creates) == 2 })
	}
	for range 10 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	if status, body := g.get(t, "/readyz"); status != 200 {
		t.Errorf("/readyz: %d %s", status, body)
	}
	close(wait)
	for range 2 {
		(<-answered).is(t, 200, `"id":`, false)
	}
}

// TestOtherLengthHeaders sends chunked bodies with headers that contain "Content-Length" in
// their name or value. Only a real Content-Length is rejected.
func TestOtherLengthHeaders(t *testing.T) {
	g := serve(t)
	for line, want := range map[string]int{
		"X-Original-Content-Length: 5": 200, "X-Content-Length: 5": 200, "X-Note: content-length: 5": 200, "Content-Length-Hint: 5": 200,
		"content-length: 5": 400, "CONTENT-LENGTH: 5": 400, "Content-Length: 5\r\nX-Original-Content-Length: 5": 400,
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n%s\r\n\r\n5\r\nhello\r\n0\r\n\r\n", line)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if response.StatusCode != want {
			t.Errorf("%q: %d, want %d", line, response.StatusCode, want)
		}
		_ = conn.Close()
	}
}

// TestWholeURLAsTarget sends requests whose target is a whole URL. They get the same responses
// as requests for the path.
func TestWholeURLAsTarget(t *testing.T) {
	g := serve(t, "GATEWAY_MAX_BODY=2000", "GATEWAY_MAX_ANNOTATE_BODY=2000")
	form := "--b\r\nContent-Disposition: form-data; name=\"document\"\r\n\r\n" + strings.Repeat(" ", 3000) + "\r\n--b--\r\n"
	for _, tc := range []struct {
		target, header, body string
		status               int
		says                 string
	}{
		{"/v2/documents", "x-api-key: " + g.key + "\r\nContent-Type: multipart/form-data; boundary=b", form, 400, "The body is empty"},
		{"/v2/documents", "x-api-key: " + g.key, strings.Repeat(" ", 3000), 413, "exceeds the limit"},
		{"/v2/documents", "x-api-key: x", "{}", 403, "not valid"},
		{sessionPath, "Origin: " + ownOrigin, `{"api_key":"` + g.key + `"}`, 200, "organization"},
		{sessionPath, "Origin: " + ownOrigin, strings.Repeat(" ", 5000), 413, "exceeds the limit"},
	} {
		for _, target := range []string{tc.target, "https://recto.example" + tc.target} {
			conn, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: recto.example\r\nX-Forwarded-Proto: https\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n\r\n%s",
				target, len(tc.body), tc.header, tc.body)
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("%s: %v", target, err)
			}
			body, _ := io.ReadAll(response.Body)
			if response.StatusCode != tc.status || !strings.Contains(string(body), tc.says) {
				t.Errorf("%s with %.30q: %d %s; want %d", target, tc.body, response.StatusCode, body, tc.status)
			}
			_ = conn.Close()
		}
	}
}
