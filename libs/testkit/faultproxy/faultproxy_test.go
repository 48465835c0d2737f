package faultproxy_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/testkit/faultproxy"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a server that echoes what it receives, and records it.
type echo struct {
	addr string

	mu  sync.Mutex
	got bytes.Buffer
}

// start starts an echo server and a proxy to it. Both stop with the test.
func start(t *testing.T) (*echo, *faultproxy.Proxy) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{addr: ln.Addr().String()}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				_, _ = io.Copy(conn, io.TeeReader(conn, e))
			})
		}
	})
	p := faultproxy.New(e.addr)
	t.Cleanup(func() {
		p.Close()
		_ = ln.Close()
		serving.Wait()
	})
	return e, p
}

func (e *echo) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.got.Write(p)
}

// hears waits until the server has received the text.
func (e *echo) hears(t *testing.T, text string) {
	t.Helper()
	patience.Until(t, fmt.Sprintf("the server receives %q", text), func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return bytes.Contains(e.got.Bytes(), []byte(text))
	})
}

type client struct {
	*net.TCPConn
	t     *testing.T
	lines *bufio.Reader
}

func connect(t *testing.T, p *faultproxy.Proxy) *client {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	tcp, _ := conn.(*net.TCPConn)
	return &client{TCPConn: tcp, t: t, lines: bufio.NewReader(conn)}
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c, line); err != nil {
		c.t.Errorf("send %s: %v", line, err)
	}
}

// receives waits for the line want.
func (c *client) receives(want string) {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience.Limit()))
	if line, err := c.lines.ReadString('\n'); line != want+"\n" || err != nil {
		c.t.Errorf("received %q, %v; want %q", line, err, want)
	}
}

// silent checks that nothing arrives. It can only wait for a while.
func (c *client) silent() {
	c.t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if b, err := c.lines.Peek(1); !errors.Is(err, os.ErrDeadlineExceeded) {
		c.t.Errorf("received %q, %v; want nothing", b, err)
	}
}

func TestPass(t *testing.T) {
	_, p := start(t)
	c := connect(t, p)
	c.send("one")
	c.receives("one")
	var sending sync.WaitGroup
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	sending.Go(func() {
		_, err := c.Write(sent)
		if err := errors.Join(err, c.CloseWrite()); err != nil {
			t.Error(err)
		}
	})
	got, err := io.ReadAll(c.lines) // until the server closes its side too
	sending.Wait()
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("received %d bytes, %v; want %d", len(got), err, len(sent))
	}
	if n := p.Accepted(); n != 1 {
		t.Errorf("%d connections were accepted, want 1", n)
	}
}

func TestRefuse(t *testing.T) {
	_, p := start(t)
	before := connect(t, p)
	before.send("before")
	before.receives("before")
	for range 3 { // the proxy must come back on the same port
		p.Set(faultproxy.Refuse)
		if _, err := net.Dial("tcp", p.Addr()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial: %v", err)
		}
		before.send("still")
		before.receives("still")
		p.Set(faultproxy.None)
		c := connect(t, p)
		c.send("again")
		c.receives("again")
	}
	p.Cut()
	_ = before.SetReadDeadline(time.Now().Add(patience.Limit()))
	if _, err := before.lines.ReadByte(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read after Cut: got %v, want a reset", err)
	}
}

func TestStall(t *testing.T) {
	e, p := start(t)
	c := connect(t, p)
	c.send("one")
	c.receives("one")
	p.Set(faultproxy.Stall)
	c.send("two")
	c.silent()
	late := connect(t, p)
	late.send("three")
	late.silent()
	p.Set(faultproxy.None)
	c.receives("two")
	late.receives("three")
	e.hears(t, "two")
}

func TestHalfDead(t *testing.T) {
	e, p := start(t)
	c := connect(t, p)
	p.Set(faultproxy.HalfDead)
	c.send("one")
	e.hears(t, "one")
	c.silent()
	p.Set(faultproxy.None)
	c.receives("one")
}

func TestFreeze(t *testing.T) {
	_, p := start(t)
	c := connect(t, p)
	c.send("one")
	c.receives("one")
	p.Freeze()
	c.send("two")
	c.silent()
	p.Set(faultproxy.None)
	c.silent()
	other := connect(t, p)
	other.send("three")
	other.receives("three")
}

func TestLatency(t *testing.T) {
	e, p := start(t)
	p.SetLatency(time.Hour)
	c := connect(t, p)
	c.send("one")
	e.hears(t, "one")
	c.silent()
	p.SetLatency(time.Microsecond)
	c.receives("one")
}

// TestUnreachableServer shows that the proxy resets a connection if the server cannot be
// reached.
func TestUnreachableServer(t *testing.T) {
	p := faultproxy.New("127.0.0.1:1")
	defer p.Close()
	p.Set(faultproxy.Stall)
	c := connect(t, p)
	p.Set(faultproxy.None)
	_ = c.SetReadDeadline(time.Now().Add(patience.Limit()))
	if _, err := c.lines.ReadByte(); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read: %v", err)
	}
}
