package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rectohq/recto/libs/listener"
)

// deadlines are the time limits for clients of the metrics and health endpoints.
var deadlines = listener.Deadlines{Head: 5 * time.Second, Idle: time.Minute, Stall: MetricsStall}

// MetricsStall is the Stall value for the listener passed to Serve.
const MetricsStall = 30 * time.Second

// Serve answers /metrics, /livez and /readyz on ln, which may be a *listener.Listener,
// until ctx ends. It returns an error if the listener fails before that. It closes ln.
func (t *Telemetry) Serve(ctx context.Context, ln net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(t.Metrics, promhttp.HandlerOpts{Registry: t.Metrics}))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { writeStatus(w, http.StatusOK, LiveBody) })
	mux.HandleFunc("GET /readyz", t.serveReady)
	server := listener.Server(mux, deadlines, t.Log)

	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		_ = server.Close() // scrapes may be cut off
	}()
	err := server.Serve(ln)
	if ctx.Err() == nil {
		return fmt.Errorf("serve metrics: %w", err)
	}
	<-stopped
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// LiveBody is the response body of /livez.
var LiveBody = map[string]string{"status": "live"}

// readyTimeout bounds the checks of one readiness request, or of one scrape.
const readyTimeout = 2 * time.Second

// serveReady responds with 200 if every part is ready and 503 otherwise, in either case
// with the state and the notes of each part.
func (t *Telemetry) serveReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	states, ready := t.Health.Ready(ctx)
	status, text := http.StatusOK, stateReady
	if !ready {
		status, text = http.StatusServiceUnavailable, "not ready"
	}
	writeStatus(w, status, map[string]any{"status": text, "parts": states, "notes": t.Health.Notes()})
}

// writeStatus writes a JSON response.
func writeStatus(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, body, json.Deterministic(true)) // the client may be gone
}
