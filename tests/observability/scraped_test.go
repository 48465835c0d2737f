package observability

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/tests/harness"
)

// scrape starts the standalone program, uses every service once, and returns the metrics
// that the program exports then. Their labels are those of all series together.
func scrape(t *testing.T) map[string]metric {
	t.Helper()
	m := modelserver.Start(t) // without a model, its metrics do not exist
	s := harness.Start(t, harness.Options{Env: []string{
		"INSIGHT_MODEL_PROVIDER=openai", "INSIGHT_MODEL=scripted", "INSIGHT_MODEL_URL=" + m.URL(modelserver.OpenAI), "INSIGHT_MODEL_KEY=test",
	}})
	use(t, s)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(s.Metrics(t, "gateway")))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]metric{}
	for name, f := range families {
		kind := strings.ToLower(f.GetType().String())
		own := metric{strings.ToUpper(kind[:1]) + kind[1:], map[string]bool{}}
		for _, series := range f.GetMetric() {
			for _, l := range series.GetLabel() {
				own.labels[l.GetName()] = true
			}
		}
		found[name] = own
	}
	return found
}

// use sends a request to each service, and one without an API key.
func use(t *testing.T, s *harness.System) {
	t.Helper()
	c := s.Client(t)
	c.WithKey("").Get("/me")
	content, err := os.ReadFile(filepath.Join(harness.Root(), "tests/testdata/agreement.docx"))
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	var d struct {
		ID    string `json:"id"`
		Files []struct {
			UploadURL string `json:"upload_url"`
		} `json:"files"`
	}
	c.Do(harness.Request{Method: http.MethodPost, Path: "/documents", Header: map[string]string{"Idempotency-Key": rand.Text()},
		Body: object{"name": "Agreement", "files": []object{{"name": "a.docx", "type": "application/octet-stream"}}}}).OK(&d)
	if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, content, nil); a.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
	c.Post("/documents/"+d.ID+"/convert", nil).OK(nil)
	c.Post("/documents/convert", object{"file_base64": base64.StdEncoding.EncodeToString(content), "filename": "a.docx"}).OK(nil)
	c.Get("/documents/" + d.ID + "/fields").OK(nil)
	c.Post("/insights", object{"doc_text": "This agreement is governed by the laws of Sweden.", "insights": []object{{"type": "document_title"}}}).OK(nil)
}
