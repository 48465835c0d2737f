package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// TestSeparateProcesses runs the services as they are deployed: each as its own program,
// with separate servers.
func TestSeparateProcesses(t *testing.T) {
	harness.StandaloneOnly(t) // all tests do this in the other modes
	s, d := harness.StartProcesses(t, harness.Options{Rate: "1000/min", Env: []string{"CONVERSION_WORKERS=1"}})
	c := s.Client(t)
	doc := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	var got converted
	c.Post("/documents/"+doc.ID+"/convert", nil).OK(&got)
	if text := pdfText(t, c.Raw(http.MethodGet, got.DownloadURL, nil, nil).Body); !strings.Contains(text, "Consulting Agreement") {
		t.Errorf("the PDF says %q", text)
	}
	c.Post("/documents/convert", inlineBody("a.docx", testdata(t, "agreement.docx"))).OK(nil)
	// On a busy machine, Redis may be late for a request or two.
	fallbacks := func() float64 { return metric(t, s, "recto_ratelimit_fallback_total") }
	patience.Until(t, "a request is counted in Redis", func() bool {
		before := fallbacks()
		c.Get("/me").OK(nil)
		return fallbacks() == before
	})

	// Requests fail while a service is down and succeed when it is back.
	_ = d.Services["document"].Kill()
	c.Get("/documents/"+doc.ID).Fails(503, 5003)
	if err := d.Services["document"].Start(); err != nil {
		t.Fatal(err)
	}
	c.Get("/documents/" + doc.ID).OK(nil)

	// Without the object store, only requests that need it fail.
	if err := d.Objects.Stop(); err != nil {
		t.Error(err)
	}
	c.Post("/documents/"+doc.ID+"/convert", nil).Fails(503, 5003)
	c.Get("/documents/" + doc.ID).OK(nil) // presigning needs no connection

	// Revocation is announced over the bus.
	made := decode[struct {
		ID     string
		APIKey string `json:"api_key"`
	}](t, recto(t, s, "keys", "create", "--json"))
	other := c.WithKey(made.APIKey)
	other.Get("/me").OK(nil)
	recto(t, s, "keys", "revoke", made.ID)
	eventually(t, func() (string, bool) {
		a := other.Get("/me")
		return string(a.Body), a.Status == 403
	})
	for name, p := range d.Services {
		if err := p.Stop(); err != nil {
			t.Errorf("stopping %s with SIGTERM: %v\n%s", name, err, p.Output())
		}
		for line := range strings.Lines(p.Output()) {
			if !json.Valid([]byte(line)) || strings.Contains(strings.ToLower(line), "permission") { // NATS must refuse nothing
				t.Errorf("%s logs %q", name, line)
			}
		}
	}
}
