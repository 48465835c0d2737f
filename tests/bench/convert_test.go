package bench

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// converter is a way to convert a document to PDF. It fails the test if there is no PDF.
type converter struct {
	name string
	// rounds is how often each document is converted. Fast converters need several: while
	// the last document of a measurement is converted, the other workers have no work.
	rounds int
	do     func(path string) error
}

// conversions is what TestBenchConvert measures of one converter.
type conversions struct {
	load
	byPath map[string][]time.Duration // the latencies of each document
	cpu    time.Duration              // of the whole machine, for each document
}

// TestBenchConvert prints what conversion costs through the API, against the stock command
// with a process for each document, and against one warm LibreOffice that a client process
// tells what to convert, which is how most services do it. The documents are the same, and
// all figures are ratios within this run. CPU time is that of the whole machine, so nothing
// else should run.
func TestBenchConvert(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(corpus.Folder(t, "docx-templates"), "*.docx"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	dir := t.TempDir()
	for i, path := range paths { // LibreOffice leaves lock files beside documents
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		paths[i] = filepath.Join(dir, fmt.Sprintf("%02d.docx", i))
		if err := os.WriteFile(paths[i], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t)
	patience.Until(t, "LibreOffice is warm", func() bool {
		return strings.Contains(s.Metrics(t, "conversion"), fmt.Sprintf("\nrecto_conversion_zygotes_ready %d\n", runtime.NumCPU()))
	})
	var results []map[int]conversions
	ways := []converter{stock(t), listener(t), inlineAPI(t, s)}
	for _, w := range ways {
		for range 2 { // the first fills caches, and sets up profiles
			if err := w.do(paths[0]); err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
		}
		result := map[int]conversions{}
		for _, workers := range []int{1, 2} {
			before := s.Metrics(t, "conversion")
			c := convertAll(t, w, paths, workers)
			result[workers] = c
			t.Logf("%-22s %d at a time: %5.2f documents/s, p50 %s, p95 %s, %s of CPU time for each", w.name, workers,
				c.perSecond(), round(c.quantile(.5)), round(c.quantile(.95)), c.cpu.Round(time.Millisecond))
			if w.name == ourAPI {
				logShares(t, c, before, s.Metrics(t, "conversion"))
				logShort(t, s, c)
			}
		}
		results = append(results, result)
	}
	ours := results[len(results)-1]
	for i, w := range ways[:len(ways)-1] {
		for workers := 1; workers <= 2; workers++ {
			t.Logf("the API converts ×%.1f as many documents/s as %s, %d at a time, with ×%.2f of the CPU time",
				ours[workers].perSecond()/results[i][workers].perSecond(), w.name, workers, float64(ours[workers].cpu)/float64(results[i][workers].cpu))
		}
	}
	t.Logf("two workers convert ×%.2f as many documents/s as one", ours[2].perSecond()/ours[1].perSecond())
	text := s.Metrics(t, "conversion")
	peak, warm := total(text, "recto_conversion_peak_memory_bytes"), total(text, "recto_conversion_zygotes_ready")
	t.Logf("a copy of a warm LibreOffice used at most %.0f MB, shared pages included; %.0f workers need at most %.0f MB", peak/1e6, warm, peak*warm/1e6)
	t.Logf("%d files of %s", len(paths), "docx-templates")
}

// logShares logs where the time of the conversions went, from the metrics before and after.
func logShares(t *testing.T, c conversions, before, after string) {
	t.Helper()
	each := func(name string) time.Duration {
		seconds := (total(after, name) - total(before, name)) / float64(len(c.latencies))
		return time.Duration(seconds * float64(time.Second)).Round(100 * time.Microsecond)
	}
	var sum time.Duration
	for _, l := range c.latencies {
		sum += l
	}
	mean := sum / time.Duration(len(c.latencies))
	engine, cpu := each("recto_conversion_duration_seconds_sum"), each("recto_conversion_cpu_seconds_total")
	t.Logf("%-22s mean %s, of which %s in the engine, with %s of CPU time in LibreOffice; %s of CPU time outside of it", "",
		round(mean), round(engine), round(cpu), round(c.cpu-cpu))
}

// logShort logs how long the documents with one page took.
func logShort(t *testing.T, s *harness.System, c conversions) {
	t.Helper()
	var short load
	for path, latencies := range c.byPath {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if convertInline(t, s, filepath.Base(path), content, filepath.Join(t.TempDir(), "out.pdf")).pages == 1 {
			short.latencies = append(short.latencies, latencies...)
		}
	}
	if len(short.latencies) == 0 {
		t.Log("no document has one page")
		return
	}
	slices.Sort(short.latencies)
	t.Logf("%-22s p50 %s, p95 %s for documents with one page", "", round(short.quantile(.5)), round(short.quantile(.95)))
}

// total returns the sum of all series of a metric in the text of a scrape.
func total(text, metric string) (sum float64) {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if family, _, _ := strings.Cut(name, "{"); !ok || family != metric {
			continue
		}
		if value, err := strconv.ParseFloat(value, 64); err == nil {
			sum += value
		}
	}
	return sum
}

// convertAll converts all files, in as many rounds as the converter asks for, that many at a
// time.
func convertAll(t *testing.T, w converter, paths []string, workers int) conversions {
	t.Helper()
	c := conversions{byPath: map[string][]time.Duration{}}
	var mu sync.Mutex
	jobs := make(chan string)
	busy, begin := busyTime(t), time.Now()
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for path := range jobs {
				began := time.Now()
				if err := w.do(path); err != nil {
					t.Errorf("%s: %s: %v", w.name, filepath.Base(path), err)
				}
				took := time.Since(began)
				mu.Lock()
				c.latencies, c.byPath[path] = append(c.latencies, took), append(c.byPath[path], took)
				mu.Unlock()
			}
		})
	}
	for range w.rounds {
		for _, path := range paths {
			jobs <- path
		}
	}
	close(jobs)
	wait.Wait()
	c.took, c.cpu = time.Since(begin), (busyTime(t)-busy)/time.Duration(len(c.latencies))
	slices.Sort(c.latencies)
	return c
}

