package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
	"github.com/rectohq/recto/tests/harness/tinymodel"
)

// talking is a model that says sentences of agreementText, among nonsense.
var talking = tinymodel.Model{Phrases: []string{
	"This Agreement is governed by the laws of Sweden.", "CONSULTING AGREEMENT", "Zoë Ünal", "USD 12,500.00", "12 months",
	"The Client shall pay a fee of USD 12,500.00 within 30 days of each invoice.", "The liability of the Consultant is limited to USD 50,000.", "Governing Law",
	"This Agreement ends on December 31, 2027 and renews for successive terms of 12 months.", "This Agreement is governed by the laws of Norway.",
}}

// TestTinyModel has the server of llama.cpp load a model of the tests, and write JSON for a
// schema.
func TestTinyModel(t *testing.T) {
	harness.ContainersOnly(t)
	l := harness.StartLlama(t, talking, 1)
	schema := object{"type": "object", "properties": object{"items": object{"type": "array", "minItems": 1, "maxItems": 3, "items": object{"type": "string"}}}, "required": []string{"items"}, "additionalProperties": false}
	complete := 0
	const requests = 8
	for n := range requests {
		var got struct {
			Choices []struct {
				FinishReason string `json:"finish_reason"`
				Message      struct{ Content string }
			}
			Usage struct {
				Prompt int `json:"prompt_tokens"`
			}
		}
		prompt := strings.Repeat(fmt.Sprintf("Text %d, also with ß, 漢 and \u0001. ", n), 50)
		data := l.Post("/v1/chat/completions", object{
			"messages": []object{{"role": "user", "content": prompt}}, "max_tokens": 1024, "temperature": 0,
			"response_format": object{"type": "json_schema", "json_schema": object{"name": "list", "strict": true, "schema": schema}},
		})
		if err := json.Unmarshal(data, &got); err != nil || len(got.Choices) != 1 || got.Usage.Prompt < len(prompt) {
			t.Fatalf("the answer is %s: %v", data, err)
		}
		var list struct{ Items []string }
		if choice := got.Choices[0]; choice.FinishReason == "stop" {
			complete++
			if err := json.Unmarshal([]byte(choice.Message.Content), &list); err != nil || len(list.Items) == 0 {
				t.Errorf("the model says %q: %v", choice.Message.Content, err)
			}
		}
	}
	if complete < requests/2 {
		t.Errorf("only %d of %d answers are complete", complete, requests)
	}
}

// TestModelServer reads with the server of llama.cpp and models of random weights.
func TestModelServer(t *testing.T) {
	harness.ContainersOnly(t)
	l := harness.StartLlama(t, talking, 1)
	env := append(l.Env(), fmt.Sprint("INSIGHT_MODEL_TRIES=", modelTries), "INSIGHT_MODEL_CONTEXT=40000", "INSIGHT_MODEL_OUTPUT=16384", "LOG_LEVEL=DEBUG")
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: env})
	t.Run("nonsense", func(t *testing.T) { llamaNonsense(t, s) })
	t.Run("busy", func(t *testing.T) { llamaBusy(t, s) })
	l.Load(tinymodel.Model{Endless: true})
	t.Run("canceled", func(t *testing.T) { llamaCanceled(t, s, l) })
	t.Run("killed", func(t *testing.T) { llamaKilled(t, s, l) })
	out := s.Output()
	for _, secret := range []string{l.Key, "laws of Sweden", "You read one document"} {
		if strings.Contains(out, secret) {
			t.Errorf("the output has %q", secret)
		}
	}
}

// llamaNonsense reads variants of a contract until the model has invented quotes and quoted
// the document, in each of the ways to ask. Everything in the answers is in the document.
func llamaNonsense(t *testing.T, s *harness.System) {
	c := s.NewClient(t)
	invented, quoted := 0, 0
	for n := range 30 {
		body := about("doc_text", agreementText+fmt.Sprintf("\nSchedule %d of nonsense\n", n))
		var whole []byte
		switch n % 3 {
		case 0:
			whole = c.Post("/insights", body).OK(nil).Body
		case 1:
			whole = collected(t, c.Post("/insights", plus(body, "stream", true)).OK(nil))
		case 2:
			var job accepted
			laterInsights(c, body).Accepted(&job)
			whole = resultOf(t, c, job.ID)
		}
		got := decode[insightapi.Answer](t, string(whole))
		if got.Usage == nil || got.Usage.Requests == 0 || got.Usage.InputTokens < int64(len(agreementText)) || got.Usage.OutputTokens == 0 {
			t.Errorf("the usage is %+v", got.Usage)
		}
		grounded(t, whole, body["doc_text"].(string))
		metrics := s.Metrics(t, "insight")
		invented, quoted = quotesFound(t, metrics, "ungrounded")+quotesFound(t, metrics, "unverified"), quotesFound(t, metrics, "exact")
		if n >= 2 && invented > 0 && quoted > 0 {
			break
		}
	}
	t.Logf("the model quoted the document %d times, and %d of its items were dropped", quoted, invented)
	if invented == 0 || quoted == 0 {
		t.Error("the model never invented a quote, or never quoted the document")
	}
}

