package evaluation_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/sandbox"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	pdf.Main()
	os.Exit(m.Run())
}

// TestBenchTexts measures the rules on contracts as text.
func TestBenchTexts(t *testing.T) {
	dir := corpus.Folder(t, "contracts")
	measure(t, dir, "txt", func(c evaluation.Contract) *layout.Document {
		text, err := os.ReadFile(filepath.Join(dir, "txt", c.Txt))
		if err != nil {
			t.Fatal(err)
		}
		return &layout.Document{Text: string(text)}
	})
}

// TestBenchPDFs measures the rules on contracts as PDF.
func TestBenchPDFs(t *testing.T) {
	dir := corpus.Folder(t, "contracts")
	reader, err := pdf.NewReader(pdf.Config{
		ProcessConfig: pdf.ProcessConfig{Memory: 1 << 29, Timeout: patience.Limit(), Processes: 2, CacheDir: os.Getenv("RECTO_TEST_PDF_CACHE")}, Pages: 2000,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	})
	measure(t, dir, "pdf", func(c evaluation.Contract) *layout.Document {
		if c.PDF == "" {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, "pdf", c.PDF))
		if err != nil {
			t.Fatal(err)
		}
		f, err := reader.Read(t.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Logf("%s is not counted: %v", c.PDF, err)
			return nil
		}
		return &f.Document
	})
}

// measure prints the report on the contracts of a folder, and writes it to the folder that
// RECTO_BENCH_OUT names, if any. It fails if an item is not where its place says, since
// that is never acceptable.
func measure(t *testing.T, dir, name string, read func(evaluation.Contract) *layout.Document) {
	t.Helper()
	contracts, err := evaluation.Contracts(dir)
	if err != nil {
		t.Fatal(err)
	}
	report := evaluation.NewReport()
	var reading, ruling time.Duration
	for _, c := range contracts {
		began := time.Now()
		d := read(c)
		if d == nil {
			continue
		}
		s := structure.Read(d)
		reading += time.Since(began)
		began = time.Now()
		report.Add(s, c, name == "txt")
		ruling += time.Since(began)
	}
	t.Logf("%d contracts (%s)\n%s", report.Documents, name, report)
	t.Logf("reading and structure %v, rules, ground and scoring %v, %d pages", reading.Round(time.Millisecond), ruling.Round(time.Millisecond), report.Pages)
	for _, u := range report.Ungrounded {
		t.Errorf("the place is wrong: %s", u)
	}
	write(t, name, report)
}

// write writes the report as JSON to the folder that RECTO_BENCH_OUT names, if any.
func write(t *testing.T, name string, report *evaluation.Report) {
	t.Helper()
	out := os.Getenv("RECTO_BENCH_OUT")
	if out == "" {
		return
	}
	data, err := json.Marshal(report, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "insights-"+name+".json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}
