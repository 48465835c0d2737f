package httpapi_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestDrain shuts down a gateway. It reports not ready, still answers requests, and closes
// the connections after its responses.
func TestDrain(t *testing.T) {
	patience.Grow(t, 3*time.Second, func(delay time.Duration) (answered bool) { return drains(t, delay) })
}

// drains reports whether the drain delay was long enough for the requests of the test.
func drains(t *testing.T, delay time.Duration) bool {
	t.Helper()
	g := serve(t, "GATEWAY_DRAIN_DELAY="+delay.String())
	client := http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	get := func(path string) (status int, last bool, err error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Forwarded-Proto", "https")
		request.Header.Set("x-api-key", g.key)
		response, err := client.Do(request)
		if err != nil {
			return 0, false, err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return response.StatusCode, response.Close, err
	}
	if status, last, err := get("/v2/me"); status != http.StatusOK || last || err != nil {
		t.Fatalf("before the shutdown: status %d, connection closed: %t, %v", status, last, err)
	}
	g.stop()
	for status := http.StatusOK; status != http.StatusServiceUnavailable; {
		var err error
		if status, _, err = get("/readyz"); err != nil {
			t.Logf("with a delay of %v: readiness: %v", delay, err)
			return false
		}
	}
	status, last, err := get("/v2/me")
	if err != nil {
		t.Logf("with a delay of %v: a request: %v", delay, err)
		return false
	}
	if status != http.StatusOK || !last {
		t.Errorf("while draining: status %d, connection closed: %t", status, last)
	}
	return true
}
