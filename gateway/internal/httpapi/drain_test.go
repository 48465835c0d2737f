package httpapi_test

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// TestDrain tells a gateway to end: it is not ready any more, still answers, and
// sends its clients elsewhere.
func TestDrain(t *testing.T) {
	g := serve(t, "GATEWAY_DRAIN_DELAY=3s")
	client := http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	get := func(path string) (status int, last bool) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Forwarded-Proto", "https")
		request.Header.Set("x-api-key", g.key)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, response.Close
	}
	if status, last := get("/v2/me"); status != http.StatusOK || last {
		t.Fatalf("before it ends it answers %d, closing the connection: %t", status, last)
	}
	g.stop()
	for status := http.StatusOK; status != http.StatusServiceUnavailable; status, _ = get("/readyz") {
		time.Sleep(10 * time.Millisecond)
	}
	if status, last := get("/v2/me"); status != http.StatusOK || !last {
		t.Errorf("while it drains it answers %d, closing the connection: %t", status, last)
	}
}
