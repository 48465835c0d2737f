package pdf_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/pdftest"
)

// entries returns the files in the folder.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// TestCache checks that PDFium is compiled once for all readers that share a folder, and
// again if the result is damaged or lost.
func TestCache(t *testing.T) {
	cfg := pdftest.Config()
	cfg.CacheDir = filepath.Join(t.TempDir(), "made", "by", "it")
	first, second := pdftest.NewReader(t, cfg), pdftest.NewReader(t, cfg)
	var both sync.WaitGroup
	for _, r := range []*pdf.Reader{first, second} {
		both.Go(func() {
			if err := r.Prepare(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	kept := entries(t, cfg.CacheDir)
	if len(kept) != 1 {
		t.Fatalf("the cache has %q", kept)
	}
	read(t, first, manyPages(1))
	if err := os.WriteFile(kept[0], []byte("spoilt"), 0o600); err != nil {
		t.Fatal(err)
	}
	read(t, pdftest.NewReader(t, cfg), manyPages(1))
	if err := os.RemoveAll(cfg.CacheDir); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the later reads find no process that was ready before
		read(t, second, manyPages(1))
	}
}

// TestUnusableCache reads without a usable cache folder.
func TestUnusableCache(t *testing.T) {
	t.Run("the cache folder cannot be created", func(t *testing.T) {
		cfg := pdftest.Config()
		cfg.CacheDir = "/proc/nowhere"
		t.Setenv("TMPDIR", t.TempDir())
		r, err := pdf.NewReader(cfg, telemetry.Discard())
		if err != nil {
			t.Fatal(err)
		}
		read(t, r, manyPages(1))
		if left := entries(t, os.Getenv("TMPDIR")); len(left) == 0 {
			t.Error("nothing was compiled into a temporary folder")
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
			t.Errorf("left over: %v, %v", left, err)
		}
	})
	t.Run("no temporary folder either", func(t *testing.T) {
		cfg := pdftest.Config()
		cfg.CacheDir = ""
		cfg.Processes = 1
		t.Setenv("TMPDIR", "/proc/nowhere")
		read(t, pdftest.NewReader(t, cfg), manyPages(1))
	})
}

// TestConcurrentReads reads several files concurrently.
func TestConcurrentReads(t *testing.T) {
	cfg := pdftest.Config()
	r := pdftest.NewReader(t, cfg)
	files := [][]byte{manyPages(1), manyPages(2), formFile(), []byte("no PDF"), encryptedFile()}
	var all sync.WaitGroup
	for i := range 3 * len(files) {
		all.Go(func() {
			f, refused := attempt(t, r, files[i%len(files)])
			if (f == nil) != (i%len(files) >= 3) {
				t.Errorf("file %d: %v", i%len(files), refused)
			}
		})
	}
	all.Wait()
}

// TestConfig checks that invalid values are refused with the name of their variable.
func TestConfig(t *testing.T) {
	var none config.Problems
	if pdftest.Config().Check(&none, "X_"); len(none) > 0 {
		t.Errorf("the defaults: %v", none)
	}
	for name, change := range map[string]func(*pdf.Config){
		"X_PDF_MEMORY must be at least": func(c *pdf.Config) { c.Memory = 1 << 20 },
		"X_PDF_MEMORY must be at most":  func(c *pdf.Config) { c.Memory = 1 << 40 },
		"X_PDF_TIMEOUT":                 func(c *pdf.Config) { c.Timeout = 0 },
		"X_PDF_PROCESSES":               func(c *pdf.Config) { c.Processes = 0 },
		"X_PDF_PAGES":                   func(c *pdf.Config) { c.Pages = -1 },
	} {
		cfg := pdftest.Config()
		change(&cfg)
		var p config.Problems
		if cfg.Check(&p, "X_"); len(p) != 1 || !strings.Contains(p[0].Error(), name) {
			t.Errorf("%s: got problems %v", name, p)
		}
		if _, err := pdf.NewReader(cfg, telemetry.Discard()); err == nil {
			t.Errorf("%s: NewReader succeeded", name)
		}
	}
}
