package evaluation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob/blobtest"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/learn/training"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
)

func TestMain(m *testing.M) { os.Exit(sourcetest.Main(m)) }

// TestBenchTexts measures the rules alone, and the rules with learned weights, on contracts
// as text. Each contract is read with weights that were fitted to contracts of other
// companies. Fitting takes minutes, so the weights are measured only with RECTO_BENCH.
func TestBenchTexts(t *testing.T) {
	dir := corpus.Folder(t, "contracts")
	b := newBench(t)
	all := []*contender{b.rules()}
	var folds [training.Folds]*learn.Model
	if os.Getenv("RECTO_BENCH") != "" {
		folds, all = foldModels(t, dir), append(all, b.weighed())
	}
	for _, c := range limited(t, contracts(t, dir)) {
		text := b.Text(string(read(t, dir, "txt", c.Txt)))
		for _, e := range all {
			if e.folds {
				e.engine = b.with(folds[training.FoldOf(c)])
			}
			d, answer := b.analyze(t, e, text, evaluation.ContractRequests())
			e.report.AddContract(d, &answer, c, true)
			e.halves[halfOf(c)].AddTerms(&answer, c)
		}
	}
	finish(t, "insights-txt", all...)
	finishHalves(t, all)
}

// foldModels returns a model for each fold, fitted to the contracts of the other folds. It
// takes minutes.
func foldModels(t *testing.T, dir string) [training.Folds]*learn.Model {
	t.Helper()
	documents, err := training.Sources{Contracts: dir, Labels: labelFolder, Written: writtenFolder}.Documents()
	if err != nil {
		t.Fatal(err)
	}
	r, err := training.TrainClauses(documents, func(text string) { t.Log(text) }, true)
	if err != nil {
		t.Fatal(err)
	}
	return r.Folds
}

// TestBenchPDFs measures the rules alone on contracts as PDF.
func TestBenchPDFs(t *testing.T) {
	dir := corpus.Folder(t, "contracts")
	b := newBench(t)
	rules := b.rules()
	for _, c := range limited(t, contracts(t, dir)) {
		if c.PDF == "" {
			continue
		}
		d, answer := b.analyze(t, rules, b.Fetched(c.PDF, "application/pdf", read(t, dir, "pdf", c.PDF)), evaluation.ContractRequests())
		rules.report.AddContract(d, &answer, c, false)
	}
	finish(t, "insights-pdf", rules)
}

// TestBenchNLI measures the rules alone, and the rules with learned weights, on statements about
// confidentiality agreements, and on questions in plain speech about the same matters. Each
// agreement is read with weights that were fitted to others.
func TestBenchNLI(t *testing.T) {
	dir := corpus.Folder(t, "contract-nli")
	b := newBench(t)
	documents, err := training.Sources{Statements: dir}.Agreements()
	if err != nil {
		t.Fatal(err)
	}
	_, folds, _, err := training.Secrecy(documents)
	if err != nil {
		t.Fatal(err)
	}
	stated, asked := []*contender{b.rules(), b.weighed()}, []*contender{b.rules(), b.weighed()}
	for _, n := range limited(t, ndas(t, dir)) {
		learned := b.with(nil).WithSecrecy(folds[training.FoldOfAgreement(n)])
		for _, all := range [][]*contender{stated, asked} {
			all[1].engine = learned
			for _, e := range all {
				d, answer := b.analyze(t, e, b.Text(n.Text), n.Requests())
				e.report.AddNDA(d, &answer, n)
			}
			for i := range n.Hypotheses {
				n.Hypotheses[i].Statement = plainly[n.Hypotheses[i].Label]
			}
		}
	}
	finish(t, "insights-nli", stated...)
	finish(t, "insights-nli-questions", asked...)
}

