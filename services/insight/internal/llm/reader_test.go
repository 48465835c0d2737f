package llm_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight/internal/domain"
	"github.com/rectohq/recto/services/insight/internal/llm"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
	"github.com/rectohq/recto/services/insight/internal/llm/meter"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/sqlitestore"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// today is when the tests take place.
var today = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// world is a reader with a scripted model and a store.
type world struct {
	server *modelserver.Server
	store  *sqlitestore.Store
	reader *llm.Reader
	cfg    provider.Config
}

// newWorld returns a world. change changes the configuration, if it is not nil.
func newWorld(t *testing.T, change func(*provider.Config)) *world {
	t.Helper()
	w := &world{server: modelserver.Start(t)}
	w.cfg = provider.Config{
		Provider: provider.OpenAI, Model: "m", URL: w.server.URL(modelserver.OpenAI), Timeout: patience.Limit(), Tries: 3, Concurrency: 2,
		Format: provider.FormatSchema, Context: 16384, Output: 4096, JobTokens: 10_000_000, Fallback: provider.FallbackRules,
	}
	if change != nil {
		change(&w.cfg)
	}
	client, err := provider.New(w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	if w.store, err = sqlitestore.Open(t.Context(), filepath.Join(t.TempDir(), "insight.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.store.Close() })
	w.reader = llm.NewReader(w.cfg, llm.Deps{
		Model: client, Ledger: ledger.New(w.store, w.cfg, func() time.Time { return today }), Kept: w.store,
		Meter: meter.New(prometheus.NewRegistry()), Keep: time.Hour, Log: telemetry.Discard(),
	})
	return w
}

// read has a text read.
func (w *world) read(t *testing.T, text string, task llm.Task) (llm.Result, error) {
	t.Helper()
	d := structure.Read(&layout.Document{Text: text})
	task.Organization, task.Job = "org_a", domain.Job{ID: "job_1", Try: max(task.Job.Try, 1)}
	return w.reader.Read(t.Context(), d, rules.NewQuestions(d, ""), task)
}

// nothing is an answer without items.
func nothing(r modelserver.Request) modelserver.Reply { return answer(r, nil) }

// answer returns a reply with the items of some keys, and none of the others that the
// schema requires.
func answer(r modelserver.Request, items map[string]any) modelserver.Reply {
	var schema struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(r.Schema, &schema)
	out := map[string]any{}
	for _, key := range schema.Required {
		out[key] = []any{}
		if items[key] != nil {
			out[key] = items[key]
		}
	}
	data, _ := json.Marshal(out)
	return modelserver.Reply{JSON: string(data)}
}

// contract returns a contract with n sections, each of which says in which country it
// holds.
func contract(n int) string {
	var text strings.Builder
	text.WriteString("SERVICES AGREEMENT\n")
	for i := range n {
		fmt.Fprintf(&text, "%d. Section %d\nThe fee for part %d of the work is USD %d,000 and is due at its end.\n", i+1, i+1, i+1, i+1)
		text.WriteString(strings.Repeat("The parties report the progress of that part to each other every week. ", 10) + "\n")
	}
	return text.String()
}

// values asks for one key.
var values = llm.Task{Keys: []insightapi.Type{insightapi.ContractValues}}

// TestSplit has a model that cannot answer about long texts. The parts are halved until it
// can, and nothing is lost. A model that cannot answer at all is not asked forever.
func TestSplit(t *testing.T) {
	w := newWorld(t, nil)
	text := contract(20)
	w.server.Script(func(r modelserver.Request) modelserver.Reply {
		if len(r.Text) > 8000 {
			return modelserver.Reply{JSON: "{}", Finish: modelserver.Length}
		}
		var items []any
		for i := range 20 {
			quote := fmt.Sprintf("The fee for part %d of the work is USD %d,000 and is due at its end.", i+1, i+1)
			if strings.Contains(r.Text, quote) {
				items = append(items, map[string]string{"label": "fee", "amount": fmt.Sprintf("%d000", i+1), "currency": "USD", "quote": quote})
			}
		}
		return answer(r, map[string]any{"contract_values": items})
	})
	result, err := w.read(t, text, values)
	if err != nil || !result.Usable() || result.Failed != 0 || len(result.Values) != 20 {
		t.Errorf("got %d values, %d of %d prompts failed, %v", len(result.Values), result.Failed, result.Prompts, err)
	}
	w = newWorld(t, nil)
	w.server.Script(func(modelserver.Request) modelserver.Reply {
		return modelserver.Reply{JSON: "{}", Finish: modelserver.Length}
	})
	result, err = w.read(t, text, values)
	if n := len(w.server.Requests()); err != nil || result.Usable() || result.Failed != result.Prompts || n > 15 {
		t.Errorf("after %d requests %d of %d prompts have failed, %v", n, result.Failed, result.Prompts, err)
	}
}

// TestJobTokens shows that a job does not use more tokens than it may: the rest of a long
// document is left out.
func TestJobTokens(t *testing.T) {
	w := newWorld(t, func(cfg *provider.Config) { cfg.JobTokens = 40_000 })
	w.server.Script(nothing)
	result, err := w.read(t, contract(300), values)
	if n := len(w.server.Requests()); err != nil || n < 2 || n > 4 || result.Skipped != result.Prompts-n || result.Skipped < 4 || !result.Usable() {
		t.Errorf("sent %d prompts, left out %d of %d, %v", n, result.Skipped, result.Prompts, err)
	}
}

// TestQuestions shows that a question about a long document costs a part of it, with the
// passage that answers it, and that questions about a short one are sent together.
func TestQuestions(t *testing.T) {
	w := newWorld(t, nil)
	w.server.Script(nothing)
	long := contract(300) + "301. Governing Law\nThis Agreement is governed by the laws of Sweden.\n"
	if _, err := w.read(t, long, llm.Task{Questions: []string{"Which law governs the agreement?"}}); err != nil {
		t.Fatal(err)
	}
	sent := w.server.Requests()
	if len(sent) != 1 || len(sent[0].Text) > 13_000 || !strings.Contains(sent[0].Text, "governed by the laws of Sweden") {
		t.Errorf("sent %d prompts, the first with %d bytes", len(sent), len(sent[0].Text))
	}
	w = newWorld(t, nil)
	w.server.Script(nothing)
	var ten []string
	for i := range 10 {
		ten = append(ten, fmt.Sprintf("What is question %d about?", i+1))
	}
	if _, err := w.read(t, contract(3), llm.Task{Questions: ten}); err != nil {
		t.Fatal(err)
	}
	if sent = w.server.Requests(); len(sent) != 2 {
		t.Errorf("sent %d prompts, want 2", len(sent))
	}
	for sections, want := range map[int]int{20: 2, 100: 10} { // 16 kB, which all fit into a part, and 82 kB
		w = newWorld(t, nil)
		w.server.Script(nothing)
		if _, err := w.read(t, contract(sections), llm.Task{Questions: ten}); err != nil || len(w.server.Requests()) != want {
			t.Errorf("%d sections: sent %d prompts, want %d, %v", sections, len(w.server.Requests()), want, err)
		}
	}
}

// TestFits shows that prompts fit into the context window, however much text the caller
// sends with the document: background is cut, and long questions are asked one by one.
func TestFits(t *testing.T) {
	var long, short []string
	for i := range 3 {
		long = append(long, fmt.Sprintf("What is question %d about? %s", i, strings.Repeat("a ", insightapi.MaxMessageLength/2-20)))
		short = append(short, fmt.Sprintf("What is question %d about?", i))
	}
	background := "We are the Customer." + strings.Repeat("ä", insightapi.MaxContextLength-20)
	for _, c := range []struct {
		name string
		task llm.Task
		want int // prompts
	}{
		{"keys", llm.Task{Keys: values.Keys, Context: background}, 2},
		{"short questions", llm.Task{Questions: short, Context: background}, 1},
		{"long questions", llm.Task{Questions: long, Context: background}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.server.Script(nothing)
			text := contract(10)
			if c.name == "keys" {
				text = contract(32) // 26 kB, which fits without background
			}
			if _, err := w.read(t, text, c.task); err != nil || len(w.server.Requests()) != c.want {
				t.Errorf("sent %d prompts, want %d, %v", len(w.server.Requests()), c.want, err)
			}
			window := 3 * (w.cfg.Context - w.cfg.Output) // bytes
			for _, r := range w.server.Requests() {
				if len(r.Text) > window || !strings.Contains(r.Text, "We are the Customer.") || !utf8.ValidString(r.Text) {
					t.Errorf("sent %d bytes, of which %d fit: %.100s", len(r.Text), window, r.Text)
				}
			}
		})
	}
}

// TestAnswersByMessage shows that each question gets its own answers, although questions
// are numbered anew in each prompt.
func TestAnswersByMessage(t *testing.T) {
	w := newWorld(t, nil)
	var all []string
	for i := range 10 {
		all = append(all, fmt.Sprintf("What is the fee for part %d?", i+1))
	}
	w.server.Script(func(r modelserver.Request) modelserver.Reply {
		var items []any
		for i, q := range all {
			var number int
			if at := strings.Index(r.Text, ": "+q); at >= 0 {
				_, _ = fmt.Sscanf(r.Text[strings.LastIndex(r.Text[:at], "Question "):], "Question %d", &number)
				items = append(items, map[string]any{
					"question": number, "answer": fmt.Sprintf("USD %d,000", i+1),
					"quote": fmt.Sprintf("The fee for part %d of the work is USD %d,000 and is due at its end.", i+1, i+1),
				})
			}
		}
		return answer(r, map[string]any{"custom_prompt": items})
	})
	result, err := w.read(t, contract(10), llm.Task{Questions: all})
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range all {
		if found := result.Answers[q]; len(found) != 1 || !strings.Contains(*found[0].Item.Value, fmt.Sprintf("USD %d,000", i+1)) || found[0].Item.Message != q {
			t.Errorf("%q is answered by %+v", q, found)
		}
	}
}

// TestTriesAreUsedUp shows that a job whose workers have died on every try sends nothing
// more.
func TestTriesAreUsedUp(t *testing.T) {
	w := newWorld(t, nil)
	w.server.Script(nothing)
	task := values
	task.Job.Try = w.cfg.Tries + 1
	_, err := w.read(t, contract(3), task)
	var failed *provider.Error
	if n := len(w.server.Requests()); !errors.As(err, &failed) || failed.Kind != provider.Unavailable || n != 0 {
		t.Errorf("sent %d prompts: %v", n, err)
	}
}

// TestConcurrency shows that no more requests are on their way than configured, and that
// none is begun after a failure.
func TestConcurrency(t *testing.T) {
	w := newWorld(t, nil)
	var now, most atomic.Int32
	w.server.Script(func(r modelserver.Request) modelserver.Reply {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		time.Sleep(10 * time.Millisecond)
		if r.Count == 4 {
			return modelserver.Reply{Status: 500}
		}
		return nothing(r)
	})
	_, err := w.read(t, contract(400), values)
	if n := len(w.server.Requests()); err == nil || n > 4+1+w.cfg.Concurrency || int(most.Load()) > w.cfg.Concurrency {
		t.Errorf("sent %d prompts, %d at once: %v", n, most.Load(), err)
	}
}

// TestAccounts shows that what was used is counted for the organization, that nothing stays
// reserved, and that the result says the same.
func TestAccounts(t *testing.T) {
	w := newWorld(t, nil)
	w.server.Script(func(r modelserver.Request) modelserver.Reply {
		reply := nothing(r)
		reply.Usage = modelserver.Usage{Input: 100, Cached: 20, Output: 7}
		return reply
	})
	result, err := w.read(t, contract(100), values)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(len(w.server.Requests()))
	want := insightapi.Tokens{Requests: n, InputTokens: 100 * n, CachedTokens: 20 * n, OutputTokens: 7 * n}
	account, err := w.store.Account(t.Context(), "org_a", ledger.Day(today))
	if err != nil || n < 2 || result.Tokens != want || account.Models["openai/m"].Tokens != want || account.Reserved() != 0 {
		t.Errorf("after %d requests the result has %+v, the account %+v, %v", n, result.Tokens, account, err)
	}
}

// TestKept shows that another try of a job gets the answers of the one before, and that
// other jobs and organizations do not.
func TestKept(t *testing.T) {
	w := newWorld(t, nil)
	w.server.Script(nothing)
	first, err := w.read(t, contract(3), values)
	if err != nil {
		t.Fatal(err)
	}
	task := values
	task.Job.Try = w.cfg.Tries + 1 // kept answers are used even if all tries are
	again, err := w.read(t, contract(3), task)
	if n := len(w.server.Requests()); err != nil || n != 1 || again.Tokens != first.Tokens {
		t.Errorf("sent %d prompts; the second result has %+v, %v", n, again.Tokens, err)
	}
	d := structure.Read(&layout.Document{Text: contract(3)})
	for i, other := range []llm.Task{
		{Organization: "org_b", Job: domain.Job{ID: "job_1", Try: 1}, Keys: values.Keys},
		{Organization: "org_a", Job: domain.Job{ID: "job_2", Try: 1}, Keys: values.Keys},
	} {
		if _, err := w.reader.Read(t.Context(), d, rules.NewQuestions(d, ""), other); err != nil || len(w.server.Requests()) != i+2 {
			t.Errorf("%+v: %d prompts were sent, %v", other, len(w.server.Requests()), err)
		}
	}
	texts := map[string]bool{}
	for _, r := range w.server.Requests() {
		texts[r.Text] = true
	}
	if len(texts) != 1 {
		t.Errorf("the same task was sent as %d different prompts", len(texts))
	}
}

// TestWants shows for which tasks a model is asked.
func TestWants(t *testing.T) {
	w := newWorld(t, func(cfg *provider.Config) { cfg.Organizations = []string{"org_a"} })
	for _, c := range []struct {
		task llm.Task
		want bool
	}{
		{llm.Task{Organization: "org_a", Keys: []insightapi.Type{insightapi.DocumentIDs, insightapi.DocumentTitle}}, true},
		{llm.Task{Organization: "org_a", Questions: []string{"?"}}, true},
		{llm.Task{Organization: "org_a", Keys: []insightapi.Type{insightapi.DocumentIDs, insightapi.DocumentFields, insightapi.MatchingDocuments}}, false},
		{llm.Task{Organization: "org_b", Questions: []string{"?"}}, false},
	} {
		if got := w.reader.Wants(c.task); got != c.want {
			t.Errorf("%+v: %v", c.task, got)
		}
	}
	if w.reader.Version("org_b") != "" || !slices.Contains(strings.Fields(w.reader.Version("org_a")), "model-openai/m") {
		t.Errorf("the versions are %q and %q", w.reader.Version("org_a"), w.reader.Version("org_b"))
	}
}
