package httpapi_test

import (
	"testing"
	"time"

	"github.com/rectohq/recto/gateway/internal/httpapi"
	"github.com/rectohq/recto/gateway/internal/identity"
	"github.com/rectohq/recto/gateway/internal/ratelimit"
	"github.com/rectohq/recto/gateway/internal/ratelimit/redistest"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/testkit/faultproxy"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestRedisOutage sends requests while Redis is dead, half dead, or slow. All of them
// succeed, and the metric counts those that were counted without Redis.
func TestRedisOutage(t *testing.T) {
	url, proxy := redistest.Behind(t)
	redis, err := ratelimit.OpenRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = redis.Close() })
	var cfg httpapi.Config
	if err := config.Load([]string{"GATEWAY_TLS=proxy", "GATEWAY_TRUSTED_PROXIES=127.0.0.0/8"}, "", &cfg); err != nil {
		t.Fatal(err)
	}
	g := serve(t)
	if _, g.key, err = identity.NewAdmin(g.store, peppers).CreateKey(t.Context(), identity.NewKey{Scopes: everything, Rate: 1_000_000}); err != nil {
		t.Fatal(err)
	}
	g.limiter = redis
	g.start(t, cfg, g.store)
	ask := func(n int) (fallbacks float64) {
		t.Helper()
		before := g.fallbacks(t)
		for range n {
			if status, body := g.get(t, "/v2/me"); status != 200 {
				t.Errorf("got %d %s", status, body)
			}
		}
		return g.fallbacks(t) - before
	}
	returns := func() {
		t.Helper()
		patience.Until(t, "Redis is back and counts again", func() bool { return ask(5) == 0 })
	}
	returns() // Redis works at first
	for name, begin := range map[string]func(){
		"dead":      func() { proxy.Set(faultproxy.Refuse); proxy.Cut() },
		"half dead": func() { proxy.Set(faultproxy.HalfDead) },
		"slow":      func() { proxy.SetLatency(time.Second) },
	} {
		begin()
		if n := ask(20); n != 20 {
			t.Errorf("while Redis is %s, %v of 20 requests were counted without it", name, n)
		}
		proxy.Set(faultproxy.None)
		proxy.SetLatency(0)
		returns()
	}
}

// fallbacks returns the metric of requests counted without Redis.
func (g *gateway) fallbacks(t *testing.T) float64 {
	t.Helper()
	families, err := g.telemetry.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "recto_ratelimit_fallback_total" {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatal("the metric recto_ratelimit_fallback_total does not exist")
	return 0
}
