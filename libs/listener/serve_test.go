package listener_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/listener"
	"github.com/rectohq/recto/libs/testkit/patience"
)

var deadlines = listener.Deadlines{Head: 5 * time.Second, Idle: time.Minute, Stall: 30 * time.Second}

// pipes is a listener whose connections are in-memory pipes, so that the clock of
// a synctest bubble advances while they wait.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

// serveInMemory serves h and returns a function that connects to it.
func serveInMemory(t *testing.T, h http.HandlerFunc) (dial func() net.Conn) {
	t.Helper()
	inner := make(pipes)
	l, _ := wrap(t, inner, listener.Options{Max: 10, Stall: deadlines.Stall})
	server := listener.Server(h, deadlines, slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		close(inner)
		_ = server.Close()
		<-served
	})
	return func() net.Conn {
		client, peer := net.Pipe()
		inner <- peer
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
}

// drain reads a request's body and responds with its size.
func drain(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		w.WriteHeader(http.StatusRequestTimeout)
	}
	fmt.Fprint(w, n)
}

// cutAfter reads until the server closes the connection. It returns what the
// server sent, and how long after begin the connection ended.
func cutAfter(t *testing.T, c net.Conn, begin time.Time) (sent string, after time.Duration) {
	t.Helper()
	_ = c.SetReadDeadline(begin.Add(time.Hour))
	text, err := io.ReadAll(c)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the server did not close the connection")
	}
	return string(text), time.Since(begin)
}

// TestSilence shows that the server closes a connection whose client falls silent,
// in every state that a client can bring it into. Times are by the synctest clock.
func TestSilence(t *testing.T) {
	request := "PUT / HTTP/1.1\r\nHost: x\r\n"
	for name, tc := range map[string]struct {
		send   string
		within time.Duration
	}{
		"nothing":            {"", 6 * time.Second},
		"half a head":        {"PUT / HT", 6 * time.Second},
		"no body":            {request + "Content-Length: 100\r\n\r\n", 31 * time.Second},
		"half a body":        {request + "Content-Length: 100\r\n\r\nhalf", 31 * time.Second},
		"half a chunk":       {request + "Transfer-Encoding: chunked\r\n\r\nff\r\nhalf", 31 * time.Second},
		"an idle connection": {request + "Content-Length: 4\r\n\r\nbody", 61 * time.Second},
		"half the next head": {request + "Content-Length: 4\r\n\r\nbodyPUT", 61 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := serveInMemory(t, drain)
				begin := time.Now()
				c := dial()
				go func() { _, _ = io.WriteString(c, tc.send) }()
				if _, after := cutAfter(t, c, begin); after > tc.within {
					t.Errorf("closed after %s, want within %s", after, tc.within)
				}
			})
		})
	}
}

// TestUnreadBody shows that the server closes a connection whose client withholds a body
// that the handler does not read.
func TestUnreadBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := serveInMemory(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
		begin := time.Now()
		c := dial()
		go func() { _, _ = io.WriteString(c, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf") }()
		if sent, after := cutAfter(t, c, begin); after > 31*time.Second || !strings.Contains(sent, "403") {
			t.Errorf("closed after %s, sent %q; want a 403 within 31s", after, sent)
		}
	})
}

// TestRates shows that clients that send or read above the rate finish, and slower ones do not.
func TestRates(t *testing.T) {
	const size, step = 200 << 10, 2 << 10
	for name, tc := range map[string]struct {
		pause time.Duration // between steps
		whole bool
	}{
		"above the rate": {1900 * time.Millisecond, true},
		"below the rate": {2100 * time.Millisecond, false},
	} {
		t.Run("sending "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := serveInMemory(t, drain)
				c := dial()
				var sender sync.WaitGroup
				sender.Go(func() {
					fmt.Fprintf(c, "PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", size)
					for range size / step {
						if _, err := c.Write(bytes.Repeat([]byte("x"), step)); err != nil {
							return
						}
						time.Sleep(tc.pause)
					}
				})
				sent, _ := cutAfter(t, c, time.Now())
				sender.Wait()
				if whole := strings.HasSuffix(sent, fmt.Sprint(size)); whole != tc.whole {
					t.Errorf("complete is %t, want %t; response: %q", whole, tc.whole, sent)
				}
			})
		})
		t.Run("reading "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := serveInMemory(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Length", fmt.Sprint(size))
					time.Sleep(time.Hour) // a slow server does not count against the client
					_, _ = w.Write(make([]byte, size))
				})
				c := dial()
				go func() { _, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") }()
				got := 0
				buffer := make([]byte, step)
				for {
					n, err := c.Read(buffer)
					got += n
					if err != nil {
						break
					}
					time.Sleep(tc.pause * time.Duration(n) / step)
				}
				if whole := got >= size; whole != tc.whole {
					t.Errorf("read %d of %d bytes, want complete: %t", got, size, tc.whole)
				}
			})
		})
	}
}

