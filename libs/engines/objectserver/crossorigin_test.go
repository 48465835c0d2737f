package objectserver_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// page is the origin whose pages may use presigned URLs.
const page = "https://app.example.com"

// from sends a request as a page of the origin does, and returns the response.
func from(t *testing.T, origin, method, target, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", origin)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer
}

// TestPages shows that a page of an allowed origin can read every response, and that
// pages of other origins cannot.
func TestPages(t *testing.T) {
	put := sign(t, "page").String()
	get, err := client.PresignedGetObject(t.Context(), bucket, "in/page", time.Hour, nil)
	if err != nil {
		t.Fatal(err)
	}
	seal(t, "page-sealed", "sealed")
	for _, tc := range []struct {
		name, method, target, body string
		header                     []string
		status                     int
	}{
		{"an upload", "PUT", put, "content", []string{"Content-Type", "application/pdf"}, 200},
		{"a download", "GET", get.String(), "", nil, 200},
		{"a partial download", "GET", get.String(), "", []string{"Range", "bytes=0-1"}, 206},
		{"a HEAD request", "HEAD", get.String(), "", nil, 200},
		{"a form", "PUT", put, "--b\r\n", []string{"Content-Type", "multipart/form-data; boundary=b"}, 415},
		{"an upload that is too large", "PUT", put, strings.Repeat("x", maxSize+1), nil, 413},
		{"a sealed upload", "PUT", sign(t, "page-sealed").String(), "other", nil, 409},
		{"no signature", "GET", "http://" + addr + "/" + bucket + "/in/page", "", nil, 403},
	} {
		a := from(t, page, tc.method, tc.target, tc.body, tc.header...)
		if a.StatusCode != tc.status || !slices.Equal(a.Header.Values("Access-Control-Allow-Origin"), []string{page}) || a.Header.Get("Vary") != "Origin" {
			t.Errorf("%s: %d %v", tc.name, a.StatusCode, a.Header)
		}
		if exposed := a.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "ETag") || !strings.Contains(exposed, "Content-Disposition") {
			t.Errorf("%s: exposed headers are %q", tc.name, exposed)
		}
		if a.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: credentials are allowed", tc.name)
		}
		if a := from(t, "https://other.example", tc.method, tc.target, tc.body, tc.header...); a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s from another origin: %v", tc.name, a.Header)
		}
	}
	ask := []string{"Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "content-type"}
	a := from(t, page, "OPTIONS", put, "", ask...)
	if a.StatusCode != 204 || a.Header.Get("Access-Control-Allow-Methods") != "GET, HEAD, PUT" || a.Header.Get("Access-Control-Allow-Headers") != "*" || a.Header.Get("Access-Control-Max-Age") == "" {
		t.Errorf("a preflight: %d %v", a.StatusCode, a.Header)
	}
	if a := from(t, "https://other.example", "OPTIONS", put, "", ask...); a.StatusCode < 400 || a.Header.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("a preflight from another origin: %d %v", a.StatusCode, a.Header)
	}
}
