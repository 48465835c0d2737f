package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// TestSeparateProcesses runs the services as they are deployed, each a program
// of its own, over servers that are programs of their own.
func TestSeparateProcesses(t *testing.T) {
	harness.StandaloneOnly(t) // a run of the other modes is all about this
	s, d := harness.StartProcesses(t, harness.Options{Rate: "1000/min", Env: []string{"CONVERSION_WORKERS=1"}})
	c := s.Client(t)
	doc := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	var got converted
	c.Post("/documents/"+doc.ID+"/convert", nil).OK(&got)
	if text := pdfText(t, c.Raw(http.MethodGet, got.DownloadURL, nil, nil).Body); !strings.Contains(text, "Consulting Agreement") {
		t.Errorf("the PDF says %q", text)
	}
	c.Post("/documents/convert", inlineBody("a.docx", testdata(t, "agreement.docx"))).OK(nil)
	metrics := s.Metrics(t, "gateway")
	if !strings.Contains(metrics, "recto_ratelimit_fallback_total 0") {
		t.Error("Redis does not count")
	}

	// A service that dies is missed, and taken back when it returns.
	_ = d.Services["document"].Kill()
	c.Get("/documents/"+doc.ID).Fails(503, 5003)
	if err := d.Services["document"].Start(); err != nil {
		t.Fatal(err)
	}
	c.Get("/documents/" + doc.ID).OK(nil)

	// So is the object store.
	if err := d.Objects.Stop(); err != nil {
		t.Error(err)
	}
	c.Post("/documents/"+doc.ID+"/convert", nil).Fails(503, 5003)
	c.Get("/documents/" + doc.ID).OK(nil) // it signs, and dials nobody

	// Revocation is told over the bus.
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
			t.Errorf("SIGTERM ends %s with %v:\n%s", name, err, p.Output())
		}
		for line := range strings.Lines(p.Output()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s logs %q", name, line)
			}
		}
	}
}

// TestRefusedConfigurations starts each program without what it needs: all of
// it is told at once.
func TestRefusedConfigurations(t *testing.T) {
	harness.StandaloneOnly(t)
	for program, wants := range map[string][]string{
		"gateway":    {"GATEWAY_DATABASE", "GATEWAY_KEY_PEPPERS", "GATEWAY_TLS_CERT_FILE", "GATEWAY_TYPO is not known"},
		"document":   {"DOCUMENT_DATABASE", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY", "DOCUMENT_POOL", "DOCUMENT_TYPO is not known"},
		"conversion": {"S3_ENDPOINT", "CONVERSION_WORKERS", "CONVERSION_TYPO is not known"},
	} {
		pkg := map[string]string{"gateway": "gateway/cmd/gateway"}[program]
		if pkg == "" {
			pkg = fmt.Sprintf("services/%[1]s/cmd/%[1]s", program)
		}
		binary, err := harness.Build(program, pkg)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), binary)
		cmd.Env = append(os.Environ(), strings.ToUpper(program)+"_TYPO=1", "DOCUMENT_POOL=0", "CONVERSION_WORKERS=-1")
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%s starts", program)
		}
		for _, want := range wants {
			if !bytes.Contains(out, []byte(want)) {
				t.Errorf("%s does not say %q:\n%s", program, want, out)
			}
		}
		help, err := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "--help").CombinedOutput()
		if err != nil || !bytes.Contains(help, []byte("NATS_URL")) || !bytes.Contains(help, []byte(strings.ToUpper(program)+"_")) {
			t.Errorf("the help of %s says\n%s", program, help)
		}
	}
}
