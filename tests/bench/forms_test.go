package bench

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"github.com/rectohq/recto/libs/testkit/pdfforms"
	"github.com/rectohq/recto/tests/harness"
)

// way is one of several ways to do the same. do returns the time that it took.
type way struct {
	name string
	do   func(round int) time.Duration
}

// compare prints the times of ways, with ratios to the first of them. They take turns, so
// that other load on the machine affects all of them.
func compare(t *testing.T, rounds int, ways ...way) {
	t.Helper()
	times := make([]load, len(ways))
	for i := range rounds + 1 {
		for j, w := range ways {
			if took := w.do(i); i > 0 { // the first warms caches
				times[j].latencies = append(times[j].latencies, took)
			}
		}
	}
	for i, w := range ways {
		slices.Sort(times[i].latencies)
		p50, p99 := times[i].quantile(.5), times[i].quantile(.99)
		t.Logf("%-26s p50 %9s ×%-6.2f p99 %9s ×%.2f", w.name, round(p50), float64(p50)/float64(times[0].quantile(.5)),
			round(p99), float64(p99)/float64(times[0].quantile(.99)))
	}
}

// TestBenchForms prints what forms cost through the API: filling a PDF form of 20 fields,
// against pdfcpu in this process; filling a Word document and getting a PDF in one request,
// against two; and the image of a page that has been rendered before, against one that has
// not.
func TestBenchForms(t *testing.T) {
	s := start(t)
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	file := pdfforms.Form(20)
	url := stored(t, s, "form.pdf", file)
	ids := fieldIDs(t, client, get(t, url+"/fields", s.APIKey))
	if len(ids) != 20 {
		t.Fatalf("the form has the fields %q", ids)
	}
	t.Log("a PDF form of 20 fields")
	compare(t, 100,
		way{"pdfcpu, in process", func(i int) time.Duration { return fillWithPDFCPU(t, file, i) }},
		way{"annotate", func(i int) time.Duration {
			values := map[string]any{}
			for _, id := range ids {
				values[id] = map[string]any{"value": fmt.Sprintf("a value of round %d", i)}
			}
			_, took := exchange(t, client, post(t, url+"/annotate", s.APIKey, encode(t, map[string]any{"field_values": values})))
			return took
		}})
	benchOneCall(t, s, client)
	t.Log("an image of its page") // each width is another image, of about the same size
	image := func(i int) time.Duration {
		_, took := exchange(t, client, get(t, fmt.Sprintf("%s/pages/1.png?width=%d", url, 800+i), s.APIKey))
		return took
	}
	compare(t, 40, way{"cold", image}, way{"warm", image})
}

// benchOneCall prints the time of annotate with format=pdf against that of annotate and of a
// conversion of its result. What the client does in between, which is to download the file
// and to encode it, does not count.
func benchOneCall(t *testing.T, s *harness.System, client *http.Client) {
	contract, err := os.ReadFile(filepath.Join(harness.Root(), "tests", "testdata", "contract.docx"))
	if err != nil {
		t.Fatal(err)
	}
	url := stored(t, s, "contract.docx", contract)
	annotate := func(query, name string) ([]byte, time.Duration) {
		values := map[string]any{"agreementinput-client-name": map[string]any{"value": name}}
		return exchange(t, client, post(t, url+"/annotate"+query, s.APIKey, encode(t, map[string]any{"field_values": values})))
	}
	t.Log("a Word document as PDF")
	compare(t, 15,
		way{"annotate, then convert", func(i int) time.Duration {
			raw, took := annotate("", fmt.Sprintf("Two Ltd %d", i))
			var result struct {
				DownloadURL string `json:"download_url"`
			}
			if err := json.Unmarshal(raw, &result); err != nil {
				t.Fatal(err)
			}
			filled, _ := exchange(t, client, get(t, result.DownloadURL, ""))
			_, more := exchange(t, client, post(t, s.BaseURL+"/documents/convert", s.APIKey,
				encode(t, map[string]any{"filename": "contract.docx", "file_base64": base64.StdEncoding.EncodeToString(filled)})))
			return took + more
		}},
		way{"annotate with format=pdf", func(i int) time.Duration {
			_, took := annotate("?format=pdf", fmt.Sprintf("One Ltd %d", i))
			return took
		}})
}

// exchange sends a request and returns the body of its answer, and the time until the body
// has been read.
func exchange(t *testing.T, client *http.Client, request *http.Request) ([]byte, time.Duration) {
	t.Helper()
	begin := time.Now()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v: %.500s", request.URL.Path, response.StatusCode, err, body)
	}
	return body, time.Since(begin)
}

// fieldIDs returns the ids of the listed fields.
func fieldIDs(t *testing.T, client *http.Client, request *http.Request) []string {
	t.Helper()
	raw, _ := exchange(t, client, request)
	var list struct {
		Items []struct {
			ID string `json:"field_id"`
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, item := range list.Items {
		ids = append(ids, item.ID)
	}
	return ids
}

// encode returns v as JSON.
func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// fillWithPDFCPU fills the fields of pdfforms.Form(20) with pdfcpu.
func fillWithPDFCPU(t *testing.T, file []byte, round int) time.Duration {
	t.Helper()
	api.DisableConfigDir()
	var fields []string
	for i := range 20 {
		fields = append(fields, fmt.Sprintf(`{"pages":[1],"id":"field_%d","name":"field_%[1]d","value":"a value of round %d","multiline":false,"locked":true}`, i+1, round))
	}
	order := `{"header":{"source":"form.pdf","version":"pdfcpu v0.15.0"},"forms":[{"textfield":[` + strings.Join(fields, ",") + `]}]}`
	begin := time.Now()
	var out bytes.Buffer
	if err := api.FillForm(bytes.NewReader(file), strings.NewReader(order), &out, nil); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	if !bytes.HasPrefix(out.Bytes(), []byte("%PDF-")) {
		t.Fatalf("pdfcpu wrote %.20q", out.Bytes())
	}
	return took
}
