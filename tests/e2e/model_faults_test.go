package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// modelTries is INSIGHT_MODEL_TRIES in tests of failures.
const modelTries = 2

// TestModelFails shows what becomes of the failures of a provider: after at most the
// configured number of requests the answer is that of the rules, which say so, and the same
// request asks the model again once it works.
func TestModelFails(t *testing.T) {
	s, m := modelled(t, harness.Options{}, fmt.Sprint("INSIGHT_MODEL_TRIES=", modelTries), "LOG_LEVEL=DEBUG")
	c := s.NewClient(t)
	const echo = "echo of the prompt"
	for name, test := range map[string]struct {
		reply    modelserver.Reply
		requests int
		says     string
	}{
		"down":               {modelserver.Reply{Status: http.StatusServiceUnavailable, Message: echo}, modelTries, "could not be reached"},
		"broken":             {modelserver.Reply{Status: http.StatusInternalServerError, Message: echo}, modelTries, "could not be reached"},
		"cut off":            {modelserver.Reply{Cut: modelserver.Closed}, modelTries, "could not be reached"},
		"cut off, politely":  {modelserver.Reply{Cut: modelserver.Ended}, modelTries, "could not be reached"},
		"a wrong key":        {modelserver.Reply{Status: http.StatusUnauthorized, Message: echo + modelKey}, 1, "rejected"},
		"no JSON":            {modelserver.Reply{JSON: echo}, 2, "no usable answer"}, // and one round of repair
		"the wrong schema":   {modelserver.Reply{JSON: `{"custom_prompt":[{"answer":"` + echo + `"}]}`}, 2, "no usable answer"},
		"refused":            {modelserver.Reply{Refuse: true}, 1, "no usable answer"},
		"longer than it may": {modelserver.Reply{Finish: modelserver.Length, JSON: `{"custom_prompt":[{"question":1,"answer":"` + echo}, 1, "no usable answer"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(m.Requests())
			m.Script(func(modelserver.Request) modelserver.Reply { return test.reply })
			got := ask(t, c, askLaw(agreementText, name))
			requests := len(m.Requests()) - before
			if got.engine != "rules" || got.Usage == nil || !slices.Equal(got.quotes(), []string{swedishLaw}) || requests > test.requests {
				t.Errorf("after %d requests, %s answered %s", requests, got.engine, got.body)
			}
			if reason := *(*got.CustomPrompt)[0].Reasoning; !strings.Contains(reason, test.says) || !strings.Contains(reason, "the rules answered") {
				t.Errorf("the reasoning is %q", reason)
			}
			m.Script(answers(quoting(swedishLaw), modelserver.Reply{}))
			again := ask(t, c, askLaw(agreementText, name))
			if kept := test.says == "no usable answer"; (again.engine != "both") != kept {
				t.Errorf("the same request again is answered by %s: %s", again.engine, again.body)
			}
		})
	}
	noLeaks(t, s, echo, "Sweden", "Which law")
}

// TestModelAsksToWait has a provider limit the rate: the next request comes after the time
// that it asks for. If that is long, the rules answer at once, and nothing more is sent.
func TestModelAsksToWait(t *testing.T) {
	s, m := modelled(t, harness.Options{})
	c := s.NewClient(t)
	const wait = 2 * time.Second
	var refused time.Time
	good := answers(quoting(swedishLaw), modelserver.Reply{})
	m.Script(func(r modelserver.Request) modelserver.Reply {
		if r.Count > 0 {
			return good(r)
		}
		refused = time.Now()
		return modelserver.Reply{Status: http.StatusTooManyRequests, RetryAfter: wait}
	})
	got := ask(t, c, askLaw(agreementText, "of patience"))
	if requests := len(m.Requests()); got.engine != "both" || requests != 2 || time.Since(refused) < wait {
		t.Errorf("after %d requests and %v, %s answered: %s", requests, time.Since(refused), got.engine, got.body)
	}
	m.Script(func(modelserver.Request) modelserver.Reply {
		return modelserver.Reply{Status: http.StatusTooManyRequests, RetryAfter: time.Hour}
	})
	for n := range 2 {
		got := ask(t, c, askLaw(agreementText, fmt.Sprint("of long waits ", n)))
		if requests := len(m.Requests()); got.engine != "rules" || requests != 3 || !strings.Contains(got.body, "the rules answered") {
			t.Errorf("after %d requests, %s answered: %s", requests, got.engine, got.body)
		}
	}
}

