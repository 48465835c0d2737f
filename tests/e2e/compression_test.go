package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// TestCompressedList checks that a list is compressed only for clients that accept gzip.
func TestCompressedList(t *testing.T) {
	c := shared.NewClient(t)
	for range 5 {
		create(t, c, valid())
	}
	list := func(accept string) *harness.Answer {
		return c.Do(harness.Request{Path: "/documents", Header: map[string]string{"Accept-Encoding": accept}, Undocumented: true}) // the description knows only uncompressed responses
	}
	plain, packed := list("identity"), list("gzip")
	if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" || len(packed.Body) >= len(plain.Body) {
		t.Errorf("%d and %d bytes: %v", len(plain.Body), len(packed.Body), packed.Header)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed.Body))
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ Total int }
	if err := json.NewDecoder(reader).Decode(&shown); err != nil || shown.Total != 5 {
		t.Errorf("the list has %d documents, want 5: %v", shown.Total, err)
	}
}

// TestStreamsAreNotCompressed checks that a stream of more than 1 KiB is not compressed.
func TestStreamsAreNotCompressed(t *testing.T) {
	for _, accept := range []string{"text/event-stream", "application/x-ndjson"} {
		a := shared.NewClient(t).Do(harness.Request{Method: http.MethodPost, Path: "/insights", Header: map[string]string{"Accept-Encoding": "gzip", "Accept": accept}, Body: map[string]any{
			"doc_text": "LEASE\n\nThis Lease is made on 1 March 2026. The rent is $1,200 a month.", "stream": true,
			"insights": []any{map[string]any{"type": "document_title"}, map[string]any{"type": "document_dates"}, map[string]any{"type": "contract_values"}},
		}})
		if a.Status != http.StatusOK || a.Header.Get("Content-Encoding") != "" || len(a.Body) <= 1<<10 || !bytes.Contains(a.Body, []byte("LEASE")) {
			t.Errorf("%s: %d %v %s", accept, a.Status, a.Header, a.Body)
		}
	}
}
