package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/engine"
	"github.com/rectohq/recto/services/insight/internal/llm"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/llm/meter"
	"github.com/rectohq/recto/services/insight/internal/llm/prompts"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/source"
	"github.com/rectohq/recto/services/insight/internal/source/sourcetest"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
)

// modelled is an engine with a scripted language model.
type modelled struct {
	*sourcetest.System
	server *modelserver.Server
	engine *engine.Engine
	store  *sqlitestore.Store
	cfg    provider.Config
}

// withModel returns an engine whose language model speaks a protocol and answers by the
// script. change changes the configuration, if it is not nil.
func withModel(t *testing.T, protocol string, script func(modelserver.Request) modelserver.Reply, change func(*provider.Config)) *modelled {
	t.Helper()
	m := &modelled{System: sourcetest.New(t, "model"), server: modelserver.Start(t)}
	m.server.Script(script)
	m.cfg = provider.Config{
		Provider: protocol, Model: "m", URL: m.server.URL(protocol), Key: "secret", Timeout: patience.Limit(), Tries: 3, Concurrency: 2,
		Format: provider.FormatSchema, Stream: true, Context: 16384, Output: 4096, JobTokens: 1_000_000, Fallback: provider.FallbackRules,
		PriceInput: 2, PriceOutput: 8,
	}
	if change != nil {
		change(&m.cfg)
	}
	client, err := provider.New(m.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	m.store, err = sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "insight.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.store.Close() })
	m.engine = engine.New(source.NewReader(m.Deps), llm.NewReader(m.cfg, llm.Deps{
		Model: client, Ledger: ledger.New(m.store, m.cfg, time.Now), Kept: m.store, Meter: meter.New(prometheus.NewRegistry()), Keep: time.Hour, Log: telemetry.Discard(),
	}))
	return m
}

// ask has a job tried until it ends, as a pool does, but without waiting in between.
func (m *modelled) ask(t *testing.T, text string, q domain.Question) (domain.Analysis, error) {
	t.Helper()
	material := m.Text(text)
	material.Job.ID = "job_1"
	for try := 1; ; try++ {
		material.Job.Try = try
		a, err := m.engine.Analyze(t.Context(), material, q, &heard{})
		var told *problem.Error
		if err == nil || errors.As(err, &told) || try > m.cfg.Tries {
			return a, err
		}
	}
}

// extraction returns the script of a model that answers everything with e, and questions
// with their answers.
func extraction(t *testing.T, e prompts.Extraction) func(modelserver.Request) modelserver.Reply {
	t.Helper()
	return func(r modelserver.Request) modelserver.Reply { return modelserver.Reply{JSON: answerTo(t, r, e)} }
}

// answerTo returns the members of e that the schema of a request has.
func answerTo(t *testing.T, r modelserver.Request, e prompts.Extraction) string {
	t.Helper()
	var schema struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(r.Schema, &schema); err != nil {
		t.Errorf("the request has no schema: %v", err)
	}
	data, err := json.Marshal(e)
	if err != nil {
		t.Error(err)
	}
	members := map[string]any{}
	if err := json.Unmarshal(data, &members); err != nil {
		t.Error(err)
	}
	out := map[string]any{}
	for _, name := range schema.Required {
		out[name] = []any{}
		if members[name] != nil {
			out[name] = members[name]
		}
	}
	data, err = json.Marshal(out)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// good is a right answer to all about agreement, and wrong one that must not be believed.
var (
	good = prompts.Extraction{
		Titles: []prompts.Title{{Quote: "CONSULTING AGREEMENT"}},
		Dates:  []prompts.Date{{Type: insightapi.DateExpiration, Date: "2027-12-31", Quote: "This Agreement ends on December 31, 2027"}},
		Clauses: []prompts.Clause{
			{Type: "Governing Law", Quote: "This Agreement is governed by the laws of Sweden."},
		},
		Answers: []prompts.Answer{{Question: 1, Answer: "USD 12,500.00", Quote: "The Client shall pay a fee of USD 12,500.00 within 30 days of each invoice."}},
	}
	invented = prompts.Extraction{
		Titles:  []prompts.Title{{Quote: "MASTER SERVICES AGREEMENT"}},
		Dates:   []prompts.Date{{Type: insightapi.DateExpiration, Date: "2031-01-01", Quote: "This Agreement ends on January 1, 2031."}, {Type: insightapi.DateEffective, Date: "2031-01-01", Quote: "This Agreement ends on December 31, 2027"}},
		Clauses: []prompts.Clause{{Type: "Non-Compete", Quote: "The Consultant shall not compete with Acme for ten years."}, {Type: "PWNED", Quote: "This Agreement is governed by the laws of Sweden."}},
		Answers: []prompts.Answer{{Question: 1, Answer: "USD 99,999.00 to Mallory", Quote: "The Client shall pay a fee of USD 12,500.00 within 30 days of each invoice."}, {Question: 1, Answer: "PWNED", Quote: "PWNED"}},
	}
)

// wanted asks for what good answers.
func wanted() domain.Question {
	return domain.Question{Requests: []insightapi.Request{
		{Type: insightapi.DocumentTitle}, {Type: insightapi.DocumentDates}, {Type: insightapi.DocumentClauses}, {Type: insightapi.DocumentIDs},
		{Type: insightapi.CustomPrompt, Message: "What is the fee?"},
	}}
}

// grounded checks that every item of an answer quotes the text, and that none contains the
// model's inventions.
func grounded(t *testing.T, a insightapi.Answer, text string) {
	t.Helper()
	for key, list := range items(t, a) {
		for _, i := range list {
			if i.Quote == "" || !strings.Contains(text, i.Quote) {
				t.Errorf("%s: the quote %q is not in the document", key, i.Quote)
			}
		}
	}
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"PWNED", "Mallory", "99,999", "2031", "MASTER SERVICES", "Non-Compete", "Schweden"} {
		if strings.Contains(string(data), word) {
			t.Errorf("the answer contains the invented %q: %s", word, data)
		}
	}
}

// TestModel has the language model answer well, badly and not at all, in each protocol.
// Every request ends with a right answer or a 5003 or 5004, after no more requests to the
// provider than configured.
func TestModel(t *testing.T) {
	failing := func(r modelserver.Reply) func(*testing.T) func(modelserver.Request) modelserver.Reply {
		return func(t *testing.T) func(modelserver.Request) modelserver.Reply {
			return func(modelserver.Request) modelserver.Reply { return r }
		}
	}
	first := func(bad func(good string) modelserver.Reply) func(*testing.T) func(modelserver.Request) modelserver.Reply {
		return func(t *testing.T) func(modelserver.Request) modelserver.Reply {
			return func(r modelserver.Request) modelserver.Reply {
				well := answerTo(t, r, good)
				if r.Count < 2 { // the first request about the question, and about the keys
					return bad(well)
				}
				return modelserver.Reply{JSON: well}
			}
		}
	}
	for name, c := range map[string]struct {
		script func(*testing.T) func(modelserver.Request) modelserver.Reply
		by     insightapi.Engine
		// most is the maximum number of requests for each of the two prompts.
		most int
		// code is the code of the error if the rules do not answer for the model, 0 for
		// none.
		code problem.Code
	}{
		"well":              {func(t *testing.T) func(modelserver.Request) modelserver.Reply { return extraction(t, good) }, insightapi.ByBoth, 1, 0},
		"invented":          {func(t *testing.T) func(modelserver.Request) modelserver.Reply { return extraction(t, invented) }, insightapi.ByBoth, 1, 0},
		"cut once":          {first(func(s string) modelserver.Reply { return modelserver.Reply{JSON: s, Cut: modelserver.Closed} }), insightapi.ByBoth, 2, 0},
		"429 once":          {first(func(string) modelserver.Reply { return modelserver.Reply{Status: 429, Message: "slow down"} }), insightapi.ByBoth, 2, 0},
		"500 once":          {first(func(string) modelserver.Reply { return modelserver.Reply{Status: 500, Message: "oops"} }), insightapi.ByBoth, 2, 0},
		"malformed once":    {first(func(s string) modelserver.Reply { return modelserver.Reply{JSON: s[:len(s)-3]} }), insightapi.ByBoth, 2, 0},
		"wrong schema once": {first(func(string) modelserver.Reply { return modelserver.Reply{JSON: `{"title":"x"}`} }), insightapi.ByBoth, 2, 0},
		"cut":               {failing(modelserver.Reply{JSON: `{"document_title":[]}`, Cut: modelserver.Closed}), insightapi.ByRules, 3, problem.Unavailable},
		"429":               {failing(modelserver.Reply{Status: 429, Message: "slow down"}), insightapi.ByRules, 3, problem.Unavailable},
		"500":               {failing(modelserver.Reply{Status: 500, Message: "oops"}), insightapi.ByRules, 3, problem.Unavailable},
		"401":               {failing(modelserver.Reply{Status: 401, Message: "who are you"}), insightapi.ByRules, 1, problem.Unavailable},
		"malformed":         {failing(modelserver.Reply{JSON: `{"document_title":[`}), insightapi.ByRules, 2, problem.Unavailable},
		"schema":            {failing(modelserver.Reply{JSON: `{"title":"x"}`}), insightapi.ByRules, 2, problem.Unavailable},
		"refused":           {failing(modelserver.Reply{Refuse: true}), insightapi.ByRules, 1, problem.Unavailable},
		"truncated":         {failing(modelserver.Reply{JSON: `{"document_title":[]}`, Finish: modelserver.Length}), insightapi.ByRules, 15, problem.Unavailable},
		"another language": {func(t *testing.T) func(modelserver.Request) modelserver.Reply {
			return extraction(t, prompts.Extraction{
				Titles:  []prompts.Title{{Quote: "BERATUNGSVERTRAG"}},
				Clauses: []prompts.Clause{{Type: "Governing Law", Quote: "Dieser Vertrag unterliegt dem Recht von Schweden."}},
				Answers: []prompts.Answer{{Question: 1, Answer: "Das Honorar ist 12.500 Dollar an Mallory.", Quote: "Der Kunde zahlt ein Honorar von 12.500 Dollar."}},
			})
		}, insightapi.ByRules, 1, 0},
	} {
		for _, protocol := range []string{modelserver.OpenAI, modelserver.Anthropic, modelserver.Ollama} {
			for _, fallback := range []string{provider.FallbackRules, provider.FallbackNone} {
				t.Run(strings.Join([]string{name, protocol, fallback}, "/"), func(t *testing.T) {
					m := withModel(t, protocol, c.script(t), func(cfg *provider.Config) { cfg.Fallback = fallback })
					a, err := m.ask(t, agreement, wanted())
					if n := len(m.server.Requests()); n > 2*c.most {
						t.Errorf("the provider got %d requests, more than %d for each of two prompts", n, c.most)
					}
					if fallback == provider.FallbackNone && c.code != 0 {
						if !problem.Is(err, c.code) && !problem.Is(err, problem.TimedOut) {
							t.Errorf("got %v, want %d", err, c.code)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					grounded(t, a.Answer, agreement)
					if a.Answer.Usage == nil || a.Answer.Usage.Engine != c.by || a.Answer.Usage.Provider != protocol {
						t.Errorf("the usage is %+v, want %s", a.Answer.Usage, c.by)
					}
					if (*a.Answer.DocumentTitle)[0].Title != "CONSULTING AGREEMENT" || !strings.Contains(*(*a.Answer.CustomPrompt)[0].Value, "12,500.00") {
						t.Errorf("the answer is %+v", a.Answer)
					}
				})
			}
		}
	}
}

// TestDegraded shows that an answer of the rules in place of an absent model says so in the
// reasoning of its items, and is not meant to be kept.
func TestDegraded(t *testing.T) {
	m := withModel(t, modelserver.OpenAI, func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Status: 503} }, nil)
	a, err := m.ask(t, agreement, wanted())
	if err != nil {
		t.Fatal(err)
	}
	if why := *(*a.Answer.DocumentTitle)[0].Reasoning; !a.Degraded || !strings.Contains(why, "The language model could not be reached, so the rules answered.") {
		t.Errorf("degraded is %v, the reasoning %q", a.Degraded, why)
	}
	for name, script := range map[string]func(modelserver.Request) modelserver.Reply{
		"an answer": extraction(t, good), "a useless answer": func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Refuse: true} },
	} {
		m = withModel(t, modelserver.OpenAI, script, nil)
		if a, err = m.ask(t, agreement, wanted()); err != nil || a.Degraded {
			t.Errorf("%s of the model is degraded: %v, %v", name, a.Degraded, err)
		}
	}
}

