package evaluation_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/llm"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/llm/meter"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
)

// TestModelContracts measures rules and model on contracts as text.
func TestModelContracts(t *testing.T) {
	b, all := newModelBench(t)
	dir := corpus.Folder(t, "contracts")
	gold := limited(t, contracts(t, dir))
	for i, c := range gold {
		text := string(read(t, dir, "txt", c.Txt))
		for _, m := range all {
			b.contract(t, text, c, m)
		}
		progress(t, i, len(gold), c.Txt, all)
	}
	finishModels(t, "model-contracts", all)
}

// TestModelNLI measures rules and model on statements about non-disclosure agreements.
func TestModelNLI(t *testing.T) {
	b, all := newModelBench(t)
	gold := limited(t, ndas(t, corpus.Folder(t, "contract-nli")))
	for i, n := range gold {
		for _, m := range all {
			b.nda(t, n, m)
		}
		progress(t, i, len(gold), n.Name, all)
	}
	finishModels(t, "model-nli", all)
}

// contract has a contract read by a contender, and returns the answer.
func (b *bench) contract(t *testing.T, text string, c evaluation.Contract, m *modelled) insightapi.Answer {
	t.Helper()
	m.about(factsOf(text, c))
	d, answer := b.analyze(t, m.contender, b.Text(text), evaluation.ContractRequests())
	m.report.AddContract(d, &answer, c, true)
	return answer
}

// nda has an agreement read by a contender, and returns the answer.
func (b *bench) nda(t *testing.T, n evaluation.NDA, m *modelled) insightapi.Answer {
	t.Helper()
	m.about(answersOf(n))
	d, answer := b.analyze(t, m.contender, b.Text(n.Text), n.Requests())
	m.report.AddNDA(d, &answer, n)
	return answer
}

// modelled is a contender that may have a language model.
type modelled struct {
	*contender
	// oracle is the script of the model, and server has it. They are nil for other models.
	oracle *oracle
	server *modelserver.Server
	// prompts counts the prompts, and metrics has the quotes. They are nil for the rules.
	prompts *counted
	metrics *prometheus.Registry
}

// about tells a scripted model what is annotated in the next document.
func (m *modelled) about(facts []fact) {
	if m.oracle != nil {
		m.oracle.about(facts)
	}
}

// asksForBenchmarks skips the test unless RECTO_BENCH is set.
func asksForBenchmarks(t *testing.T) {
	t.Helper()
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("skipping a benchmark: run it with make bench-llm")
	}
}

// newModelBench returns a bench for the rules, and for the rules with the model that the
// environment configures. If it configures none, there are two scripted models: one answers
// with the annotations, the other also makes mistakes. Without RECTO_BENCH it skips the
// test, since a real provider is slow and costs money.
func newModelBench(t *testing.T) (*bench, []*modelled) {
	t.Helper()
	asksForBenchmarks(t)
	var vars []string
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "INSIGHT_MODEL") {
			vars = append(vars, v)
		}
	}
	var cfg provider.Config
	if err := config.Load(vars, "INSIGHT_MODEL", &cfg); err != nil {
		t.Fatal(err)
	}
	cfg.Organizations, cfg.Fallback = nil, provider.FallbackRules
	b := newBench(t)
	all := []*modelled{{contender: b.rules()}}
	if cfg.Enabled() {
		return b, append(all, b.model(t, "rules and "+cfg.Name(), cfg))
	}
	t.Log("INSIGHT_MODEL_PROVIDER is not set: scripted models answer from the annotations")
	return b, append(all, b.oracle(t, "rules and oracle", none), b.oracle(t, "rules and noisy oracle", noisy()...))
}

// model returns the rules with a language model as a contender.
func (b *bench) model(t *testing.T, name string, cfg provider.Config) *modelled {
	t.Helper()
	client, err := provider.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	m := &modelled{contender: b.rules(), prompts: &counted{Model: client}, metrics: prometheus.NewRegistry()}
	m.name, m.tries = name, cfg.Tries
	m.engine = engine.New(source.NewReader(b.Deps), b.reader(t, cfg, m.prompts, m.metrics)).WithClauses(nil).WithSecrecy(nil)
	return m
}

// reader returns what has documents read by a model.
func (b *bench) reader(t *testing.T, cfg provider.Config, model llm.Model, metrics *prometheus.Registry) *llm.Reader {
	t.Helper()
	store, err := sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "insight.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return llm.NewReader(cfg, llm.Deps{
		Model: model, Ledger: ledger.New(store, cfg, time.Now), Kept: store, Meter: meter.New(metrics), Keep: time.Hour, Log: telemetry.Discard(),
	})
}

// oracle returns the rules with a scripted model as a contender. The model makes the
// mistakes in turn.
func (b *bench) oracle(t *testing.T, name string, mistakes ...mistake) *modelled {
	t.Helper()
	server := modelserver.Start(t)
	o := &oracle{mistakes: mistakes}
	server.Script(o.reply)
	var cfg provider.Config
	if err := config.Load([]string{
		"INSIGHT_MODEL_PROVIDER=" + provider.OpenAI, "INSIGHT_MODEL=scripted", "INSIGHT_MODEL_URL=" + server.URL(modelserver.OpenAI),
	}, "INSIGHT_MODEL", &cfg); err != nil {
		t.Fatal(err)
	}
	m := b.model(t, name, cfg)
	m.oracle, m.server = o, server
	return m
}

// counted is a model whose prompts are counted.
type counted struct {
	llm.Model
	mu sync.Mutex
	n  int
}

// Complete implements llm.Model.
func (c *counted) Complete(ctx context.Context, p provider.Prompt) (provider.Completion, error) {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
	return c.Model.Complete(ctx, p)
}

// progress prints that a document was read.
func progress(t *testing.T, i, n int, name string, all []*modelled) {
	t.Helper()
	text := ""
	for _, m := range all {
		if m.prompts != nil {
			text += fmt.Sprintf("; %s: %d prompts, %d tokens", m.name, m.prompts.n, m.report.Effort.Tokens.Total())
		}
	}
	t.Logf("%d of %d, %s%s", i+1, n, name, text)
}

// finishModels prints the reports side by side.
func finishModels(t *testing.T, name string, all []*modelled) {
	t.Helper()
	var contenders []*contender
	for _, m := range all {
		m.settle(t)
		contenders = append(contenders, m.contender)
	}
	finish(t, name, contenders...)
}

// settle completes the report with what the answers do not tell.
func (m *modelled) settle(t *testing.T) {
	t.Helper()
	if m.prompts == nil {
		return
	}
	e := &m.report.Effort
	e.Prompts = m.prompts.n
	families, err := m.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, f := range families {
		for _, c := range f.GetMetric() {
			if f.GetName() == "recto_model_quotes_total" {
				counts[c.GetLabel()[0].GetValue()] = int(c.GetCounter().GetValue())
			}
		}
	}
	q := &e.Quotes
	q.Exact, q.Normalized, q.Fuzzy = counts["exact"], counts["normalized"], counts["fuzzy"]
	q.Ungrounded, q.Unverified = counts["ungrounded"], counts["unverified"]
}
