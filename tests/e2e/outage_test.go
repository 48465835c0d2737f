package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/faultproxy"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// TestOutages starts the services before their object store, then interrupts the object
// store and Redis. Every request is answered in time, and everything works again after the
// outage, without a restart.
func TestOutages(t *testing.T) {
	harness.StandaloneOnly(t) // in containers, package faults tests this and more
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
	stalled := upload(t, c, "b.docx", testdata(t, "agreement.docx")) // the service does not call the object store for it
	c.Post("/documents/"+stalled.ID+"/convert", nil).Fails(503, 5003)
	c.Get("/documents/" + stalled.ID).OK(nil)
	d.ObjectsProxy.Set(faultproxy.None)
	converts(stalled.ID)

	d.ObjectsProxy.Set(faultproxy.Stall)
	d.ObjectsProxy.Freeze() // open connections never work again
	d.ObjectsProxy.Set(faultproxy.None)
	converts(upload(t, c, "c.docx", testdata(t, "agreement.docx")).ID)

	loseRedis(t, s, c, d.RedisProxy)
	if out := d.Services["conversion"].Output(); !strings.Contains(out, "does not expire files") {
		t.Errorf("the object store was not asked to expire converted files:\n%s", out)
	}
}

// TestInsightsInOutages interrupts each dependency of insights in turn. Requests during
// the outage are asked to retry, and retries succeed after it.
func TestInsightsInOutages(t *testing.T) {
	harness.StandaloneOnly(t) // in containers, package faults tests this and more
	budget := patience.Scale(8 * time.Second).String()
	s, d := harness.StartProcesses(t, harness.Options{Rate: "unlimited", Proxied: true, Begun: func(d *harness.Deployment) { d.ObjectsProxy.Set(faultproxy.None) },
		Env: []string{"CONVERSION_WORKERS=1", "GATEWAY_LONG_BUDGET=" + budget, "GATEWAY_STREAM_BUDGET=" + budget, "INSIGHT_ACK_WAIT=" + patience.Scale(5*time.Second).String(), "INSIGHT_JOB_BUDGET=" + patience.Scale(30*time.Second).String()}})
	c := s.Client(t)
	for name, outage := range map[string]struct{ begin, end func() error }{
		"objects":    {func() error { d.ObjectsProxy.Set(faultproxy.Stall); return nil }, func() error { d.ObjectsProxy.Set(faultproxy.None); return nil }},
		"conversion": {d.Services["conversion"].Kill, d.Services["conversion"].Start},
		"annotation": {d.Services["annotation"].Kill, d.Services["annotation"].Start},
		"document":   {d.Services["document"].Kill, d.Services["document"].Start},
		"NATS":       {func() error { d.StopNATS(); return nil }, d.StartNATS},
	} {
		t.Run(name, func(t *testing.T) {
			stored := about("document_id", upload(t, c, "a.docx", testdata(t, "agreement.docx")).ID)
			text := about("doc_text", "While "+name+" is down.\n"+agreementText)
			bodies := []object{stored, plus(stored, "stream", true), text}
			if err := outage.begin(); err != nil {
				t.Fatal(err)
			}
			for _, body := range bodies {
				a := c.Post("/insights", body)
				checkRetryable(t, a)
				if a.Status == http.StatusOK && fmt.Sprint(body) != fmt.Sprint(text) && !strings.Contains(string(a.Body), "event: error") {
					t.Errorf("the request succeeds during the outage: %s", a.Body)
				}
			}
			if err := outage.end(); err != nil {
				t.Fatal(err)
			}
			for _, body := range bodies {
				eventually(t, func() (string, bool) {
					a := c.Post("/insights", body)
					checkRetryable(t, a)
					return "{}", a.Status == http.StatusOK && !strings.Contains(string(a.Body), "event: error")
				})
			}
			if want, got := unsigned(t, c.Post("/insights", stored).OK(nil).Body), unsigned(t, collected(t, c.Post("/insights", bodies[1]).OK(nil))); got != want {
				t.Errorf("streamed\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// checkRetryable fails the test if a response is an error other than 5003 or 5004, or a
// stream that ends with one.
func checkRetryable(t *testing.T, a *harness.Answer) {
	t.Helper()
	if a.Status == http.StatusOK {
		if body := string(a.Body); strings.Contains(body, "event: error") && !strings.Contains(body, `"code":5003`) && !strings.Contains(body, `"code":5004`) {
			t.Errorf("the stream is %s", body)
		}
		return
	}
	var p harness.Problem
	if err := json.Unmarshal(a.Body, &p); err != nil || p.Code != 5003 && p.Code != 5004 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// waitsForObjects waits until a service reports that it cannot reach the object store.
func waitsForObjects(t *testing.T, p *harness.Process) {
	t.Helper()
	eventually(t, func() (string, bool) {
		response, err := http.Get("http://" + p.Probe + "/readyz")
		if err != nil {
			return "{}", false // not listening yet
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return "{}", err == nil && response.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(body), "connection refused")
	})
}

// loseRedis interrupts Redis in several ways. No request fails, and requests are counted in
// Redis again after the outage.
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
		t.Fatal("recto_ratelimit_fallback_total is missing")
		return ""
	}
	for name, begin := range map[string]func(){
		"dead":      func() { redis.Set(faultproxy.Refuse); redis.Cut() },
		"half dead": func() { redis.Set(faultproxy.HalfDead) },
		"slow":      func() { redis.SetLatency(time.Second) },
	} {
		before := ask()
		begin()
		t.Logf("Redis is %s: waiting until requests are counted locally", name)
		// The first of them may be prepaid.
		eventually(t, func() (string, bool) { return "{}", ask() != before })
		redis.Set(faultproxy.None)
		redis.SetLatency(0)
		eventually(t, func() (string, bool) {
			before := ask()
			return "{}", ask() == before
		})
	}
}
