package evaluation_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/source"
)

// silent is a model that finds nothing, and keeps what it was sent.
type silent struct {
	mu   sync.Mutex
	sent []provider.Prompt
}

// Complete implements llm.Model.
func (s *silent) Complete(_ context.Context, p provider.Prompt) (provider.Completion, error) {
	s.mu.Lock()
	s.sent = append(s.sent, p)
	s.mu.Unlock()
	var schema struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(p.Schema.Document, &schema); err != nil {
		return provider.Completion{}, err
	}
	empty := map[string][]int{}
	for _, key := range schema.Required {
		empty[key] = []int{}
	}
	answer, err := json.Marshal(empty)
	return provider.Completion{JSON: answer, Tokens: insightapi.Tokens{Requests: 1}}, err
}

// take returns what was sent since the last call.
func (s *silent) take() []provider.Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}

// tokensOf estimates the tokens of prompts, at four bytes each.
func tokensOf(sent []provider.Prompt) int {
	n := 0
	for _, p := range sent {
		n += len(p.System) + len(p.Document) + len(p.Task)
	}
	return n / 4
}

// asked returns the prompts that ask a question about all that is sent in others.
func asked(t *testing.T, question string, whole []provider.Prompt) []provider.Prompt {
	t.Helper()
	var all []provider.Prompt
	for _, p := range whole {
		q, err := prompts.Questions([]string{question}, "", "")
		if err != nil {
			t.Fatal(err)
		}
		q.Document = p.Document
		all = append(all, q)
	}
	return all
}

// sizes holds the tokens for documents of similar length.
type sizes struct{ documents, pages, everything, whole, retrieved, prompts int }

// TestModelSizes prints how many tokens are sent to a model: for everything about a
// contract, and for single questions with retrieval and without. It needs no model.
func TestModelSizes(t *testing.T) {
	asksForBenchmarks(t)
	dir := corpus.Folder(t, "contracts")
	questions := []string{"May the agreement be assigned to an affiliate?", "What happens if a party is late with a payment?", "How long must records be kept?"}
	b, model := newBench(t), &silent{}
	c := b.silenced(t, model)
	lengths := []int{5, 20, 50, 100, 1000}
	all := make([]sizes, len(lengths))
	for _, contract := range limited(t, contracts(t, dir)) {
		text := string(read(t, dir, "txt", contract.Txt))
		d, answer := b.analyze(t, c, b.Text(text), evaluation.ContractRequests())
		whole := model.take()
		r := evaluation.NewReport()
		r.AddContract(d, &answer, contract, true)
		s := &all[0]
		for i := 1; i < len(lengths) && r.Pages > lengths[i-1]; i++ {
			s = &all[i]
		}
		s.documents++
		s.pages += r.Pages
		s.everything += tokensOf(whole)
		s.prompts += len(whole)
		for _, q := range questions {
			b.analyze(t, c, b.Text(text), []insightapi.Request{{Type: insightapi.CustomPrompt, Message: q}})
			s.retrieved += tokensOf(model.take())
			s.whole += tokensOf(asked(t, q, whole))
		}
	}
	table := fmt.Sprintf("%-12s %10s %10s %12s %14s %14s %14s\n", "pages", "documents", "prompts", "everything", "question", "retrieved", "ratio")
	for i, s := range all {
		if s.documents > 0 {
			n := len(questions)
			table += fmt.Sprintf("up to %-6d %10d %10.1f %12.0f %14.0f %14.0f %14.2f\n", lengths[i], s.documents, float64(s.prompts)/float64(s.documents),
				per(s.everything, s.pages), per(s.whole, n*s.pages), per(s.retrieved, n*s.pages), per(s.retrieved, s.whole))
		}
	}
	t.Logf("tokens sent per page of the document, at four bytes each: for everything about a contract; for a question, if the whole document is sent, and if passages are retrieved\n%s", table)
}

// TestModelQuestions prints how many tokens are sent for many questions about agreements,
// against one question at a time. It needs no model.
func TestModelQuestions(t *testing.T) {
	asksForBenchmarks(t)
	b, model := newBench(t), &silent{}
	c := b.silenced(t, model)
	pages, together, single, text, n := 0, 0, 0, 0, 0
	for _, nda := range limited(t, ndas(t, corpus.Folder(t, "contract-nli"))) {
		d, answer := b.analyze(t, c, b.Text(nda.Text), nda.Requests())
		sent := model.take()
		together += tokensOf(sent)
		n += len(sent)
		r := evaluation.NewReport()
		r.AddNDA(d, &answer, nda)
		pages += r.Pages
		text += len(nda.Text) / 4
		for _, request := range nda.Requests() {
			b.analyze(t, c, b.Text(nda.Text), []insightapi.Request{request})
			single += tokensOf(model.take())
		}
	}
	t.Logf("tokens sent per page, at four bytes each: %.0f for all questions of an agreement (%d prompts), %.0f if each is asked in a request of its own; the text has %.0f",
		per(together, pages), n, per(single, pages), per(text, pages))
}

// per returns a ratio, 0 of nothing.
func per(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// silenced returns the rules with a silent model as a contender, with the usual limits.
func (b *bench) silenced(t *testing.T, model *silent) *contender {
	t.Helper()
	var cfg provider.Config
	if err := config.Load([]string{"INSIGHT_MODEL_PROVIDER=" + provider.OpenAI, "INSIGHT_MODEL=silent", "INSIGHT_MODEL_JOB_TOKENS=10000000"}, "INSIGHT_MODEL", &cfg); err != nil {
		t.Fatal(err)
	}
	c := b.rules()
	c.engine = engine.New(source.NewReader(b.Deps), b.reader(t, cfg, model, prometheus.NewRegistry())).WithClauses(nil).WithSecrecy(nil)
	return c
}