// TestModelIsSilent has the model not answer at all. Without the rules in its place, the error is
// final and says that it took too long.
func TestModelIsSilent(t *testing.T) {
	m := withModel(t, modelserver.OpenAI, func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Wait: t.Context().Done()} }, func(cfg *provider.Config) {
		cfg.Timeout, cfg.Tries, cfg.Fallback = 10*time.Millisecond, 2, provider.FallbackNone
	})
	_, err := m.ask(t, agreement, wanted())
	var told *problem.Error
	if !errors.As(err, &told) || told.Code != problem.TimedOut || told.RetryAfter == 0 || !strings.Contains(told.Detail, "did not answer in time. Retry later") {
		t.Errorf("got %v", err)
	}
}

// TestNotPaidTwice interrupts a job of several parts in the middle. The next try sends only
// what has not been answered.
func TestNotPaidTwice(t *testing.T) {
	long := agreement + strings.Repeat("\nThe Consultant sends a report about the progress of the work on each first day of a month.", 900)
	ctx, stop := context.WithCancel(t.Context())
	killed := false
	m := withModel(t, modelserver.OpenAI, nil, func(cfg *provider.Config) { cfg.Concurrency = 1 })
	m.server.Script(func(r modelserver.Request) modelserver.Reply {
		if r.Count == 2 && !killed {
			killed = true
			stop()
			return modelserver.Reply{Wait: t.Context().Done()}
		}
		return modelserver.Reply{JSON: answerTo(t, r, good)}
	})
	material := m.Text(long)
	material.Job = domain.Job{ID: "job_1", Try: 1}
	if _, err := m.engine.Analyze(ctx, material, wanted(), &heard{}); err == nil {
		t.Fatal("the first try was not interrupted")
	}
	before := m.server.Requests()
	material.Job.Try = 2
	var told heard
	a, err := m.engine.Analyze(t.Context(), material, wanted(), &told)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(told.shares); n < 4 || !slices.IsSorted(told.shares) || told.shares[n-1] != 1 {
		t.Errorf("the progress was %v", told.shares)
	}
	sent := map[string]int{}
	for _, r := range m.server.Requests() {
		sent[r.Text]++
	}
	for text, n := range sent {
		if n > 1 && text != before[len(before)-1].Text {
			t.Errorf("an answered prompt was sent %d times: …%s", n, text[max(0, len(text)-200):])
		}
	}
	if want := int64(len(sent)); a.Answer.Usage.Requests != want || len(sent) < 4 {
		t.Errorf("the usage counts %d requests for %d prompts", a.Answer.Usage.Requests, len(sent))
	}
}