// plainly asks about the matters of the statements in plain speech. The questions were written
// before any answer to them was looked at.
var plainly = map[string]string{
	"No reverse engineering":                         "Is the receiving party forbidden to reverse engineer anything?",
	"Return of confidential information":             "Does the recipient have to return or destroy the information when the agreement ends?",
	"No licensing":                                   "Does the agreement grant the recipient any license?",
	"Confidentiality of Agreement":                   "Must the parties keep the existence of the agreement secret?",
	"None-inclusion of non-technical information":    "Is only technical information confidential?",
	"Explicit identification":                        "Must confidential information be marked as confidential?",
	"Survival of obligations":                        "Do the obligations survive the end of the agreement?",
	"Permissible development of similar information": "May the recipient independently develop similar information?",
	"Permissible post-agreement possession":          "Can the recipient keep a copy after returning the rest?",
	"Inclusion of verbally conveyed information":     "Is oral information covered?",
	"No solicitation":                                "Is the recipient barred from soliciting employees of the discloser?",
	"Sharing with third-parties":                     "Can the recipient disclose the information to its lawyers or consultants?",
	"Permissible copy":                               "May the receiving party make copies?",
	"Notice on compelled disclosure":                 "Must the recipient notify the discloser when a court orders disclosure?",
	"Permissible acquirement of similar information": "May the recipient get similar information from a third party?",
	"Sharing with employees":                         "May the recipient share the information with its employees?",
	"Limited use":                                    "Can the information be used for any other purpose?",
}

