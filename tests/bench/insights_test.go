package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// insightTypes are the insights requested for each contract.
const insightTypes = `[{"type":"document_title"},{"type":"document_type"},{"type":"document_parties"},{"type":"document_signers"},{"type":"document_fields"},` +
	`{"type":"document_clauses"},{"type":"contract_values"},{"type":"document_dates"},{"type":"limit_of_liability"},{"type":"renewal_term_length"},{"type":"payments"}]`

// insightsOf returns a request for insights into the document at a URL.
func insightsOf(t *testing.T, s *harness.System, address string, stream bool) *http.Request {
	t.Helper()
	id := address[strings.LastIndex(address, "/")+1:]
	return post(t, s.BaseURL+"/insights", s.APIKey, fmt.Sprintf(`{"document_id":%q,"insights":%s,"stream":%t}`, id, insightTypes, stream))
}

// fresh uploads n copies of a file, with no cached insights for any of them, and returns
// their URLs.
func fresh(t *testing.T, s *harness.System, name string, content []byte, n int) []string {
	t.Helper()
	c := s.Client(t)
	var addresses []string
	for range n {
		var d struct {
			ID    string
			Files []struct {
				UploadURL string `json:"upload_url"`
			}
		}
		c.Post("/documents", map[string]any{"name": name, "files": []any{map[string]any{"name": name, "type": "a/b"}}}).OK(&d)
		if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, content, nil); a.Status != http.StatusOK {
			t.Fatalf("upload: %d %s", a.Status, a.Body)
		}
		addresses = append(addresses, s.BaseURL+"/documents/"+d.ID)
	}
	return addresses
}

// asPDF converts a Word document to PDF.
func asPDF(t *testing.T, s *harness.System, docx []byte) []byte {
	t.Helper()
	var converted struct {
		DownloadURL string `json:"download_url"`
	}
	c := s.Client(t)
	c.Post(strings.TrimPrefix(fillable(t, s, docx), s.BaseURL)+"/convert", nil).OK(&converted)
	return c.Raw(http.MethodGet, converted.DownloadURL, nil, nil).Body
}

// TestBenchInsightsPages prints how many PDF pages per second the insight service reads
// and answers about, against pdftotext, which only reads them.
func TestBenchInsightsPages(t *testing.T) {
	const rounds = 5
	s := start(t)
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	content := asPDF(t, s, harness.LongContract(100, 40))
	file := filepath.Join(t.TempDir(), "a.pdf")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	var pages int
	begin := time.Now()
	for range rounds {
		text, err := exec.Command("pdftotext", "-bbox", file, "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		pages = bytes.Count(text, []byte("<page "))
	}
	base := time.Since(begin)
	addresses := fresh(t, s, "a.pdf", content, rounds+1)
	run(t, client, 1, 1, func(int) *http.Request { return insightsOf(t, s, addresses[rounds], false) }) // warm
	all := run(t, client, rounds, 1, func(i int) *http.Request { return insightsOf(t, s, addresses[i], false) })
	perSecond := func(d time.Duration) float64 { return float64(pages*rounds) / d.Seconds() }
	t.Logf("%d pages, %d KiB: pdftotext %.0f pages/s; insights %.0f pages/s, ×%.2f", pages, len(content)>>10, perSecond(base), perSecond(all.took), perSecond(all.took)/perSecond(base))
}

// TestBenchInsights prints the cost of insights into a ten-page contract, for the first
// time and again, against GET of the document.
func TestBenchInsights(t *testing.T) {
	const rounds = 40
	s := start(t)
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	docx := harness.LongContract(10, 20)
	for _, kind := range []struct {
		name    string
		content []byte
	}{{"a.docx", docx}, {"a.pdf", asPDF(t, s, docx)}} {
		addresses := fresh(t, s, kind.name, kind.content, rounds+1)
		run(t, client, 1, 1, func(int) *http.Request { return insightsOf(t, s, addresses[rounds], false) }) // warm
		base := run(t, client, 400, 1, func(i int) *http.Request { return get(t, addresses[i%rounds], s.APIKey) })
		t.Logf("%-6s GET document         %s", kind.name, base)
		t.Logf("%-6s first time           %s", kind.name, run(t, client, rounds, 1, func(i int) *http.Request { return insightsOf(t, s, addresses[i], false) }).against(base))
		t.Logf("%-6s again                %s", kind.name, run(t, client, 400, 1, func(i int) *http.Request { return insightsOf(t, s, addresses[i%rounds], false) }).against(base))
	}
}

// TestBenchInsightsStream prints when the first item of a stream about a long PDF arrives,
// against when the stream ends.
func TestBenchInsightsStream(t *testing.T) {
	const rounds = 10
	s := start(t)
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	content := longAgreement(t, s)
	addresses := fresh(t, s, "a.pdf", content, rounds+1)
	var firsts, lasts time.Duration
	for i, address := range addresses {
		begin := time.Now()
		response, err := client.Do(insightsOf(t, s, address, true))
		if err != nil {
			t.Fatal(err)
		}
		if first, done := events(t, begin, response); i > 0 { // the first one warms up
			firsts, lasts = firsts+first, lasts+done
		}
	}
	t.Logf("a PDF of %d pages: first item after %s, end of the stream after %s: ×%.3f",
		countPages(t, s, addresses[0]), round(firsts/rounds), round(lasts/rounds), float64(firsts)/float64(lasts))
}

// longAgreement returns an agreement of about 300 pages as PDF.
func longAgreement(t *testing.T, s *harness.System) []byte {
	t.Helper()
	const pages, perPage = 300, 11
	paragraphs := []harness.Paragraph{{Text: "CONSULTING AGREEMENT"}, {Text: "This Consulting Agreement is made as of January 31, 2026 between Lindqvist AB and Acme Corp."}}
	for n := range pages * perPage {
		paragraphs = append(paragraphs, harness.Paragraph{Text: fmt.Sprintf(
			"%d. The Consultant shall deliver part %[1]d of the services with due care, as the parties have agreed in writing. "+
				"The parties agree that each of them keeps confidential what the other one discloses to it, and uses it for no other purpose than these services.", n+1)})
	}
	return asPDF(t, s, harness.DOCX(paragraphs...))
}

// countPages returns the number of pages of a document.
func countPages(t *testing.T, s *harness.System, address string) int {
	t.Helper()
	var list struct{ Total int }
	s.Client(t).Get(strings.TrimPrefix(address, s.BaseURL) + "/pages").OK(&list)
	return list.Total
}

// events reads a stream, and returns how long after begin its first item and its end
// arrived.
func events(t *testing.T, begin time.Time, response *http.Response) (first, done time.Duration) {
	t.Helper()
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		switch {
		case first == 0 && lines.Text() == "event: insight":
			first = time.Since(begin)
		case lines.Text() == "event: done":
			done = time.Since(begin)
		}
	}
	if first == 0 || done == 0 {
		t.Fatalf("status %d, the stream ended early: %v", response.StatusCode, lines.Err())
	}
	return first, done
}