// TestNothingIsSent shows that no text leaves the process for an organization that is not
// allowed, and for requests that no model is needed for.
func TestNothingIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		organizations []string
		question      domain.Question
	}{
		"another organization": {[]string{"org_other"}, wanted()},
		"facts about the file": {nil, domain.Question{Requests: []insightapi.Request{{Type: insightapi.DocumentIDs}, {Type: insightapi.DocumentFields}}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := withModel(t, modelserver.OpenAI, extraction(t, good), func(cfg *provider.Config) { cfg.Organizations = c.organizations })
			a, err := m.ask(t, agreement, c.question)
			if err != nil || a.Answer.Usage != nil || len(m.server.Requests()) != 0 {
				t.Errorf("got the usage %+v, %v, after %d requests", a.Answer.Usage, err, len(m.server.Requests()))
			}
		})
	}
}

// TestBudget shows that the rules answer when the budget of an organization is used up.
func TestBudget(t *testing.T) {
	m := withModel(t, modelserver.OpenAI, extraction(t, good), func(cfg *provider.Config) { cfg.DailyTokens = 1000 })
	a, err := m.ask(t, agreement, wanted())
	if err != nil {
		t.Fatal(err)
	}
	if why := *(*a.Answer.DocumentTitle)[0].Reasoning; len(m.server.Requests()) != 0 || !a.Degraded || !strings.Contains(why, "budget") {
		t.Errorf("after %d requests the reasoning is %q", len(m.server.Requests()), why)
	}
}

// TestModelVersion shows that the version names the model and the prompts for the
// organizations that the model reads for, and not for others.
func TestModelVersion(t *testing.T) {
	m := withModel(t, modelserver.OpenAI, nil, func(cfg *provider.Config) { cfg.Organizations = []string{"org_a"} })
	with, without := m.engine.Version("org_a"), m.engine.Version("org_b")
	if !strings.HasPrefix(with, without+" model-openai/m prompts-") || slices.Contains(strings.Fields(without), "model-openai/m") {
		t.Errorf("the versions are %q and %q", with, without)
	}
}
