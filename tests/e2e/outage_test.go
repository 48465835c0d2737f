package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/faultproxy"
	"github.com/rectohq/recto/tests/harness"
)

// TestOutages starts the services before their object store, and takes that, and
// Redis, away from them: each request is answered in time, and all work again
// when the engines are back, without a restart.
func TestOutages(t *testing.T) {
	harness.StandaloneOnly(t) // in containers, the tests of faults do this and more
	s, d := harness.StartProcesses(t, harness.Options{Rate: "100000/min", Proxied: true, Env: []string{"CONVERSION_WORKERS=1"}, Begun: func(d *harness.Deployment) {
		for _, name := range []string{"document", "conversion"} {
			waitsForObjects(t, d.Services[name])
		}
		d.ObjectsProxy.Set(faultproxy.None)
	}})
	c := s.Client(t)
	converts := func(id string) {
		t.Helper()
		eventually(t, func() (string, bool) {
			a := c.Post("/documents/"+id+"/convert", nil)
			return "{}", a.Status == http.StatusOK
		})
	}
	converts(upload(t, c, "a.docx", testdata(t, "agreement.docx")).ID)

	d.ObjectsProxy.Set(faultproxy.Stall)
	stalled := upload(t, c, "b.docx", testdata(t, "agreement.docx")) // which asks the object store nothing
	c.Post("/documents/"+stalled.ID+"/convert", nil).Fails(503, 5003)
	c.Get("/documents/" + stalled.ID).OK(nil)
	d.ObjectsProxy.Set(faultproxy.None)
	converts(stalled.ID)

	d.ObjectsProxy.Set(faultproxy.Stall)
	d.ObjectsProxy.Freeze() // and the connections of before never come back
	d.ObjectsProxy.Set(faultproxy.None)
	converts(upload(t, c, "c.docx", testdata(t, "agreement.docx")).ID)

	loseRedis(t, s, c, d.RedisProxy)
	if out := d.Services["conversion"].Output(); !strings.Contains(out, "removes no files by itself") {
		t.Errorf("the object store was not asked to expire converted files:\n%s", out)
	}
}

// waitsForObjects waits until a service says that it has no object store.
func waitsForObjects(t *testing.T, p *harness.Process) {
	t.Helper()
	eventually(t, func() (string, bool) {
		response, err := http.Get("http://" + p.Probe + "/readyz")
		if err != nil {
			return "{}", false // it does not listen yet
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return "{}", err == nil && response.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(body), "connection refused")
	})
}

// loseRedis takes Redis away in several ways. No request fails, and it counts
// again when it is back.
func loseRedis(t *testing.T, s *harness.System, c *harness.Client, redis *faultproxy.Proxy) {
	t.Helper()
	ask := func() (fallbacks string) {
		for range 20 {
			c.Get("/me").OK(nil)
		}
		for line := range strings.Lines(s.Metrics(t, "gateway")) {
			if n, found := strings.CutPrefix(line, "recto_ratelimit_fallback_total "); found {
				return strings.TrimSpace(n)
			}
		}
		t.Fatal("there is no metric of requests that were counted locally")
		return ""
	}
	for name, begin := range map[string]func(){
		"dead":      func() { redis.Set(faultproxy.Refuse); redis.Cut() },
		"half dead": func() { redis.Set(faultproxy.HalfDead) },
		"slow":      func() { redis.SetLatency(time.Second) },
	} {
		before := ask()
		begin()
		if ask() == before {
			t.Errorf("while Redis is %s, nothing is counted locally", name)
		}
		redis.Set(faultproxy.None)
		redis.SetLatency(0)
		eventually(t, func() (string, bool) {
			before := ask()
			return "{}", ask() == before
		})
	}
}