// busyTime returns how long the processors of this machine have been busy.
func busyTime(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	var user, nice, system, idle, iowait, irq, softirq int64
	if _, err := fmt.Sscanf(string(text), "cpu %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &iowait, &irq, &softirq); err != nil {
		t.Fatal(err)
	}
	const tick = 10 * time.Millisecond
	return time.Duration(user+nice+system+irq+softirq) * tick
}

// stockTimeout is the time that Recto gives a document, too.
const stockTimeout = 50 * time.Second

// stock returns the command that LibreOffice's documentation names, with a profile that is
// used again.
func stock(t *testing.T) converter {
	t.Helper()
	profiles := make(chan string, 2)
	for range cap(profiles) {
		profiles <- t.TempDir()
	}
	return converter{"stock soffice", 1, func(path string) error {
		profile, out := <-profiles, t.TempDir()
		defer func() { profiles <- profile }()
		ctx, cancel := context.WithTimeout(t.Context(), stockTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, "soffice", "--headless", "-env:UserInstallation=file://"+profile, "--convert-to", "pdf", "--outdir", out, path)
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, said)
		}
		return isThere(filepath.Join(out, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+".pdf"))
	}}
}

func isThere(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() == 0 {
		err = fmt.Errorf("%s is empty", path)
	}
	return err
}

//go:embed testdata/unoclient.py
var unoClient string

// listener starts a LibreOffice that listens, and returns a way to convert with it.
func listener(t *testing.T) converter {
	t.Helper()
	const python = "/usr/bin/python3" // the one that Debian's package python3-uno is for
	if out, err := exec.Command(python, "-c", "import uno").CombinedOutput(); err != nil {
		t.Fatalf("python3-uno is not installed; run deploy/install-packages bench: %s", out)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().(*net.TCPAddr)
	_ = ln.Close()
	accept := fmt.Sprintf("socket,host=127.0.0.1,port=%d,tcpNoDelay=1;urp;", address.Port)
	profile := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "/usr/lib/libreoffice/program/soffice.bin", "--headless", "--norestore", "--nologo",
		"-env:UserInstallation=file://"+profile, "--accept="+accept)
	for i := 0; ; i++ { // the first start on a new profile sets it up and exits
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		up := false
		patience.Until(t, "LibreOffice listens or exits", func() bool {
			conn, err := net.Dial("tcp", address.String())
			if up = err == nil; up {
				_ = conn.Close()
			}
			return up || len(ended) > 0
		})
		if up {
			t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
			break
		}
		if i == 2 {
			t.Fatal("LibreOffice does not listen")
		}
		cmd = exec.CommandContext(t.Context(), cmd.Path, cmd.Args[1:]...)
	}
	return converter{"a UNO listener", 4, func(path string) error {
		out := filepath.Join(t.TempDir(), "out.pdf")
		said, err := exec.CommandContext(t.Context(), python, "-c", unoClient, accept, path, out).CombinedOutput()
		if isThere(out) != nil { // the client sometimes crashes when it exits
			return fmt.Errorf("there is no PDF: %w: %s", err, said)
		}
		return nil
	}}
}

// ourAPI is the name of the conversion through the API.
const ourAPI = "Recto's API"

// inlineAPI returns the conversion of a file in the request.
func inlineAPI(t *testing.T, s *harness.System) converter {
	t.Helper()
	client := &http.Client{Transport: s.Transport()}
	t.Cleanup(client.CloseIdleConnections)
	return converter{ourAPI, 8, func(path string) error {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		body := encode(t, map[string]any{"filename": filepath.Base(path), "file_base64": base64.StdEncoding.EncodeToString(content)})
		answer, _ := exchange(t, client, post(t, s.BaseURL+"/documents/convert", s.APIKey, body))
		if len(answer) < 1000 {
			return fmt.Errorf("the answer is %s", answer)
		}
		return nil
	}}
}
