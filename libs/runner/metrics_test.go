package runner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/bus"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/listener/listenertest"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/telemetry"
)

// serveWaiting starts a service that serves metrics while it waits for NATS. It returns
// the address of the metrics and a channel for the result.
func serveWaiting(t *testing.T, ctx context.Context, environ ...string) (addr string, ended <-chan error) {
	t.Helper()
	var free [2]string
	for i := range free {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		free[i] = ln.Addr().String()
		defer ln.Close()
	}
	cfg := runner.Config{Bus: bus.Config{URL: "nats://" + free[0], ClaimBytes: 1 << 20, ClaimTTL: time.Minute, EventTTL: time.Minute, Replicas: 1}}
	if err := config.Load(append([]string{"METRICS_ADDR=" + free[1], "LOG_LEVEL=ERROR"}, environ...), "METRICS_", &cfg.Telemetry); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		for {
			err := runner.Serve(ctx, "test", cfg, func(context.Context, *telemetry.Telemetry, *bus.Conn) error {
				return errors.New("run was called without a bus")
			})
			if err == nil || !strings.Contains(err.Error(), "address already in use") { // retry until the ports are free again
				done <- err
				return
			}
		}
	}()
	return free[1], done
}

// await waits for a response from the metrics address and returns its status.
func await(t *testing.T, addr, path string) int {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		response, err := client.Get("http://" + addr + path)
		if err == nil {
			_ = response.Body.Close()
			return response.StatusCode
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// TestMetricsListenerDies closes the listener of a service's metrics: the service ends
// with an error.
func TestMetricsListenerDies(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	addr, ended := serveWaiting(t, ctx)
	if status := await(t, addr, "/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("a service that waits is ready: %d", status)
	}
	listenertest.Break(t, addr)
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "metrics") {
			t.Errorf("Serve ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the service continues without metrics and health")
		cancel()
		<-ended
	}
}

// TestMetricsAreLimited opens more connections to the metrics than the limit, and sends
// half a head and half a body: the next client still gets a response.
func TestMetricsAreLimited(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	addr, ended := serveWaiting(t, ctx, "METRICS_MAX_CONNECTIONS=8")
	await(t, addr, "/livez")
	for i := range 40 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		switch {
		case i < 3:
			fmt.Fprint(conn, "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
		case i%2 == 0:
			fmt.Fprint(conn, "GET /metr")
		}
	}
	for range 5 {
		response, err := http.Get("http://" + addr + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		http.DefaultClient.CloseIdleConnections()
		if want := `recto_connections{listener="metrics"} `; err != nil || !strings.Contains(string(text), want) {
			t.Errorf("the metrics lack %s: %v", want, err)
		}
	}
	if status := await(t, addr, "/livez"); status != http.StatusOK {
		t.Errorf("/livez responds with %d", status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Serve ended with %v", err)
	}
}

// TestMetricsConfig rejects limits that allow nothing.
func TestMetricsConfig(t *testing.T) {
	for _, variable := range []string{"METRICS_MAX_CONNECTIONS=0", "METRICS_CONNECTIONS_PER_ADDRESS=-1", "METRICS_TRUSTED_NETWORKS=everybody"} {
		var cfg telemetry.Config
		name, _, _ := strings.Cut(variable, "=")
		if err := config.Load([]string{variable}, "METRICS_", &cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", variable, err)
		}
	}
}
