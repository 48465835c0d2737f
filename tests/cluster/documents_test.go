package cluster

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// upload creates a document with a file and returns its id.
func upload(t testing.TB, c *harness.Client, name string, content []byte) string {
	t.Helper()
	var d struct {
		ID    string
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	c.Post("/documents", map[string]any{"name": "x", "files": []any{map[string]string{"name": name, "type": "application/octet-stream"}}}).OK(&d)
	if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, content, nil); a.Status != http.StatusOK {
		t.Fatalf("the upload returns %d %s", a.Status, a.Body)
	}
	return d.ID
}

// longText returns a text that takes seconds to convert.
func longText() []byte {
	var b bytes.Buffer
	for n := range 60_000 {
		fmt.Fprintf(&b, "Line %d of a text that fills a great many pages.\n", n)
	}
	return b.Bytes()
}

// metricsOf returns the metrics of a pod, or "" if it cannot be asked, as while it starts.
func metricsOf(p pod) string {
	client := http.Client{Timeout: patience.Scale(3 * time.Second)}
	response, err := client.Get("http://" + p.Status.PodIP + ":9464/metrics")
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	return string(body)
}