// quotesFound returns how many quotes were found in a way, or not.
func quotesFound(t *testing.T, metrics, found string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^recto_model_quotes_total\{found="` + found + `"\} (\d+)$`).FindStringSubmatch(metrics)
	if m == nil {
		t.Fatalf("there is no metric for quotes that are %s", found)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// grounded checks that the document contains the quote of every item of an answer.
func grounded(t *testing.T, answer []byte, document string) {
	t.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(answer, &keys); err != nil {
		t.Fatal(err)
	}
	for key, value := range keys {
		var items []struct {
			Quote *string
			Value *string
		}
		if json.Unmarshal(value, &items) != nil {
			continue // not a list
		}
		for _, item := range items {
			if item.Quote != nil && !strings.Contains(document, *item.Quote) {
				t.Errorf("%s: %q is not in the document", key, *item.Quote)
			}
			if item.Quote == nil && item.Value != nil {
				t.Errorf("%s: %q has no quote", key, *item.Value)
			}
		}
	}
}

// llamaBusy sends many requests concurrently to a server that works on one at a time.
func llamaBusy(t *testing.T, s *harness.System) {
	c := s.NewClient(t)
	engines := make([]string, 6)
	var sending sync.WaitGroup
	for n := range engines {
		sending.Go(func() {
			a, err := c.Try(harness.Request{Method: http.MethodPost, Path: "/insights", Body: askLaw(agreementText, fmt.Sprint("of the busy ", n))})
			if err != nil || a.Status != http.StatusOK || strings.Contains(string(a.Body), "the rules answered") {
				t.Errorf("a request gets %+v, %v", a, err)
				return
			}
			engines[n] = a.Header.Get(insightapi.EngineHeader)
		})
	}
	sending.Wait()
	if slices.Contains(engines, "") {
		t.Errorf("the engines are %q", engines)
	}
}

// llamaCanceled cancels a job while the server writes an answer. The server stops.
func llamaCanceled(t *testing.T, s *harness.System, l *harness.Llama) {
	c := s.NewClient(t)
	var job accepted
	laterInsights(c, askLaw(agreementText, "of canceling")).Accepted(&job)
	patience.Until(t, "the server works", func() bool { return l.Busy() > 0 })
	if state := cancelJob(c, job.ID).State(); state != "canceled" {
		t.Errorf("the job is %s", state)
	}
	patience.Until(t, "the server stops", func() bool { return l.Busy() == 0 })
	patience.Until(t, "the server logs that it need not answer", func() bool { return strings.Contains(l.Output(), "cancel") })
}

// llamaKilled kills the server while it writes an answer. The rules answer instead, and the
// same request asks the server again once it is back.
func llamaKilled(t *testing.T, s *harness.System, l *harness.Llama) {
	c := s.NewClient(t)
	body := askLaw(agreementText, "of killing")
	answer := make(chan *harness.Answer, 1)
	go func() {
		a, err := c.Try(harness.Request{Method: http.MethodPost, Path: "/insights", Body: body})
		if err != nil {
			t.Error(err)
		}
		answer <- a
	}()
	patience.Until(t, "the server works", func() bool { return l.Busy() > 0 })
	if err := l.Kill(); err != nil {
		t.Fatal(err)
	}
	var got insightapi.Answer
	a := (<-answer).OK(&got)
	if engine := a.Header.Get(insightapi.EngineHeader); engine != "rules" || !strings.Contains(*(*got.CustomPrompt)[0].Reasoning, "could not be reached, so the rules answered") {
		t.Errorf("%s answered %s", engine, a.Body)
	}
	grounded(t, a.Body, body["doc_text"].(string))
	l.Load(talking)
	if again := ask(t, c, body); strings.Contains(again.body, "the rules answered") || again.Usage == nil || again.Usage.OutputTokens == 0 {
		t.Errorf("with the server back, the answer is %s", again.body)
	}
}
