package evaluation_test

import (
	"bytes"
	"runtime/metrics"
	"strconv"
	"strings"
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

// every is the distance of the contracts that BenchmarkTexts reads.
const every = 8

// BenchmarkTexts measures how many pages of contracts sent as text the engine reads in a
// second, for all types of insights at once, one contract at a time and two.
func BenchmarkTexts(b *testing.B) {
	dir := corpus.Folder(b, "contracts")
	benchmarkPages(b, every, func(system *sourcetest.System, c evaluation.Contract) (domain.Material, *layout.Document) {
		text := string(read(b, dir, "txt", c.Txt))
		return system.Text(text), &layout.Document{Text: text}
	})
}

// BenchmarkPDFs measures the same for contracts as PDF.
func BenchmarkPDFs(b *testing.B) {
	dir := corpus.Folder(b, "contracts")
	benchmarkPages(b, 1, func(system *sourcetest.System, c evaluation.Contract) (domain.Material, *layout.Document) {
		if c.PDF == "" {
			return domain.Material{}, nil
		}
		data := read(b, dir, "pdf", c.PDF)
		f, err := system.PDF.Read(b.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			b.Fatal(err)
		}
		return system.Fetched(c.PDF, "application/pdf", data), &f.Document
	})
}

// benchmarkPages measures the analysis of contracts at a distance from each other, each in
// the form that material returns, with what is read in it. It returns nil for a contract that
// has no such form.
func benchmarkPages(b *testing.B, distance int, material func(*sourcetest.System, evaluation.Contract) (domain.Material, *layout.Document)) {
	system := sourcetest.New(b, blobtest.NewBucket())
	system.PDF = pdfReader(b)
	e := engine.New(source.NewReader(system.Deps), nil).WithClauses(learn.Clauses())
	var materials []domain.Material
	report := evaluation.NewReport()
	for i, c := range contracts(b, corpus.Folder(b, "contracts")) {
		if i%distance != 0 {
			continue
		}
		if m, d := material(system, c); d != nil {
			m.Job.ID = "job_1"
			materials = append(materials, m)
			report.AddContract(d, &insightapi.Answer{}, c, true)
		}
	}
	question := domain.Question{Requests: evaluation.ContractRequests()}
	for _, workers := range []int{1, 2} {
		b.Run(strconv.Itoa(workers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var work errgroup.Group
				work.SetLimit(workers)
				for _, m := range materials {
					work.Go(func() error {
						_, err := e.Analyze(b.Context(), m, question, new(stages))
						return err
					})
				}
				if err := work.Wait(); err != nil {
					b.Fatal(err)
				}
			}
			pages := float64(report.Pages * b.N)
			b.ReportMetric(pages/b.Elapsed().Seconds(), "pages/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/pages, "ns/page")
		})
	}
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
