package evaluation_test

import (
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

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
// second, on one core, for all types of insights at once.
func BenchmarkTexts(b *testing.B) {
	dir := corpus.Folder(b, "contracts")
	all := contracts(b, dir)
	system := sourcetest.New(b, blobtest.NewBucket())
	e := engine.New(source.NewReader(system.Deps), nil).WithClauses(learn.Clauses())
	var texts []domain.Material
	report := evaluation.NewReport()
	for i := 0; i < len(all); i += every {
		text := string(read(b, dir, "txt", all[i].Txt))
		report.AddContract(&layout.Document{Text: text}, &insightapi.Answer{}, all[i], true)
		material := system.Text(text)
		material.Job.ID = "job_1"
		texts = append(texts, material)
	}
	question := domain.Question{Requests: evaluation.ContractRequests()}
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range texts {
			if _, err := e.Analyze(b.Context(), m, question, new(stages)); err != nil {
				b.Fatal(err)
			}
		}
	}
	pages := float64(report.Pages * b.N)
	b.ReportMetric(pages/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/pages, "ns/page")
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