// TestServerDeadlineHolds shows that the server's own write deadline applies if it
// is earlier than the one for slow readers.
func TestServerDeadlineHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := make(pipes, 1)
		l, _ := wrap(t, inner, listener.Options{Max: 1, Stall: 30 * time.Second})
		client, peer := net.Pipe()
		defer client.Close()
		inner <- peer
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		begin := time.Now()
		_ = c.SetDeadline(begin.Add(time.Second))
		if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) > 2*time.Second {
			t.Errorf("the write ended after %s with %v", time.Since(begin), err)
		}
		_ = c.SetDeadline(time.Time{})
		if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begin) < 30*time.Second {
			t.Errorf("without a deadline, the write ended after %s with %v", time.Since(begin), err)
		}
	})
}

// TestHandshakeIsBounded shows that connections without a TLS handshake are closed,
// and that one with a handshake is served.
func TestHandshakeIsBounded(t *testing.T) {
	l, metrics := open(t, listener.Options{Max: 4, Stall: time.Minute})
	certified := httptest.NewUnstartedServer(http.HandlerFunc(drain))
	certified.StartTLS() // only for its certificate
	defer certified.Close()
	short := deadlines
	short.Head = 100 * time.Millisecond
	server := listener.Server(http.HandlerFunc(drain), short, slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- server.Serve(tls.NewListener(l, certified.TLS)) }()
	defer func() {
		_ = server.Close()
		<-served
	}()
	for range 3 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := bufio.NewReader(c).ReadByte(); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("a connection without a handshake was not closed")
		}
	}
	client := certified.Client()
	defer client.CloseIdleConnections()
	patience.Until(t, "a handshake is in time", func() bool { // on a busy machine, one may take too long
		response, err := client.Post("https://"+l.Addr().String(), "", strings.NewReader("body"))
		if err != nil {
			return false
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if string(body) != "4" {
			t.Errorf("got the response %q, want \"4\"", body)
		}
		return true
	})
	holds(t, metrics, "recto_connections 1")
}

// TestManyIdleConnections opens more connections than allowed to a TLS server, and
// shows that requests sent meanwhile are all answered.
func TestManyIdleConnections(t *testing.T) {
	l, metrics := open(t, listener.Options{Max: 20})
	certified := httptest.NewUnstartedServer(http.HandlerFunc(drain))
	certified.StartTLS()
	defer certified.Close()
	server := listener.Server(http.HandlerFunc(drain), deadlines, slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- server.Serve(tls.NewListener(l, certified.TLS)) }()
	defer func() {
		_ = server.Close()
		<-served
	}()
	client := certified.Client()
	defer client.CloseIdleConnections()
	for i := range 100 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if i%10 != 9 {
			continue
		}
		client.CloseIdleConnections() // the next request takes a new connection
		response, err := client.Post("https://"+l.Addr().String(), "", strings.NewReader("body"))
		if err != nil {
			t.Fatalf("with %d idle connections: %v", i+1, err)
		}
		_ = response.Body.Close()
		if err := l.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
	within(t, func() bool { return l.Check(t.Context()) == nil })
	holds(t, metrics, "recto_connections_refused_total 0")
}

// TestBodyAfterItsRequest reads a body from two goroutines, and again after the
// handler has returned, as the transport of a proxy may. The late read must not
// take bytes of the next request on the connection.
func TestBodyAfterItsRequest(t *testing.T) {
	var left io.Reader
	dial := serveInMemory(t, func(w http.ResponseWriter, r *http.Request) {
		if left != nil {
			if n, err := left.Read(make([]byte, 1)); n != 0 || !errors.Is(err, http.ErrBodyReadAfterClose) {
				t.Errorf("late read of the previous body: got %d bytes, %v", n, err)
			}
		}
		left = r.Body
		var readers sync.WaitGroup
		var read atomic.Int64
		for range 2 {
			readers.Go(func() {
				n, _ := io.Copy(io.Discard, r.Body)
				read.Add(n)
			})
		}
		readers.Wait()
		fmt.Fprint(w, read.Load())
	})
	begin := time.Now()
	c := dial()
	go func() {
		const request = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
		_, _ = io.WriteString(c, request+"\r\nbody"+request+"Connection: close\r\n\r\nbody")
	}()
	if sent, _ := cutAfter(t, c, begin); strings.Count(sent, "\r\n\r\n4") != 2 {
		t.Errorf("got the responses %q", sent)
	}
}
