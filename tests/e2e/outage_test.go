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

// TestInsightsInOutages takes away what insights need, one after the other. Whoever
// asks meanwhile is told to come again; who does is answered as if nothing had been.
func TestInsightsInOutages(t *testing.T) {
	harness.StandaloneOnly(t) // in containers, the tests of faults do this and more
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
			text := about("doc_text", "While "+name+" is away.\n"+agreementText)
			bodies := []object{stored, plus(stored, "stream", true), text}
			if err := outage.begin(); err != nil {
				t.Fatal(err)
			}
			for _, body := range bodies {
				a := c.Post("/insights", body)
				comesAgain(t, a)
				if a.Status == http.StatusOK && fmt.Sprint(body) != fmt.Sprint(text) && !strings.Contains(string(a.Body), "event: error") {
					t.Errorf("it is answered all the same: %s", a.Body)
				}
			}
			if err := outage.end(); err != nil {
				t.Fatal(err)
			}
			for _, body := range bodies {
				eventually(t, func() (string, bool) {
					a := c.Post("/insights", body)
					comesAgain(t, a)
					return "{}", a.Status == http.StatusOK && !strings.Contains(string(a.Body), "event: error")
				})
			}
			if want, got := unsigned(t, c.Post("/insights", stored).OK(nil).Body), unsigned(t, collected(t, c.Post("/insights", bodies[1]).OK(nil))); got != want {
				t.Errorf("streamed\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// comesAgain fails the test for an answer, or an error that ends a stream, that does
// not say to come again.
func comesAgain(t *testing.T, a *harness.Answer) {
	t.Helper()
	if a.Status == http.StatusOK {
		if body := string(a.Body); strings.Contains(body, "event: error") && !strings.Contains(body, `"code":5003`) && !strings.Contains(body, `"code":5004`) {
			t.Errorf("a stream is %s", body)
		}
		return
	}
	var p harness.Problem
	if err := json.Unmarshal(a.Body, &p); err != nil || p.Code != 5003 && p.Code != 5004 {
		t.Errorf("%d %s", a.Status, a.Body)
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
		t.Logf("Redis is %s: requests are to be counted locally", name)
		// The first of them may use what the gateway has taken ahead.
		eventually(t, func() (string, bool) { return "{}", ask() != before })
		redis.Set(faultproxy.None)
		redis.SetLatency(0)
		eventually(t, func() (string, bool) {
			before := ask()
			return "{}", ask() == before
		})
	}
}
