package evaluation_test

import (
	"bytes"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

// every is the distance between the contracts that BenchmarkTexts reads.
const every = 8

// BenchmarkTexts measures how many pages of contracts sent as text the engine reads in a
// second, for all types of insights at once: one contract at a time, and two.
func BenchmarkTexts(b *testing.B) {
	dir, system, report := corpus.Folder(b, "contracts"), sourcetest.New(b, blobtest.NewBucket()), evaluation.NewReport()
	var texts []domain.Material
	for i, c := range contracts(b, dir) {
		if i%every == 0 {
			text := string(read(b, dir, "txt", c.Txt))
			texts = append(texts, system.Text(text))
			report.AddContract(&layout.Document{Text: text}, &insightapi.Answer{}, c, true)
		}
	}
	benchmarkPages(b, system, texts, report.Pages)
}

// BenchmarkPDFs measures the same for all contracts that are PDF files.
func BenchmarkPDFs(b *testing.B) {
	dir, system, report := corpus.Folder(b, "contracts"), sourcetest.New(b, blobtest.NewBucket()), evaluation.NewReport()
	system.PDF = pdfReader(b)
	var files []domain.Material
	for _, c := range contracts(b, dir) {
		if c.PDF == "" {
			continue
		}
		data := read(b, dir, "pdf", c.PDF)
		f, err := system.PDF.Read(b.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, system.Fetched(c.PDF, "application/pdf", data))
		report.AddContract(&f.Document, &insightapi.Answer{}, c, true)
	}
	benchmarkPages(b, system, files, report.Pages)
}

// benchmarkPages measures the analysis of materials that have a number of pages in total.
func benchmarkPages(b *testing.B, system *sourcetest.System, materials []domain.Material, pages int) {
	e := engine.New(source.NewReader(system.Deps), nil).WithClauses(learn.Clauses())
	question := domain.Question{Requests: evaluation.ContractRequests()}
	for _, workers := range []int{1, 2} {
		b.Run(strconv.Itoa(workers), func(b *testing.B) {
			b.ReportAllocs()
			before := processorTime(b)
			for b.Loop() {
				var work errgroup.Group
				work.SetLimit(workers)
				for _, m := range materials {
					m.Job.ID = "job_1"
					work.Go(func() error {
						_, err := e.Analyze(b.Context(), m, question, new(stages))
						return err
					})
				}
				if err := work.Wait(); err != nil {
					b.Fatal(err)
				}
			}
			all := float64(pages * b.N)
			b.ReportMetric(all/b.Elapsed().Seconds(), "pages/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/all, "ns/page")
			b.ReportMetric(float64(processorTime(b)-before)/all, "cpu-ns/page")
		})
	}
}

// processorTime returns how long this process has used processors, which other load on the
// machine changes less than the time that passes.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkLength measures how time and memory grow with the length of a text, up to the
// longest that the service accepts. The texts are contracts, one after the other.
func BenchmarkLength(b *testing.B) {
	dir := corpus.Folder(b, "contracts")
	var book strings.Builder
	for _, c := range contracts(b, dir) {
		book.Write(read(b, dir, "txt", c.Txt))
	}
	system := sourcetest.New(b, blobtest.NewBucket())
	e := engine.New(source.NewReader(system.Deps), nil).WithClauses(learn.Clauses())
	question := domain.Question{Requests: evaluation.ContractRequests()}
	for size := insightapi.MaxTextLength / 100; size <= insightapi.MaxTextLength; size *= 10 {
		text := strings.ToValidUTF8(book.String()[:size], "")
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			material := system.Text(text)
			material.Job.ID = "job_1"
			highest := watchHeap(b)
			for b.Loop() {
				if _, err := e.Analyze(b.Context(), material, question, new(stages)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(text)), "ns/byte")
			b.ReportMetric(float64(highest())/1e6, "peak-MB")
		})
	}
}

// watchHeap samples the size of the heap until the returned function is called, which
// returns the largest sample in bytes.
func watchHeap(b *testing.B) (highest func() uint64) {
	b.Helper()
	done, result := make(chan struct{}), make(chan uint64)
	go func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		sample, top := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}, uint64(0)
		for {
			metrics.Read(sample)
			top = max(top, sample[0].Value.Uint64())
			select {
			case <-ticker.C:
			case <-done:
				result <- top
				return
			}
		}
	}()
	return func() uint64 {
		close(done)
		return <-result
	}
}
