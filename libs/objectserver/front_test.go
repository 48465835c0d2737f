package objectserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/objectserver"
)

// addr is where the server of this process listens, after TestMain.
var addr string

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run runs the tests beside a server, of which there can be one per process.
func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "objectserver-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	addr = ln.Addr().String()
	_ = ln.Close()
	server, err := objectserver.Start(context.Background(), objectserver.Config{
		Dir: dir, Addr: addr, Region: "us-east-1", AccessKey: "access", SecretKey: "a secret of tests",
	})
	if err != nil {
		return 0, err
	}
	code := m.Run()
	return code, server.Stop()
}

// exchange sends raw bytes over a connection of its own and returns what comes
// back until the server closes it, or the answers asked for have come.
func exchange(t *testing.T, raw string, answers int) []*http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(conn, raw) }()
	var got []*http.Response
	reader := bufio.NewReader(conn)
	for len(got) < answers {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			break
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		response.Body = io.NopCloser(strings.NewReader(string(body)))
		got = append(got, response)
	}
	return got
}

// TestRefusedBodyIsNoRequest sends requests that are refused, whose bodies look
// like requests: neither the client's connection nor one to versitygw, which the
// next client may get, takes them for that.
func TestRefusedBodyIsNoRequest(t *testing.T) {
	inner := "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	next := "GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	chunked := fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(inner), inner)
	counted := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(inner), inner)
	for name, body := range map[string]string{"chunked": chunked, "counted": counted} {
		for _, method := range []string{http.MethodPut, http.MethodPost, http.MethodGet, http.MethodDelete} {
			t.Run(name+" "+method, func(t *testing.T) {
				for range 5 {
					for i, response := range exchange(t, method+" /bucket/key HTTP/1.1\r\nHost: x\r\n"+body+next, 3) {
						text, _ := io.ReadAll(response.Body)
						if response.StatusCode < 400 || strings.Contains(string(text), "smuggled") {
							t.Errorf("answer %d is %d %s", i+1, response.StatusCode, text)
						}
						if i > 1 {
							t.Errorf("two requests have %d answers", i+1)
						}
					}
				}
			})
		}
	}
}
