package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/documentapi"
)

// encoded sends a request with Accept-Encoding, and returns the undecoded body and the
// headers of the response.
func (g *gateway) encoded(t *testing.T, method, path, accept string) (string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, g.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, body, header := g.exchange(t, request, "Accept-Encoding", accept)
	return body, header
}

// unpacked decompresses a body.
func unpacked(t *testing.T, body string) string {
	t.Helper()
	reader, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestCompression requests large and small JSON, pages and their assets.
func TestCompression(t *testing.T) {
	g := serve(t)
	name := strings.Repeat("Agreement ", 200)
	g.answer(t, func(context.Context) (documentapi.Document, error) { return documentapi.Document{Name: name}, nil })
	for _, path := range []string{"/v2/documents/doc_1", "/v2/documents?state=&name=&size=a&order_by=b&created_at=c", "/openapi.json", "/docs/errors", "/docs/docs.css", "/docs/swagger-ui-bundle.js", "/docs/errors/3001"} {
		plain, header := g.encoded(t, http.MethodGet, path, "identity")
		if header.Get("Content-Encoding") != "" || header.Get("Vary") != "Accept-Encoding" || len(plain) <= 1<<10 {
			t.Errorf("%s: %d bytes, %v", path, len(plain), header)
		}
		for range 2 { // the second time, a file comes from the cache
			packed, header := g.encoded(t, http.MethodGet, path, "br, gzip")
			if header.Get("Content-Encoding") != "gzip" || !slices.Equal(header.Values("Vary"), []string{"Accept-Encoding"}) || len(packed) >= len(plain) {
				t.Errorf("%s: %d bytes of %d, %v", path, len(packed), len(plain), header)
			} else if got := unpacked(t, packed); got != plain {
				t.Errorf("%s: got %.200s, want %.200s", path, got, plain)
			}
		}
		if body, header := g.encoded(t, http.MethodHead, path, "gzip"); body != "" || header.Get("Content-Encoding") != "" || header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("HEAD %s: %q %v", path, body, header)
		}
	}
	for _, path := range []string{"/v2/me", "/v2/nothing", "/livez"} { // small
		if body, header := g.encoded(t, http.MethodGet, path, "gzip"); header.Get("Content-Encoding") != "" || header.Get("Vary") != "" || len(body) > 1<<10 {
			t.Errorf("%s: %d bytes, %v", path, len(body), header)
		}
	}
}

// TestAcceptEncoding checks which Accept-Encoding headers get a compressed response.
func TestAcceptEncoding(t *testing.T) {
	g := serve(t)
	for accept, want := range map[string]bool{
		"gzip": true, "GZIP;q=0.1": true, "gzip, deflate, br, zstd": true, "*": true, "br;q=1, *;q=0.1": true, "identity;q=0.5, gzip": true, "identity, gzip": true,
		"": false, "identity": false, "br": false, "gzip;q=0": false, "*;q=0": false, "gzip;q=0, *": false, "identity, gzip;q=0.5": false, "gzip;q=NaN": false, ";;,": false,
	} {
		body, header := g.encoded(t, http.MethodGet, "/docs/errors", accept)
		if got := header.Get("Content-Encoding") == "gzip"; got != want || got != bytes.HasPrefix([]byte(body), []byte{0x1f, 0x8b}) {
			t.Errorf("%q: compressed is %v", accept, got)
		}
	}
}
