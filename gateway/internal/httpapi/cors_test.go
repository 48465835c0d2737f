package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

const (
	page        = "https://app.example.com"
	allowOrigin = "Access-Control-Allow-Origin"
)

// from sends a request as a page of the origin does, without a key unless header has one.
// It returns the status and the headers of the response.
func (g *gateway) from(t *testing.T, origin, method, path string, header ...string) (int, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, g.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	status, _, answered := g.exchange(t, request, append([]string{"Origin", origin, "x-api-key", ""}, header...)...)
	return status, answered
}

// corsHeaders returns the sorted names of the CORS headers in h.
func corsHeaders(h http.Header) []string {
	var names []string
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestPreflight sends preflight requests, as a browser does before a request with a key.
func TestPreflight(t *testing.T) {
	g := serve(t, "GATEWAY_CORS_ORIGINS="+page+", http://localhost:3000")
	ask := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type,x-api-key"}
	for _, path := range []string{"/v2/documents", "/v2/documents/doc_1/annotate", "/v2/nothing", "/docs"} {
		status, h := g.from(t, page, http.MethodOptions, path, ask...)
		if status != 204 || h.Get(allowOrigin) != page || h.Get("Vary") != "Origin" || h.Get("Access-Control-Max-Age") != "7200" || h.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d %v", path, status, h)
		}
		for _, name := range []string{"x-api-key", "content-type", "idempotency-key", "prefer", "last-event-id", "x-request-id", "accept", "if-none-match"} {
			if !strings.Contains(h.Get("Access-Control-Allow-Headers"), name) {
				t.Errorf("%s: %s is not allowed: %v", path, name, h)
			}
		}
		if h.Get("Access-Control-Allow-Methods") != "GET, HEAD, POST, PUT, PATCH, DELETE" || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	for name, tc := range map[string]struct {
		origin string
		header []string
		status int
	}{
		"another origin":    {"https://other.example", ask, 401},
		"no origin":         {"", ask, 401},
		"no request method": {page, nil, 401},
		"without TLS":       {page, append(slices.Clone(ask), "X-Forwarded-Proto", "http"), 426},
	} {
		status, h := g.from(t, tc.origin, http.MethodOptions, "/v2/documents", tc.header...)
		if status != tc.status || h.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("%s: %d %v", name, status, h)
		}
	}
	off := serve(t)
	if status, h := off.from(t, page, http.MethodOptions, "/v2/documents", ask...); status != 401 || len(corsHeaders(h)) != 0 || h.Get("Vary") != "" {
		t.Errorf("not configured: %d %v", status, h)
	}
}

// TestPagesReadResponses covers responses and errors of every kind. To a page, a response
// without CORS headers looks like a network failure.
func TestPagesReadResponses(t *testing.T) {
	g := serve(t, "GATEWAY_CORS_ORIGINS="+page, "GATEWAY_FAILED_KEYS=1", "GATEWAY_MAX_BODY=1")
	for _, tc := range []struct {
		name, method, path string
		header             []string
		status             int
	}{
		{"a response", "GET", "/v2/me", []string{"x-api-key", g.key}, 200},
		{"HEAD", "HEAD", "/v2/me", []string{"x-api-key", g.key}, 200},
		{"the OpenAPI description", "GET", "/openapi.json", nil, 200},
		{"no key", "GET", "/v2/me", nil, 401},
		{"a bad key", "GET", "/v2/me", []string{"x-api-key", "x"}, 403},
		{"too many bad keys", "GET", "/v2/me", []string{"x-api-key", "x"}, 429},
		{"no route", "GET", "/v2/nothing", []string{"x-api-key", g.key}, 404},
		{"no method", "DELETE", "/v2/me", []string{"x-api-key", g.key}, 405},
		{"no service", "GET", "/v2/documents", []string{"x-api-key", g.key}, 503},
		{"without TLS", "GET", "/v2/me", []string{"X-Forwarded-Proto", "http"}, 426},
	} {
		status, h := g.from(t, page, tc.method, tc.path, tc.header...)
		if status != tc.status || h.Get(allowOrigin) != page || !slices.Contains(h.Values("Vary"), "Origin") {
			t.Errorf("%s: %d %v", tc.name, status, h)
		}
		if got := corsHeaders(h); !slices.Equal(got, []string{allowOrigin, "Access-Control-Expose-Headers"}) {
			t.Errorf("%s: %v", tc.name, got)
		}
		for _, name := range []string{"X-Request-Id", "RateLimit", "RateLimit-Policy", "Retry-After", "Location", "Preference-Applied", "Idempotency-Replayed", "X-Recto-Engine", "Allow"} {
			if !strings.Contains(h.Get("Access-Control-Expose-Headers")+",", name+",") {
				t.Errorf("%s: %s is not exposed", tc.name, name)
			}
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/v2/documents", strings.NewReader("{ }"))
	if err != nil {
		t.Fatal(err)
	}
	if status, _, h := g.exchange(t, request, "Origin", page); status != 413 || h.Get(allowOrigin) != page {
		t.Errorf("a body that is too large: %d %v", status, h)
	}
	if status, h := g.from(t, "https://other.example", http.MethodGet, "/v2/me", "x-api-key", g.key); status != 200 || len(corsHeaders(h)) != 0 {
		t.Errorf("another origin: %d %v", status, h)
	}
	all := serve(t, "GATEWAY_CORS_ORIGINS=*")
	if status, h := all.from(t, page, http.MethodGet, "/v2/me", "x-api-key", all.key); status != 200 || h.Get(allowOrigin) != "*" || h.Get("Vary") != "" {
		t.Errorf("every origin: %d %v", status, h)
	}
}