// TestModelWithoutFallback shows that requests fail if the rules are not to answer for the
// model.
func TestModelWithoutFallback(t *testing.T) {
	s, m := modelled(t, harness.Options{}, "INSIGHT_MODEL_FALLBACK=none", fmt.Sprint("INSIGHT_MODEL_TRIES=", modelTries), "INSIGHT_MODEL_TIMEOUT=2s")
	c := s.NewClient(t)
	body := askLaw(agreementText, "of failures")
	m.Script(func(modelserver.Request) modelserver.Reply {
		return modelserver.Reply{Status: http.StatusInternalServerError}
	})
	failed := c.Post("/insights", body)
	if failed.Fails(503, 5003); failed.Header.Get("Retry-After") == "" || len(m.Requests()) > modelTries {
		t.Errorf("after %d requests, the answer is %s", len(m.Requests()), failed.Body)
	}
	before := len(m.Requests())
	m.Script(func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Wait: make(chan struct{})} })
	hanging := c.Post("/insights", askLaw(agreementText, "of waiting"))
	if hanging.Status != http.StatusGatewayTimeout && hanging.Status != http.StatusServiceUnavailable || len(m.Requests())-before > modelTries {
		t.Errorf("after %d requests to a server that hangs, the answer is %d %s", len(m.Requests())-before, hanging.Status, hanging.Body)
	}
	m.Script(answers(quoting(swedishLaw), modelserver.Reply{}))
	if got := ask(t, c, body); got.engine != "both" {
		t.Errorf("once the model works, %s answers: %s", got.engine, got.body)
	}
}

// TestModelCanceled cancels a job that waits for the model. The connection to the model is
// closed.
func TestModelCanceled(t *testing.T) {
	s, m := modelled(t, harness.Options{})
	c := s.NewClient(t)
	for name, reply := range map[string]modelserver.Reply{
		"before the answer": {Wait: make(chan struct{})}, "in its middle": {Stall: make(chan struct{})},
	} {
		t.Run(name, func(t *testing.T) {
			before, gone := len(m.Requests()), m.Gone()
			m.Script(answers(quoting(swedishLaw), reply))
			var job accepted
			laterInsights(c, askLaw(agreementText, name)).Accepted(&job)
			patience.Until(t, "the model is asked", func() bool { return len(m.Requests()) > before })
			if state := cancelJob(c, job.ID).State(); state != "canceled" {
				t.Errorf("the job is %s", state)
			}
			patience.Until(t, "the connection to the model is closed", func() bool { return m.Gone() > gone })
			if requests := len(m.Requests()) - before; requests != 1 || c.Get("/jobs/"+job.ID).State() != "canceled" {
				t.Errorf("%d requests were sent for the job, which is %s", requests, c.Get("/jobs/"+job.ID).Body)
			}
		})
	}
}

// manyParts returns a text that takes several requests with the smallest context window.
func manyParts() string {
	var b strings.Builder
	for n := range 80 {
		fmt.Fprintf(&b, "%d. The Consultant shall deliver part %[1]d of the services with due care, as the parties have agreed in writing, and at the latest on the first day of the month.\n\n", n+1)
	}
	return b.String()
}

// TestModelSurvivesCrash kills the program while it waits for the model, after some parts of
// the document were answered. After the restart the job finishes, and those parts are not
// sent again.
func TestModelSurvivesCrash(t *testing.T) {
	harness.StandaloneOnly(t)
	m := modelserver.Start(t)
	o := harness.Options{Rate: "unlimited", Dir: t.TempDir(), Env: append(modelEnv(m),
		"INSIGHT_MODEL_CONTEXT=4096", "INSIGHT_MODEL_OUTPUT=256", "INSIGHT_MODEL_CONCURRENCY=1", "INSIGHT_ACK_WAIT="+patience.Scale(5*time.Second).String())}
	s := harness.Start(t, o)
	const answeredParts = 2
	good, killed := answers(nil, modelserver.Reply{}), make(chan struct{})
	m.Script(func(r modelserver.Request) modelserver.Reply {
		reply := good(r)
		if r.Count == answeredParts {
			reply.Wait = killed
		}
		return reply
	})
	var job accepted
	laterInsights(s.Client(t), object{"doc_text": manyParts(), "insights": []object{insight("document_clauses")}}).Accepted(&job)
	patience.Until(t, "the model is asked for another part", func() bool { return len(m.Requests()) > answeredParts })
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	close(killed)
	s = harness.Start(t, o)
	var got insightapi.Answer
	result := resultOf(t, s.Client(t), job.ID)
	got = decode[insightapi.Answer](t, string(result))
	sent := map[string]int{}
	for _, r := range m.Requests() {
		sent[r.Text]++
	}
	for i, r := range m.Requests() {
		if want := map[bool]int{true: 2, false: 1}[i == answeredParts || i == answeredParts+1]; sent[r.Text] != want {
			t.Errorf("prompt %d of %d was sent %d times, want %d", i+1, len(m.Requests()), sent[r.Text], want)
		}
	}
	if parts := len(sent); parts < answeredParts+2 || got.Usage == nil || got.Usage.Requests != int64(parts) || got.Usage.Engine == insightapi.ByModel {
		t.Errorf("the document has %d parts, the result is %s", parts, result)
	}
}
