package evaluation_test

import (
	"testing"

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
