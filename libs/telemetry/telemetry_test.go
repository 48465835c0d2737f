package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
)

func TestLogLinesIncludeRequest(t *testing.T) {
	var out bytes.Buffer
	tel, err := telemetry.New(t.Context(), "test", telemetry.Config{}, &out)
	if err != nil {
		t.Fatal(err)
	}
	ctx := telemetry.WithPrincipal(telemetry.WithRequestID(t.Context(), "req_1"), "org_1", "key_1")
	ctx = telemetry.Propagator.Extract(ctx, propagation.MapCarrier{"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})
	tel.Log.With("a", 1).WithGroup("g").InfoContext(ctx, "hello", "b", 2)
	tel.Log.Debug("not this")
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%s: %v", &out, err)
	}
	text := out.String()
	for _, want := range []string{`"service":"test"`, `"request_id":"req_1"`, `"organization_id":"org_1"`, `"key_id":"key_1"`, `"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"`, `"msg":"hello"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the line lacks %s: %s", want, text)
		}
	}
	if telemetry.RequestID(t.Context()) != "" {
		t.Error("there is a request ID without a request")
	}
}

func TestHealth(t *testing.T) {
	h := telemetry.NewHealth()
	if _, ready := h.Ready(t.Context()); ready {
		t.Error("a Health without parts is ready")
	}
	a, b := h.Part("a"), h.Part("b")
	a.Up()
	if states, ready := h.Ready(t.Context()); ready || states["a"] != "ready" || states["b"] != "starting" {
		t.Errorf("got %v, %v", states, ready)
	}
	waited := make(chan error, 1)
	go func() { waited <- b.Wait(t.Context()) }()
	var broken atomic.Bool
	b.Up(func(context.Context) error {
		if broken.Load() {
			return errors.New("no database")
		}
		return nil
	})
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if _, ready := h.Ready(t.Context()); !ready {
		t.Error("the process is not ready")
	}
	broken.Store(true)
	if states, ready := h.Ready(t.Context()); ready || states["b"] != "no database" {
		t.Errorf("got %v, %v", states, ready)
	}
	broken.Store(false)
	a.Down("stopping")
	if states, ready := h.Ready(t.Context()); ready || states["a"] != "stopping" {
		t.Errorf("got %v, %v", states, ready)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait: %v", err)
	}
}

func TestServe(t *testing.T) {
	tel, err := telemetry.New(t.Context(), "test", telemetry.Config{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tel.Serve(ctx, ln) }()
	get := func(path string) (int, string) {
		response, err := http.Get("http://" + ln.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(body)
	}
	if status, body := get("/readyz"); status != 503 || !strings.Contains(body, "not ready") {
		t.Errorf("/readyz: %d %s", status, body)
	}
	tel.Health.Part("a").Up()
	if status, body := get("/readyz"); status != 200 || !strings.Contains(body, `"a":"ready"`) {
		t.Errorf("/readyz: %d %s", status, body)
	}
	tel.Health.Part("a").Note("sandbox", "no namespaces")
	tel.Health.Part("a").Note("sandbox", "own namespaces")
	if status, body := get("/readyz"); status != 200 || !strings.Contains(body, `"notes":{"a":{"sandbox":"own namespaces"}}`) {
		t.Errorf("/readyz: %d %s", status, body)
	}
	if status, body := get("/livez"); status != 200 || body != `{"status":"live"}` {
		t.Errorf("/livez: %d %s", status, body)
	}
	tel.Health.Part("b").Down("no database")
	if status, body := get("/metrics"); status != 200 || !strings.Contains(body, "go_goroutines") ||
		!strings.Contains(body, `recto_ready{part="a"} 1`) || !strings.Contains(body, `recto_ready{part="b"} 0`) {
		t.Errorf("/metrics: %d %s", status, body)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestTraces sends spans of a process and of its part to a collector in the test.
func TestTraces(t *testing.T) {
	got := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.URL.Path + " " + string(body)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	tel, err := telemetry.New(t.Context(), "traced", telemetry.Config{OTLPEndpoint: collector.URL}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	part, err := tel.Part("a part")
	if err != nil {
		t.Fatal(err)
	}
	for _, tracer := range []trace.Tracer{tel.Tracer, part.Tracer} {
		_, span := tracer.Start(t.Context(), "a span of the test")
		span.End()
	}
	if err := tel.Stop(patience.Context(t)); err != nil {
		t.Fatal(err)
	}
	if text := <-got; !strings.HasPrefix(text, "/v1/traces ") || !strings.Contains(text, "a span of the test") || !strings.Contains(text, "traced") || !strings.Contains(text, "a part") {
		t.Errorf("the collector got %.200q", text)
	}
}
