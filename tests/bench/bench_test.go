package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

func start(t *testing.T) *harness.System {
	t.Helper()
	return harness.Start(t, harness.Options{Rate: "unlimited"})
}

// TestBenchStart prints how long recto up takes to become ready, and its memory use then.
// The baseline is recto version: the same program doing nothing.
func TestBenchStart(t *testing.T) {
	binary, err := harness.Binary()
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 9
	var first, second, nothing []time.Duration
	var memory []int
	for range rounds {
		dir := t.TempDir()
		for _, times := range []*[]time.Duration{&first, &second} {
			begin := time.Now()
			s, err := harness.Launch(harness.Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			*times = append(*times, time.Since(begin))
			time.Sleep(2 * time.Second) // LibreOffice has started and exited
			memory = append(memory, residentMiB(t, s.PID(t)))
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
		}
		begin := time.Now()
		if err := exec.Command(binary, "version").Run(); err != nil {
			t.Fatal(err)
		}
		nothing = append(nothing, time.Since(begin))
	}
	for _, times := range [][]time.Duration{first, second, nothing} {
		slices.Sort(times)
	}
	slices.Sort(memory)
	base := nothing[rounds/2]
	t.Logf("ready, first start    median %8s  worst %8s  ×%.1f of recto version", round(first[rounds/2]), round(first[rounds-1]), float64(first[rounds/2])/float64(base))
	t.Logf("ready, second start   median %8s  worst %8s  ×%.1f of recto version", round(second[rounds/2]), round(second[rounds-1]), float64(second[rounds/2])/float64(base))
	t.Logf("recto version         median %8s", round(base))
	t.Logf("memory when idle      median %d MiB, worst %d MiB", memory[len(memory)/2], memory[len(memory)-1])
}

func residentMiB(t *testing.T, pid int) int { t.Helper(); return statusMiB(t, pid, "VmRSS:") }

// statusMiB returns a memory figure from the kernel's status of a process.
func statusMiB(t *testing.T, pid int, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), name)
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}

// bare starts a Fiber handler behind TLS that answers with body, and returns its URL and
// process id.
func bare(t *testing.T, s *harness.System, body []byte) (url string, pid int) {
	t.Helper()
	binary, err := harness.Build("bare", "tests/bench/bare")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	cert, key := s.Certificate()
	cmd := exec.Command(binary, cert, key, file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "https://" + strings.TrimSpace(line), cmd.Process.Pid
}

// create creates n documents with 16 concurrent clients.
func create(t *testing.T, s *harness.System, client *http.Client, n int) load {
	t.Helper()
	return run(t, client, n, 16, func(i int) *http.Request {
		body := fmt.Sprintf(`{"name":"Agreement %06d","state":"%s","files":[{"name":"a.docx","type":"application/pdf"}]}`, i*7919%n, []string{"draft", "agreement"}[i%2])
		request, err := http.NewRequest(http.MethodPost, s.BaseURL+"/documents", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("x-api-key", s.APIKey)
		return request
	})
}

// TestBenchGet prints the cost of GET of a document through the whole path (TLS, key,
// rate limit, NATS, store, presigned URLs) against a bare handler that answers with the
// same bytes.
func TestBenchGet(t *testing.T) {
	s := start(t)
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	create(t, s, client, 100)
	c := s.Client(t)
	var d struct {
		ID    string
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	c.Post("/documents", map[string]any{"name": "x", "files": []any{map[string]any{"name": "a.pdf", "type": "application/pdf"}}}).OK(&d)
	if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, []byte("%PDF-1.4"), nil); a.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
	url := s.BaseURL + "/documents/" + d.ID
	baseline, _ := bare(t, s, c.Get("/documents/"+d.ID).Body)
	account := s.BaseURL + "/me"
	for _, workers := range []int{1, 16} {
		var loads [3]load
		for i, target := range []string{baseline, account, url} {
			run(t, client, 500, workers, func(int) *http.Request { return get(t, target, s.APIKey) }) // warm
			loads[i] = run(t, client, 6000, workers, func(int) *http.Request { return get(t, target, s.APIKey) })
		}
		t.Logf("%2d clients, bare TLS handler      %s", workers, loads[0])
		t.Logf("%2d clients, GET /me (no service)  %s", workers, loads[1].against(loads[0]))
		t.Logf("%2d clients, GET document          %s", workers, loads[2].against(loads[0]))
	}
}

// TestBenchList prints the cost of listing for an organization with 100 000 documents,
// against one with 100.
func TestBenchList(t *testing.T) {
	const documents = 100_000
	s := start(t)
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	create(t, s, client, 100)
	small := run(t, client, 2000, 1, func(int) *http.Request { return get(t, s.BaseURL+"/documents", s.APIKey) })
	begin := time.Now()
	creates := create(t, s, client, documents-100)
	t.Logf("creating %d documents, 16 clients  %s, took %s", documents, creates, time.Since(begin).Round(time.Second))
	var page struct{ Total, Pages int }
	if err := json.NewDecoder(bytes.NewReader(s.Client(t).Get("/documents").Body)).Decode(&page); err != nil || page.Total != documents {
		t.Fatalf("got %d documents, %v, want %d", page.Total, err, documents)
	}
	t.Logf("%-34s %s", "first page of 100 documents", small)
	for _, q := range []struct {
		what, query string
	}{
		{"first page of 100 000", ""}, {"page 900", "?page=900"}, {"first page, state=draft", "?state=draft"}, {"first page by name", "?order_by=name"},
		{"page 400, state=draft, by name", "?page=400&state=draft&order_by=name"}, {"nothing matches", "?created_by=nobody&order_by=updated_at"},
	} {
		l := run(t, client, 1000, 1, func(int) *http.Request { return get(t, s.BaseURL+"/documents"+q.query, s.APIKey) })
		t.Logf("%-34s %s", q.what, l.against(small))
	}
}
