package ratelimit_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rectohq/recto/gateway/internal/ratelimit"
	"github.com/rectohq/recto/gateway/internal/ratelimit/redistest"
	"github.com/rectohq/recto/libs/testkit/faultproxy"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// outage is a Redis behind a proxy, with a limiter as gateways have it, and the number of
// requests that the limiter had to count locally.
type outage struct {
	t       *testing.T
	proxy   *faultproxy.Proxy
	limiter ratelimit.Limiter
	local   atomic.Int64
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	url, proxy := redistest.Behind(t)
	redis, err := ratelimit.OpenRedis(url + "?pool_size=48") // as on a machine with a few processors
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = redis.Close() })
	o := &outage{t: t, proxy: proxy}
	o.limiter = ratelimit.NewFallback(redis, ratelimit.NewLocal(), func(context.Context, error) { o.local.Add(1) })
	return o
}

// ask counts n requests from a few goroutines. It returns how many of them were counted
// locally.
func (o *outage) ask(n int) int64 {
	o.t.Helper()
	return o.together(8, n)
}

// together counts n requests from the given number of goroutines, and checks that all are
// allowed. It returns how many of them were counted locally.
func (o *outage) together(together, n int) int64 {
	o.t.Helper()
	before := o.local.Load()
	var asking sync.WaitGroup
	for range together {
		asking.Go(func() {
			for range n / together {
				d, err := o.limiter.Allow(o.t.Context(), o.t.Name(), ratelimit.Limit{Requests: 1_000_000, Period: time.Hour})
				if err != nil || !d.Allowed {
					o.t.Errorf("got %+v, %v", d, err)
				}
			}
		})
	}
	asking.Wait()
	return o.local.Load() - before
}

// returns waits until Redis counts all requests.
func (o *outage) returns() {
	o.t.Helper()
	patience.Until(o.t, "Redis is back and counts all requests", func() bool { return o.ask(80) == 0 })
}

// TestRedisOutages lets Redis fail in several ways. No request fails or is rejected, and
// Redis counts again when it is back.
func TestRedisOutages(t *testing.T) {
	for name, begin := range map[string]func(*faultproxy.Proxy){
		"dead":             func(p *faultproxy.Proxy) { p.Set(faultproxy.Refuse); p.Cut() },
		"paused":           func(p *faultproxy.Proxy) { p.Set(faultproxy.Stall) },
		"replies are lost": func(p *faultproxy.Proxy) { p.Set(faultproxy.HalfDead) },
		"slow":             func(p *faultproxy.Proxy) { p.SetLatency(time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutage(t)
			o.returns() // Redis works at first
			begin(o.proxy)
			if n := o.ask(800); n != 800 {
				t.Errorf("%d of 800 requests were counted locally", n)
			}
			o.proxy.SetLatency(0)
			o.proxy.Set(faultproxy.None)
			o.returns()
		})
	}
}

// TestRedisRestarts cuts the connections of a Redis that is available again at once.
func TestRedisRestarts(t *testing.T) {
	o := newOutage(t)
	o.returns()
	for range 5 {
		o.proxy.Cut()
		o.ask(80)
	}
	o.returns()
}

// TestRedisConnectionsAreForgotten lets a firewall forget many idle connections.
func TestRedisConnectionsAreForgotten(t *testing.T) {
	o := newOutage(t)
	o.returns()
	o.proxy.SetLatency(20 * time.Millisecond) // concurrent requests then need a connection each
	opened := o.proxy.Accepted()
	patience.Until(t, "there are many connections", func() bool {
		o.together(48, 48)
		return o.proxy.Accepted() >= opened+24
	})
	o.proxy.SetLatency(0)
	o.returns()
	o.proxy.Freeze()
	o.returns()
}

// TestRedisPasswordIsNotLeaked checks that no error contains the password of a URL.
func TestRedisPasswordIsNotLeaked(t *testing.T) {
	for _, url := range []string{"redis://:hidden@host:port", "redis://u:hid#hidden@host", "redis://:hidden@host\x00", "http://:hidden@host", "redis://:hidden@host/no", "redis://:hidden@host?strange=1"} {
		if _, err := ratelimit.OpenRedis(url); err == nil || strings.Contains(err.Error(), "hid") {
			t.Errorf("%q: %v", url, err)
		}
	}
}
