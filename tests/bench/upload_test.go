package bench

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// TestBenchUpload prints how long 16 concurrent uploads of 100 MiB take in one call,
// against create, PUT and GET, and how much memory the program uses for them.
func TestBenchUpload(t *testing.T) {
	const clients = 16
	s := start(t)
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	measure := func(size int64, clients int, upload func(size int64, seed int)) time.Duration {
		idle := residentMiB(t, s.PID(t))
		resetPeak(t, s.PID(t))
		begin := time.Now()
		var all sync.WaitGroup
		for seed := range clients {
			all.Go(func() { upload(size, seed) })
		}
		all.Wait()
		took := time.Since(begin)
		t.Logf("    %2d clients, %3d MiB each: %7s, %d MiB of additional memory at the peak", clients, size>>20, round(took), statusMiB(t, s.PID(t), "VmHWM:")-idle)
		return took
	}
	inOneCall := func(size int64, seed int) { uploadInOneCall(t, s, client, size, seed) }
	t.Log("create, PUT and GET:")
	base := measure(100<<20, clients, func(size int64, seed int) { uploadInThree(t, s, client, size, seed) })
	t.Log("one call:")
	measure(1<<20, clients, inOneCall)
	measure(10<<20, clients, inOneCall)
	took := measure(100<<20, clients, inOneCall)
	t.Logf("one call takes ×%.2f the time of create, PUT and GET", took.Seconds()/base.Seconds())
}

// resetPeak resets a process's peak memory to its current use.
func resetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

// pattern yields bytes that differ for each seed, and hashes them.
type pattern struct {
	random *rand.ChaCha8
	left   int64
	hash   hash.Hash
}

func newPattern(size int64, seed int) *pattern {
	return &pattern{rand.NewChaCha8([32]byte{byte(seed), 1}), size, sha256.New()}
}

// Read implements io.Reader.
func (p *pattern) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n, _ := p.random.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	_, _ = p.hash.Write(b[:n])
	return n, nil
}

// uploaded is a document in a response.
type uploaded struct {
	ID    string
	Files []struct {
		UploadURL   string `json:"upload_url"`
		DownloadURL string `json:"download_url"`
	}
}

// do sends a request and decodes the response into v.
func do(t *testing.T, client *http.Client, request *http.Request, v any) {
	t.Helper()
	answer, err := client.Do(request)
	if err != nil {
		t.Error(err)
		return
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || v != nil && json.Unmarshal(body, v) != nil {
		t.Errorf("%s %s: %d %.500s, %v", request.Method, request.URL.Path, answer.StatusCode, body, err)
	}
}

// request returns a request with the system's API key.
func request(t *testing.T, s *harness.System, method, path string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.BaseURL+path, body)
	if err != nil {
		t.Error(err)
	}
	r.Header.Set("x-api-key", s.APIKey)
	return r
}

// uploadInOneCall creates a document with a file in one call, and checks the stored
// content.
func uploadInOneCall(t *testing.T, s *harness.System, client *http.Client, size int64, seed int) {
	content := newPattern(size, seed)
	body, in := io.Pipe()
	w := multipart.NewWriter(in)
	go func() {
		err := w.WriteField("document", `{"name": "x"}`)
		if err == nil {
			var file io.Writer
			if file, err = w.CreateFormFile("files", "a.bin"); err == nil {
				_, err = io.Copy(file, content)
			}
		}
		if err == nil {
			err = w.Close()
		}
		_ = in.CloseWithError(err) // always returns nil
	}()
	r := request(t, s, http.MethodPost, "/documents", body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	var d uploaded
	do(t, client, r, &d)
	checkStored(t, s, client, d, content)
}

// uploadInThree does the same with three requests: one creates the document, a PUT
// uploads the file, and one seals it.
func uploadInThree(t *testing.T, s *harness.System, client *http.Client, size int64, seed int) {
	content := newPattern(size, seed)
	var d uploaded
	do(t, client, request(t, s, http.MethodPost, "/documents", strings.NewReader(`{"name": "x", "files": [{"name": "a.bin", "type": "application/octet-stream"}]}`)), &d)
	if len(d.Files) != 1 {
		return
	}
	put, err := http.NewRequestWithContext(t.Context(), http.MethodPut, d.Files[0].UploadURL, content)
	if err != nil {
		t.Error(err)
		return
	}
	put.ContentLength = size
	do(t, client, put, nil)
	do(t, client, request(t, s, http.MethodGet, "/documents/"+d.ID, nil), &d)
	checkStored(t, s, client, d, content)
}

// checkStored checks that the stored content is what was sent.
func checkStored(t *testing.T, s *harness.System, client *http.Client, d uploaded, content *pattern) {
	t.Helper()
	var versions struct {
		Items []struct{ Files []struct{ SHA256 string } }
	}
	do(t, client, request(t, s, http.MethodGet, "/documents/"+d.ID+"/versions", nil), &versions)
	if want := fmt.Sprintf("%x", content.hash.Sum(nil)); len(versions.Items) != 1 || versions.Items[0].Files[0].SHA256 != want {
		t.Errorf("document %s holds %+v, want %s", d.ID, versions, want)
	}
}