// contracts returns the contracts in a folder.
func contracts(t testing.TB, dir string) []evaluation.Contract {
	t.Helper()
	all, err := evaluation.Contracts(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ndas returns the agreements in a folder.
func ndas(t *testing.T, dir string) []evaluation.NDA {
	t.Helper()
	all, err := evaluation.NDAs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// limited returns the first documents, as many as RECTO_BENCH_DOCUMENTS says, or all.
func limited[T any](t *testing.T, all []T) []T {
	t.Helper()
	text := os.Getenv("RECTO_BENCH_DOCUMENTS")
	if text == "" {
		return all
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("RECTO_BENCH_DOCUMENTS must be a number of documents, not %q", text)
	}
	return all[:min(n, len(all))]
}

// read returns the content of a file.
func read(t testing.TB, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// bench has documents read, and knows their text.
type bench struct {
	*sourcetest.System
	pdf  *lastPDF
	jobs int
}

// newBench returns a bench.
func newBench(t *testing.T) *bench {
	t.Helper()
	s := sourcetest.New(t, blobtest.NewBucket())
	last := &lastPDF{reader: pdfReader(t)}
	s.PDF = last
	return &bench{System: s, pdf: last}
}

// pdfReader returns a reader of PDF files with two processes.
func pdfReader(t testing.TB) *pdf.Reader {
	t.Helper()
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
	return reader
}

// lastPDF reads PDF files, and keeps the text of the last one.
type lastPDF struct {
	reader *pdf.Reader
	text   *layout.Document
}

// Read implements source.PDF.
func (l *lastPDF) Read(ctx context.Context, f io.ReaderAt, size int64) (*pdf.File, error) {
	file, err := l.reader.Read(ctx, f, size)
	if err == nil {
		l.text = &file.Document
	}
	return file, err
}

// ReadAhead implements source.PDF.
func (l *lastPDF) ReadAhead(ctx context.Context, f io.ReaderAt, size int64, pages int, opened func(*pdf.File)) (*pdf.File, error) {
	file, err := l.reader.ReadAhead(ctx, f, size, pages, opened)
	if err == nil {
		l.text = &file.Document
	}
	return file, err
}

// contender is an engine that is measured.
type contender struct {
	name   string
	engine domain.Engine
	report *evaluation.Report
	// halves measure dates and terms by halves of the companies.
	halves [halves]*evaluation.Report
	// folds means that the engine is another for each fold.
	folds bool
	// tries is how often a document is tried at most.
	tries int
	// reading and answering are the times for reading documents, and for the answers.
	reading, answering time.Duration
}

// newContender returns a contender that tries each document once.
func newContender(name string, e domain.Engine) *contender {
	c := &contender{name: name, engine: e, report: evaluation.NewReport(), tries: 1}
	for half := range c.halves {
		c.halves[half] = evaluation.NewReport()
	}
	return c
}

// rules returns the rules alone as a contender. The embedded weights were fitted to the
// same contracts, so they cannot be measured on these.
func (b *bench) rules() *contender {
	return newContender("rules", b.with(nil).WithPayments(nil).WithSecrecy(nil))
}

// weighed returns a contender for rules with weights. Its engine is set for each contract.
func (b *bench) weighed() *contender {
	c := newContender("by folds", nil)
	c.folds = true
	return c
}

// with returns an engine with weights for clauses.
func (b *bench) with(weights *learn.Model) *engine.Engine {
	return engine.New(source.NewReader(b.Deps), nil).WithClauses(weights)
}

// stages is a domain.Listener that keeps the time at which the document was read.
type stages struct{ read time.Time }

// Idle implements domain.Listener.
func (*stages) Idle(_ context.Context, wait func() error) error { return wait() }

// Progressed implements domain.Listener.
func (*stages) Progressed(float64) {}

// Reached implements domain.Listener.
func (s *stages) Reached(stage string) {
	if stage == insightapi.StageStructured {
		s.read = time.Now()
	}
}

// Answered implements domain.Listener.
func (*stages) Answered(insightapi.Type, *insightapi.Answer) {}

// analyze returns the text of a document, and the answer of a contender to the requests.
func (b *bench) analyze(t *testing.T, c *contender, m domain.Material, requests []insightapi.Request) (*layout.Document, insightapi.Answer) {
	t.Helper()
	b.jobs++
	m.Job.ID = fmt.Sprintf("job_%d", b.jobs)
	var a domain.Analysis
	for m.Job.Try = 1; ; m.Job.Try++ {
		var at stages
		began := time.Now()
		var err error
		if a, err = c.engine.Analyze(t.Context(), m, domain.Question{Requests: requests}, &at); err == nil {
			c.reading += at.read.Sub(began)
			c.answering += time.Since(at.read)
			break
		}
		if m.Job.Try >= c.tries {
			t.Fatalf("%s: %v", m.Files[0].Name, err)
		}
		t.Logf("try %d: %v", m.Job.Try, err)
		pause(t, err, m.Job.Try)
	}
	if a.Degraded {
		c.report.Effort.Alone++
	}
	if m.Kind == insightapi.DocText {
		return &layout.Document{Text: string(b.Object(m.Files[0].Key))}, a.Answer
	}
	return b.pdf.text, a.Answer
}

// pause waits before the next try, as long as the provider asks for.
func pause(t *testing.T, err error, try int) {
	t.Helper()
	wait := time.Second << try
	if failed, ok := errors.AsType[*provider.Error](err); ok {
		wait = max(wait, failed.After)
	}
	select {
	case <-time.After(wait):
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
}

// finish prints the reports of contenders on the same documents. It fails if an item is
// not where its place says, since that is never acceptable.
func finish(t *testing.T, name string, all ...*contender) {
	t.Helper()
	var columns []evaluation.Column
	for _, c := range all {
		columns = append(columns, evaluation.Column{Name: c.name, Report: c.report})
	}
	t.Logf("%s: %d documents, %d pages\n%s", name, all[0].report.Documents, all[0].report.Pages, evaluation.Table(columns))
	for _, c := range all {
		t.Logf("%s: reading and structure %v, answers and places %v", c.name, c.reading.Round(time.Millisecond), c.answering.Round(time.Millisecond))
		for _, u := range c.report.Ungrounded {
			t.Errorf("%s: the place is wrong: %s", c.name, u)
		}
	}
	for _, c := range all {
		if len(all) > 1 {
			write(t, name+"-"+strings.ReplaceAll(c.name, " ", "-"), c.report)
			continue
		}
		write(t, name, c.report)
	}
}

// write writes a report as JSON to the folder that RECTO_BENCH_OUT names, if any.
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
	if err := os.WriteFile(filepath.Join(out, name+".json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}
