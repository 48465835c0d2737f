package bench

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// fillable creates a document with a file and returns its URL.
func fillable(t *testing.T, s *harness.System, content []byte) string {
	t.Helper()
	c := s.Client(t)
	var d struct {
		ID    string
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	c.Post("/documents", map[string]any{"name": "x", "files": []any{map[string]any{"name": "a.docx", "type": "a/b"}}}).OK(&d)
	if a := c.Raw(http.MethodPut, d.Files[0].UploadURL, content, nil); a.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", a.Status, a.Body)
	}
	return s.BaseURL + "/documents/" + d.ID
}

// post returns a POST request with a JSON body.
func post(t *testing.T, url, key, body string) *http.Request {
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	request.Header.Set("x-api-key", key)
	return request
}

// TestBenchAnnotate prints the cost of checking and of filling the contract, against GET
// of the same document.
func TestBenchAnnotate(t *testing.T) {
	const clients = 4
	s := start(t)
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	contract, err := os.ReadFile(filepath.Join(harness.Root(), "tests", "testdata", "contract.docx"))
	if err != nil {
		t.Fatal(err)
	}
	url := fillable(t, s, contract)
	body := `{"field_values":{"agreementinput-client-name":{"value":"Zoë Ünal"},"agreementinput-fee":{"value":"120.50"},"agreementinput-start-date":{"value":"2026-03-01"},` +
		`"agreementinput-services":{"value":["Advice"]},"agreementinput-payment-term":{"value":"within 30 days"},"agreementinput-signature":{"value":"Zoë Ünal"}}}`
	read := func(int) *http.Request { return get(t, url, s.APIKey) }
	run(t, client, 200, clients, read) // warm
	base := run(t, client, 2000, clients, read)
	t.Logf("%-22s %s", "GET document", base)
	for _, what := range []struct{ name, path string }{{"GET fields", "/fields"}, {"annotate, dry run", "/annotate?dry_run=true"}, {"annotate", "/annotate"}} {
		request := func(int) *http.Request { return post(t, url+what.path, s.APIKey, body) }
		if what.path == "/fields" {
			request = func(int) *http.Request { return get(t, url+what.path, s.APIKey) }
		}
		run(t, client, 20, clients, request) // warm
		t.Logf("%-22s %s", what.name, run(t, client, 400, clients, request).against(base))
	}
}

// TestBenchAnnotateImages prints the memory and time for three 12-megapixel images in one
// request of 30 MB. The baselines are the idle program, and the same request with three
// small images.
func TestBenchAnnotateImages(t *testing.T) {
	for _, kind := range []struct {
		mediaType string
		encode    func(image.Image) []byte
		grain     int // makes three images add up to 30 MB
	}{{"image/jpeg", encodeJPEG, 34}, {"image/png", encodePNG, 4}} {
		s := start(t)
		client := &http.Client{Transport: s.Transport()}
		url := fillable(t, s, harness.DOCX(harness.Paragraph{Text: "{{agreementinput-a;type=image}} {{agreementinput-b;type=image}} {{agreementinput-c;type=image}}"}))
		annotate := func(content []byte) (time.Duration, int) {
			value := "data:" + kind.mediaType + ";base64," + base64.StdEncoding.EncodeToString(content)
			body := fmt.Sprintf(`{"field_values":{"agreementinput-a":{"value":%[1]q},"agreementinput-b":{"value":%[1]q},"agreementinput-c":{"value":%[1]q}}}`, value)
			return run(t, client, 1, 1, func(int) *http.Request { return post(t, url+"/annotate", s.APIKey, body) }).took, len(body)
		}
		small := kind.encode(photo(400, 300, kind.grain))
		annotate(small) // warm
		base, _ := annotate(small)
		time.Sleep(5 * time.Second) // memory used by the start is released
		pid := s.PID(t)
		idle := residentMiB(t, pid)
		content := kind.encode(photo(4000, 3000, kind.grain))
		forgetPeak(t, pid)
		took, size := annotate(content)
		t.Logf("%-11s %3d MB in three images of 12 megapixels: %s, ×%.0f of small ones; peak memory %d MiB, idle %d MiB: %d MiB more",
			kind.mediaType, size/1e6, round(took), float64(took)/float64(base), peakMiB(t, pid), idle, peakMiB(t, pid)-idle)
		client.CloseIdleConnections()
	}
}

// photo returns an image that compresses about as well as a photograph: shades, with
// noise up to grain.
func photo(width, height, grain int) image.Image {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // deterministic on purpose
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			shade, noise := uint8(200*(x+y)/(width+height)), uint8(random.IntN(grain))
			picture.SetRGBA(x, y, color.RGBA{R: shade + noise, G: shade/2 + noise, B: 255 - shade - noise, A: 255})
		}
	}
	return picture
}

func encodeJPEG(picture image.Image) []byte {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: 97}); err != nil {
		panic(err) // writing to a buffer never fails
	}
	return out.Bytes()
}

func encodePNG(picture image.Image) []byte {
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// forgetPeak resets a process's peak memory to its current use.
func forgetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
}

// peakMiB returns the peak memory of a process since forgetPeak.
func peakMiB(t *testing.T, pid int) int { t.Helper(); return statusMiB(t, pid, "VmHWM:") }
