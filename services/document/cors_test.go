package document_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestPagesMayUpload starts the service with an origin whose pages may use presigned
// URLs, and then without one.
func TestPagesMayUpload(t *testing.T) {
	const page = "https://app.example.com"
	database := filepath.Join(t.TempDir(), "document.db")
	first := start(t, database, "DOCUMENT_CORS_ORIGINS="+page)
	allowed := func() string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, blobtest.Config("").Endpoint+"/"+first.Bucket+"/incoming/file_1", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", page)
		r.Header.Set("Access-Control-Request-Method", http.MethodPut)
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.Header.Get("Access-Control-Allow-Origin")
	}
	patience.Until(t, "pages may upload", func() bool { return allowed() == page })
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	start(t, database)
	patience.Until(t, "pages may no longer upload", func() bool { return allowed() == "" })
}
