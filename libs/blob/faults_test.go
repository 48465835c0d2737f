package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/testkit/faultproxy"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// behindProxy returns a bucket that is reached through a proxy, with timeouts short
// enough for tests.
func behindProxy(t *testing.T, limit time.Duration) (*blob.Store, *faultproxy.Proxy) {
	t.Helper()
	bucket := blobtest.NewBucket()
	blobtest.Dial(t, bucket)
	cfg := blobtest.Config(bucket)
	proxy := faultproxy.New(strings.TrimPrefix(cfg.Endpoint, "http://"))
	t.Cleanup(proxy.Close)
	cfg.Endpoint = "http://" + proxy.Addr()
	s, err := blob.OpenWithin(cfg, limit, limit)
	if err != nil {
		t.Fatal(err)
	}
	return s, proxy
}

// operations are all operations on the store, by name. Each reads or writes "there".
var operations = map[string]func(context.Context, *blob.Store) error{
	"Put": func(ctx context.Context, s *blob.Store) error {
		return s.Put(ctx, "there", strings.NewReader("content"), 7, "")
	},
	"PutOnce": func(ctx context.Context, s *blob.Store) error {
		err := s.PutOnce(ctx, "there", strings.NewReader("content"), 7, "")
		if errors.Is(err, blob.ErrExists) {
			return nil
		}
		return err
	},
	"Get": func(ctx context.Context, s *blob.Store) error {
		body, _, err := s.Get(ctx, "there")
		if err != nil {
			return err
		}
		defer body.Close()
		_, err = io.Copy(io.Discard, body)
		return err
	},
	"Stat":   func(ctx context.Context, s *blob.Store) error { _, err := s.Stat(ctx, "there"); return err },
	"Remove": func(ctx context.Context, s *blob.Store) error { return s.Remove(ctx, "missing") },
	"List": func(ctx context.Context, s *blob.Store) error {
		return s.List(ctx, "", func(blob.Object) error { return nil })
	},
}

// TestOutages makes the store fail in each way: every operation ends with an error,
// whether its caller has a deadline or not, and works again when the store has recovered.
func TestOutages(t *testing.T) {
	for name, begin := range map[string]func(*faultproxy.Proxy){
		"it refuses":           func(p *faultproxy.Proxy) { p.Set(faultproxy.Refuse); p.Cut() },
		"it stalls":            func(p *faultproxy.Proxy) { p.Set(faultproxy.Stall) },
		"its replies are lost": func(p *faultproxy.Proxy) { p.Set(faultproxy.HalfDead) },
	} {
		t.Run(name, func(t *testing.T) {
			s, proxy := behindProxy(t, time.Second)
			patience.Until(t, "there is an object to read", func() bool { return operations["Put"](t.Context(), s) == nil })
			begin(proxy)
			var asking sync.WaitGroup
			for name, ask := range operations {
				asking.Go(func() {
					if err := ask(t.Context(), s); err == nil || errors.Is(err, blob.ErrNotFound) {
						t.Errorf("%s without a deadline: %v", name, err)
					}
				})
				asking.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
					defer cancel()
					if err := ask(ctx, s); err == nil || errors.Is(err, blob.ErrNotFound) {
						t.Errorf("%s with a deadline: %v", name, err)
					}
				})
			}
			asking.Wait()
			proxy.Set(faultproxy.None)
			for name, ask := range operations {
				patience.Until(t, name+" works after the outage", func() bool { return ask(t.Context(), s) == nil })
			}
		})
	}
}

// TestForgottenConnections has a firewall drop the idle connections: at most one request
// is lost, and all later ones use new connections. Even that one succeeds if its
// connection is abandoned just before its deadline, because it is then resent.
func TestForgottenConnections(t *testing.T) {
	s, proxy := behindProxy(t, patience.Scale(10*time.Second))
	if err := operations["Put"](t.Context(), s); err != nil {
		t.Fatal(err)
	}
	var bodies []io.Closer
	for range 8 { // each response being read holds a connection
		body, _, err := s.Get(t.Context(), "there")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(body, 1))
		bodies = append(bodies, body)
	}
	for _, body := range bodies {
		_, _ = io.Copy(io.Discard, body.(io.Reader))
		_ = body.Close()
	}
	proxy.Freeze()
	before := proxy.Accepted()
	if err := operations["Stat"](t.Context(), s); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("over a dropped connection: %v", err)
	}
	for range 8 {
		if err := operations["Stat"](t.Context(), s); err != nil {
			t.Errorf("after that: %v", err)
		}
	}
	if n := proxy.Accepted() - before; n < 1 {
		t.Errorf("%d new connections were made", n)
	}
}

// cutting is a reader that cuts the connections once, halfway through.
type cutting struct {
	io.Reader
	left  int
	proxy *faultproxy.Proxy
}

func (c *cutting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.left > 0 {
		if c.left -= n; c.left <= 0 {
			c.proxy.Cut()
		}
	}
	return n, err
}

// seekingCutter is a cutting that can be rewound.
type seekingCutter struct {
	*cutting
	io.Seeker
}

// TestCutInTheMiddle cuts connections during transfers: a part is never taken for the
// whole.
func TestCutInTheMiddle(t *testing.T) {
	s, proxy := behindProxy(t, patience.Scale(10*time.Second))
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
	size := int64(len(content))
	half := func() *cutting { return &cutting{bytes.NewReader(content), len(content) / 2, proxy} }
	if err := s.Put(t.Context(), "a", half(), size, ""); err == nil {
		t.Error("Put: the object is stored")
	}
	if err := s.PutOnce(t.Context(), "b", half(), size, ""); err == nil {
		t.Error("PutOnce: the object is stored")
	}
	for _, key := range []string{"a", "b"} {
		if _, err := s.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("a part of %s is stored: %v", key, err)
		}
	}
	if err := s.PutOnce(t.Context(), "b", bytes.NewReader(content), size, ""); err != nil {
		t.Errorf("PutOnce again: %v", err)
	}
	again := bytes.NewReader(content)
	if err := s.Put(t.Context(), "a", seekingCutter{&cutting{again, len(content) / 2, proxy}, again}, size, ""); err != nil {
		t.Errorf("Put of a seekable body: %v", err)
	}
	for name, end := range map[string]func(){"cut": proxy.Cut, "stalled": func() { proxy.Set(faultproxy.Stall) }} {
		body, object, err := s.Get(t.Context(), "a")
		if err != nil || object.Size != size {
			t.Fatalf("Get: %+v, %v", object, err)
		}
		if _, err := io.CopyN(io.Discard, body, 1<<10); err != nil {
			t.Error(err)
		}
		end()
		n, err := io.Copy(io.Discard, body)
		if err == nil || n+1<<10 >= size {
			t.Errorf("%s: got another %d bytes, %v", name, n, err)
		}
		if name == "stalled" && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		_ = body.Close()
		proxy.Set(faultproxy.None)
	}
}
