package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/contract/documentapi"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/tests/harness"
)

// step is one step of the ladder: name says what it adds to the step before, url and key
// are for its requests, and pid is the process that serves them.
type step struct {
	name, url, key string
	pid            int
}

// figures holds the measurements of one step.
type figures struct {
	closed load          // 16 clients, each after its last response
	paced  load          // at a fixed rate
	cpu    time.Duration // of the serving process, per request
}

// pacedRate is the fixed request rate of the ladder, in requests per second. It is well
// below the capacity of the last step.
const pacedRate = 200

// TestBenchLadder prints the cost of each part of the request path, from a bare handler
// behind TLS to the full path: key, rate limit in Redis, NATS, store. Each service is a
// separate process.
func TestBenchLadder(t *testing.T) {
	s, d := harness.StartProcesses(t, harness.Options{Rate: "unlimited"})
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	c := s.Client(t)
	create(t, s, client, 100)
	document := sealedDocument(t, c)
	body := c.Get("/documents/" + document).Body
	limited := s.NewClient(t, "--rate", "1000000000/min")
	gateway := s.PID(t)
	url, pid := bare(t, s, body)
	ladder := []step{
		{"bare TLS handler", url, "", pid},
		{"+ key (GET /me)", s.BaseURL + "/me", s.APIKey, gateway},
		{"+ limit in Redis", s.BaseURL + "/me", limited.Key, gateway},
	}
	var measured []figures
	for _, st := range ladder {
		measured = append(measured, climb(t, client, st))
	}
	// To measure the bus alone, replace the document service with one that has no store.
	if err := d.Services["document"].Stop(); err != nil {
		t.Fatal(err)
	}
	stop := answerFixed(t, d, body)
	withBus := step{"+ NATS (GET document)", s.BaseURL + "/documents/" + document, s.APIKey, gateway}
	measured = append(measured, climb(t, client, withBus))
	stop()
	if err := d.Services["document"].Start(); err != nil {
		t.Fatal(err)
	}
	withStore := withBus
	withStore.name = "+ store, presigned URL"
	measured = append(measured, climb(t, client, withStore))

	base := measured[0]
	for i, st := range append(ladder, withBus, withStore) {
		f := measured[i]
		t.Logf("%-22s 16 clients %s", st.name, f.closed.against(base.closed))
		t.Logf("%-22s at %d/s    %s", "", pacedRate, f.paced.against(base.paced))
		t.Logf("%-22s CPU of the serving process %5d µs per request, ×%.2f", "", f.cpu.Microseconds(), float64(f.cpu)/float64(base.cpu))
	}
}

// sealedDocument creates a document, seals its content and returns its id.
func sealedDocument(t *testing.T, c *harness.Client) string {
	t.Helper()
	var d struct {
		ID    string
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	c.Post("/documents", map[string]any{"name": "x", "files": []any{map[string]any{"name": "a.pdf", "type": "application/pdf"}}}).OK(&d)
	if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, []byte("%PDF-1.4"), nil); a.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
	c.Get("/documents/" + d.ID).OK(nil) // seals the content
	return d.ID
}

// answerFixed replaces the document service: it answers every request for a document with
// the one in body, until stop is called.
func answerFixed(t *testing.T, d *harness.Deployment, body []byte) (stop func()) {
	t.Helper()
	var fixed documentapi.Document
	if err := json.Unmarshal(body, &fixed); err != nil {
		t.Fatal(err)
	}
	tel, err := telemetry.New(t.Context(), "document", telemetry.Config{LogLevel: slog.LevelError}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := bus.Connect(t.Context(), "document", d.Bus("document"), tel)
	if err != nil {
		t.Fatal(err)
	}
	server, err := conn.Serve(documentapi.Service, "0.0.0", 64)
	if err != nil {
		t.Fatal(err)
	}
	err = bus.Handle(server, documentapi.Get, func(context.Context, contract.Principal, documentapi.GetRequest) (documentapi.Document, error) {
		return fixed, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		_ = conn.Close()
	}
}

// climb measures one step.
func climb(t *testing.T, client *http.Client, s step) figures {
	t.Helper()
	request := func(int) *http.Request { return get(t, s.url, s.key) }
	run(t, client, 1000, 16, request) // warm
	before := cpuTime(t, s.pid)
	const n = 8000
	f := figures{closed: run(t, client, n, 16, request)}
	f.cpu = (cpuTime(t, s.pid) - before) / n
	f.paced = pace(t, client, 10*time.Second, pacedRate, request)
	return f
}

// pace sends requests at a fixed rate, even if earlier ones are still waiting. Latency
// counts from the time when a request was due, so that a stall shows in the figures of
// the requests that it delayed.
func pace(t *testing.T, client *http.Client, d time.Duration, perSecond int, request func(i int) *http.Request) load {
	t.Helper()
	n := int(d.Seconds() * float64(perSecond))
	latencies := make([]time.Duration, n)
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range n {
		due := begin.Add(time.Duration(i) * time.Second / time.Duration(perSecond))
		time.Sleep(time.Until(due))
		wg.Go(func() {
			response, err := client.Do(request(i))
			if err != nil {
				t.Error(err)
				return
			}
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Errorf("status %d", response.StatusCode)
			}
			latencies[i] = time.Since(due)
		})
	}
	wg.Wait()
	l := load{latencies: latencies, took: time.Since(begin)}
	slices.Sort(l.latencies)
	return l
}

// cpuTime returns the CPU time that a process has used.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
	var ticks int
	for _, f := range fields[11:13] { // user mode and kernel mode
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	const perTick = 10 * time.Millisecond // USER_HZ is 100 on Linux
	return time.Duration(ticks) * perTick
}

// TestBenchRedisDies prints how much latency a dead Redis adds to requests with a rate
// limit.
func TestBenchRedisDies(t *testing.T) {
	s, d := harness.StartProcesses(t, harness.Options{Rate: "unlimited"})
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	limited := s.NewClient(t, "--rate", "1000000000/min")
	request := func(int) *http.Request { return get(t, s.BaseURL+"/me", limited.Key) }
	run(t, client, 1000, 16, request)
	alive := pace(t, client, 5*time.Second, pacedRate, request)
	if err := d.Redis.Kill(); err != nil {
		t.Fatal(err)
	}
	dying := pace(t, client, time.Second, pacedRate, request)
	dead := pace(t, client, 5*time.Second, pacedRate, request)
	t.Logf("with Redis                   %s", alive)
	t.Logf("first second without Redis   %s, slowest %s", dying.against(alive), round(dying.quantile(1)))
	t.Logf("next five seconds without    %s, slowest %s", dead.against(alive), round(dead.quantile(1)))
}
