package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/tests/harness"
)

// clausesPerPage is how many of the clauses below a page of 3,000 characters has.
const clausesPerPage = 15

// contractText returns a contract of about the given number of pages. number makes it
// differ from others, so that no result is reused.
func contractText(pages, number int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "SUPPLY AGREEMENT\nThis Supply Agreement is made as of January 31, 2026 between Lindqvist AB and Acme Corp. It has the number %d.\n", number)
	for i := range pages * clausesPerPage {
		fmt.Fprintf(&b, "%d. Delivery\n%s\n", i+1, delivery(i))
	}
	b.WriteString("This Agreement is governed by the laws of Sweden.\n")
	return b.String()
}

// delivery returns the text of a clause.
func delivery(i int) string {
	return fmt.Sprintf("The Supplier shall maintain insurance for batch %d and delivers it to the plant of the Customer in Malmö, who pays USD %d.00 within 30 days after the invoice for it was received.", i, 1000+i)
}

// insured answers as a model that names the clauses about insurance that it was shown.
func insured(r modelserver.Request) modelserver.Reply {
	var schema struct{ Required []string }
	if err := json.Unmarshal(r.Schema, &schema); err != nil {
		return modelserver.Reply{Status: http.StatusBadRequest, Message: err.Error()}
	}
	lists := map[string][]map[string]any{}
	for _, key := range schema.Required {
		lists[key] = []map[string]any{}
	}
	for line := range strings.Lines(r.Text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "The Supplier shall maintain") {
			continue
		}
		if lists["document_clauses"] != nil {
			lists["document_clauses"] = append(lists["document_clauses"], map[string]any{"clause_type": "Insurance", "quote": line})
		}
		if lists["custom_prompt"] != nil && len(lists["custom_prompt"]) == 0 {
			lists["custom_prompt"] = append(lists["custom_prompt"], map[string]any{"question": 1, "answer": line, "quote": line})
		}
	}
	answer, err := json.Marshal(lists)
	if err != nil {
		return modelserver.Reply{Status: http.StatusInternalServerError, Message: err.Error()}
	}
	return modelserver.Reply{JSON: string(answer)}
}

// withModel starts Recto with so many workers of the insight service, each of which may
// have so many requests to a model on their way; 0 means no model.
func withModel(t *testing.T, server *modelserver.Server, workers, concurrency int) *harness.System {
	t.Helper()
	env := []string{fmt.Sprintf("INSIGHT_WORKERS=%d", workers)}
	if concurrency > 0 {
		env = append(env, "INSIGHT_MODEL_PROVIDER=openai", "INSIGHT_MODEL=scripted", "INSIGHT_MODEL_URL="+server.URL(modelserver.OpenAI),
			"INSIGHT_MODEL_JOB_TOKENS=10000000", fmt.Sprintf("INSIGHT_MODEL_CONCURRENCY=%d", concurrency))
	}
	return harness.Start(t, harness.Options{Rate: "unlimited", Env: env})
}

// job is a kind of request that is measured.
type job struct {
	name, insights string
	pages, n       int
}

// ask sends n requests of a job with concurrent clients. first is the number of the first
// text.
func (j job) ask(t *testing.T, s *harness.System, first, n, clients int) load {
	t.Helper()
	client := &http.Client{Transport: s.Transport()}
	defer client.CloseIdleConnections()
	return run(t, client, n, clients, func(i int) *http.Request {
		text, err := json.Marshal(contractText(j.pages, first+i))
		if err != nil {
			t.Error(err)
		}
		return post(t, s.BaseURL+"/insights", s.APIKey, fmt.Sprintf(`{"doc_text":%s,"insights":%s}`, text, j.insights))
	})
}

// measured are the measurements of a job: one request at a time, and several.
type measured struct{ one, all load }

// concurrentClients is how many clients send requests to measure the jobs per second.
const concurrentClients = 8

// measure has a job done. Each round has texts of its own, so that no result is reused.
func (j job) measure(t *testing.T, s *harness.System, round int) measured {
	t.Helper()
	first := round * 1_000_000
	j.ask(t, s, first, 2, 1) // warm
	return measured{j.ask(t, s, first+1000, j.n/2, 1), j.ask(t, s, first+2000, j.n, concurrentClients)}
}

// against formats m with its ratios to a baseline.
func (m measured) against(base measured) string {
	a, b := m.one.quantile(.5), base.one.quantile(.5)
	return fmt.Sprintf("p50 %8s ×%.2f (rules %8s)  %5.2f jobs/s ×%.2f (rules %5.2f)",
		round(a), float64(a)/float64(b), round(b), m.all.perSecond(), m.all.perSecond()/base.all.perSecond(), base.all.perSecond())
}

// TestBenchModel prints what a language model that answers at once costs the service: the
// time of a job when there is no other, and the jobs per second for several clients, by
// the number of workers and of requests to the model. The ratios are to the same jobs by
// rules alone, done immediately before. The server of the model runs on the same machine.
func TestBenchModel(t *testing.T) {
	server := modelserver.Start(t)
	server.Script(insured)
	jobs := []job{
		{"everything, 10 pages", insightTypes, 10, 16},
		{"everything, 100 pages", insightTypes, 100, 8},
		{"a question, 100 pages", `[{"type":"custom_prompt","message":"To which plant does the supplier deliver the goods?"}]`, 100, 16},
	}
	rounds := 0
	for _, workers := range []int{1, 2, 4} {
		alone := withModel(t, server, workers, 0)
		for _, concurrency := range []int{1, 4} {
			s := withModel(t, server, workers, concurrency)
			for _, j := range jobs {
				rounds++
				before := len(server.Requests())
				base := j.measure(t, alone, rounds)
				if len(server.Requests()) != before {
					t.Fatal("the rules have asked the model")
				}
				with := j.measure(t, s, rounds)
				prompts := float64(len(server.Requests())-before) / float64(2+j.n/2+j.n)
				if prompts == 0 {
					t.Fatal("the model was not asked")
				}
				t.Logf("%d workers, %d requests at once: %-21s (%4.1f prompts)  %s", workers, concurrency, j.name, prompts, with.against(base))
			}
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
