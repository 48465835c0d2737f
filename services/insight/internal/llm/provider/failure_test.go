package provider_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// echo is an error message of a provider that repeats what nobody may read in a log.
const echo = "do not like " + key + " with " + system + document + task + good

// leak fails the test if an error tells a secret.
func leak(t *testing.T, err error) {
	t.Helper()
	for _, text := range []string{err.Error(), fmt.Sprintf("%v %+v %#v", err, err, err)} {
		for _, secret := range []string{key, system, document, task, "widgets", "clauses"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q tells %q", text, secret)
			}
		}
	}
}

// used is what the replies below use.
var used = modelserver.Usage{Input: 100, Output: 7}

// TestEachFailureHasItsKind shows that each failure is found, after a single request.
func TestEachFailureHasItsKind(t *testing.T) {
	for name, c := range map[string]struct {
		reply   modelserver.Reply
		kind    provider.Kind
		after   time.Duration
		charged bool
		// only is the protocol for which the case makes sense, "" for all.
		only string
	}{
		"rate limit":                 {modelserver.Reply{Status: 429, Message: echo, RetryAfter: 7 * time.Second}, provider.Unavailable, 7 * time.Second, false, ""},
		"rate limit without a time":  {modelserver.Reply{Status: 429, Message: echo}, provider.Unavailable, 0, false, ""},
		"rate limit in milliseconds": {modelserver.Reply{Status: 429, Header: http.Header{"Retry-After-Ms": {"1500"}}}, provider.Unavailable, 1500 * time.Millisecond, false, ""},
		"server error":               {modelserver.Reply{Status: 500, Message: echo}, provider.Unavailable, 0, false, ""},
		"bad gateway":                {modelserver.Reply{Status: 502, Raw: "<html>" + echo}, provider.Unavailable, 0, false, ""},
		"loading":                    {modelserver.Reply{Status: 503, Message: "Loading model", RetryAfter: time.Second}, provider.Unavailable, time.Second, false, ""},
		"overloaded":                 {modelserver.Reply{Status: 529, Message: echo, RetryAfter: 2 * time.Second}, provider.Unavailable, 2 * time.Second, false, ""},
		"no content":                 {modelserver.Reply{Status: 202, Message: echo}, provider.Unavailable, 0, false, ""},
		"wrong key":                  {modelserver.Reply{Status: 401, Message: echo}, provider.Denied, 0, false, ""},
		"forbidden":                  {modelserver.Reply{Status: 403, Message: echo}, provider.Denied, 0, false, ""},
		"unknown model":              {modelserver.Reply{Status: 404, Message: echo, RetryAfter: time.Second}, provider.Denied, 0, false, ""},
		"bad request":                {modelserver.Reply{Status: 400, Message: echo}, provider.Denied, 0, false, ""},
		"unprocessable":              {modelserver.Reply{Status: 422, Message: echo}, provider.Denied, 0, false, ""},
		"not paid":                   {modelserver.Reply{Status: 429, Message: echo, Code: "insufficient_quota"}, provider.Denied, 0, false, modelserver.OpenAI},
		"too long for OpenAI":        {modelserver.Reply{Status: 400, Message: "This model's maximum context length is 8192 tokens. " + echo}, provider.TooLong, 0, false, ""},
		"too long for Anthropic":     {modelserver.Reply{Status: 400, Message: "prompt is too long: 210000 tokens > 200000 maximum"}, provider.TooLong, 0, false, ""},
		"too long for llama.cpp":     {modelserver.Reply{Status: 400, Message: "the request exceeds the available context size (4096 tokens)"}, provider.TooLong, 0, false, ""},
		"too long for Ollama":        {modelserver.Reply{Status: 400, Message: "the input length exceeds the context length"}, provider.TooLong, 0, false, ""},
		"too long for Gemini":        {modelserver.Reply{Status: 400, Message: "The input token count (2) exceeds the maximum number of tokens allowed (1)."}, provider.TooLong, 0, false, ""},
		"too large for the rate":     {modelserver.Reply{Status: 429, Message: "Request too large for m", RetryAfter: time.Hour}, provider.TooLong, 0, false, ""},
		"too large":                  {modelserver.Reply{Status: 413, Message: echo}, provider.TooLong, 0, false, ""},
		"filtered prompt":            {modelserver.Reply{Status: 400, Message: echo, Code: "content_filter"}, provider.Refused, 0, false, modelserver.OpenAI},
		"truncated":                  {modelserver.Reply{JSON: good, Usage: used, Finish: modelserver.Length}, provider.TooLong, 0, true, ""},
		"refused":                    {modelserver.Reply{Refuse: true, Usage: used}, provider.Refused, 0, true, ""},
		"filtered":                   {modelserver.Reply{JSON: good, Usage: used, Finish: "content_filter"}, provider.Refused, 0, true, modelserver.OpenAI},
		"empty":                      {modelserver.Reply{JSON: " ", Usage: used}, provider.Refused, 0, true, ""},
		"cut without an error":       {modelserver.Reply{JSON: good, Usage: used, Cut: modelserver.Ended}, provider.Unavailable, 0, false, ""},
		"cut":                        {modelserver.Reply{JSON: good, Usage: used, Cut: modelserver.Closed}, provider.Unavailable, 0, false, ""},
		"a web page":                 {modelserver.Reply{Raw: "<html><body>" + echo}, provider.Unavailable, 0, false, ""},
		"an answer to another":       {modelserver.Reply{Raw: `{"status":"ok"}`}, provider.Unavailable, 0, false, ""},
		"endless":                    {modelserver.Reply{Raw: strings.Repeat("data: {}\n", 1<<20)}, provider.Invalid, 0, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, w way) {
				if c.only != "" && c.only != w.protocol {
					t.Skip("another protocol")
				}
				s, client := start(t, w, c.reply)
				got, err := client.Complete(t.Context(), prompt)
				e := failed(t, err)
				leak(t, err)
				want := insightapi.Tokens{Requests: 1}
				if c.charged {
					want.InputTokens, want.OutputTokens = 100, 7
				}
				if e.Kind != c.kind || e.After != c.after || e.Tokens != want || len(got.JSON) > 0 {
					t.Errorf("%v: kind %d, after %v, %+v, answer %s", err, e.Kind, e.After, e.Tokens, got.JSON)
				}
				if status := c.reply.Status; status != 0 && e.Status != status {
					t.Errorf("status %d", e.Status)
				}
				if n := len(s.Requests()); n != 1 {
					t.Errorf("%d requests", n)
				}
			})
		})
	}
}

// TestHostileAnswers has answers that langchaingo panics at, misreads, or reads in part.
func TestHostileAnswers(t *testing.T) {
	chunk := func(delta, finish string) string {
		return `data: {"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + "}]}\n\n"
	}
	long := `"` + strings.Repeat("a", 70_000) + `"`
	line := `{"message":{"role":"assistant","content":"{}"},"done":`
	for name, c := range map[string]struct {
		way  way
		raw  string
		kind provider.Kind
	}{
		"a function call that is missing":       {ways[1], `{"choices":[{"finish_reason":"function_call","message":{"content":"{}"}}]}`, provider.Invalid},
		"the same in a stream":                  {ways[0], chunk(`{"content":"{}"}`, `"function_call"`) + "data: [DONE]\n\n", provider.Invalid},
		"a tool call that is null":              {ways[0], chunk(`{"content":"{}","tool_calls":[null]}`, `"stop"`) + "data: [DONE]\n\n", provider.Invalid},
		"a choice that is null":                 {ways[1], `{"choices":[null,{"finish_reason":"stop","message":{"content":"{}"}}]}`, provider.Invalid},
		"no choices":                            {ways[1], `{"choices":[],"usage":{}}`, provider.Refused},
		"an error in place of an answer":        {ways[1], `{"error":{"message":"` + key + `"}}`, provider.Unavailable},
		"an error in a stream":                  {ways[0], chunk(`{"content":"{"}`, "null") + `data: {"error":{"message":"out of memory"}}` + "\n\ndata: [DONE]\n\n", provider.Unavailable},
		"an error after an answer":              {ways[0], chunk(`{"content":"{}"}`, `"stop"`) + `data: {"error":{"message":"out of memory"}}` + "\n\n", provider.Unavailable},
		"a refusal after some text":             {ways[0], chunk(`{"content":"{}"}`, "null") + chunk(`{"refusal":"no"}`, `"stop"`), provider.Refused},
		"a refusal with text":                   {ways[1], `{"choices":[{"finish_reason":"stop","message":{"content":"{}","refusal":"no"}}]}`, provider.Refused},
		"an error about the length in a stream": {ways[0], `data: {"error":{"code":"context_length_exceeded"}}` + "\n\n", provider.TooLong},
		"a stream without an end":               {ways[0], chunk(`{"content":"{}"}`, "null"), provider.Unavailable},
		"a line that cannot be read":            {ways[0], chunk(`{"content":"{"}`, "null") + "data: {\n\n" + chunk(`{"content":"}"}`, `"stop"`), provider.Unavailable},
		"a line that is too long":               {ways[0], chunk(`{"content":`+long+`}`, "null") + chunk("{}", `"stop"`) + "data: [DONE]\n\n", provider.Unavailable},
		"a part that langchaingo leaves out":    {ways[0], chunk(`{"content":"{","role":5}`, "null") + chunk(`{"content":"{}"}`, `"stop"`) + "data: [DONE]\n\n", provider.Invalid},
		"a block of another kind":               {ways[2], `{"type":"message","content":[{"type":"redacted_thinking","data":"x"}],"stop_reason":"tool_use"}`, provider.Invalid},
		"no blocks":                             {ways[2], `{"type":"message","content":[],"stop_reason":"end_turn"}`, provider.Refused},
		"a long answer in many parts":           {ways[0], strings.Repeat(chunk(`{"content":"          "}`, "null"), 7000) + chunk("{}", `"stop"`), provider.Invalid},
		"an error of Anthropic":                 {ways[2], `{"type":"error","error":{"type":"overloaded_error"}}`, provider.Unavailable},
		"an error of Ollama":                    {ways[5], line + "false}\n{\"error\":\"out of memory\"}\n", provider.Unavailable},
		"a long line of Ollama":                 {ways[5], `{"message":{"content":"` + strings.Repeat("a", 600_000) + `"},"done":false}` + "\n" + line + "true}\n", provider.Unavailable},
		"a time that langchaingo cannot read":   {ways[5], `{"created_at":"today","message":{"content":"{}"},"done":true}` + "\n", provider.Invalid},
		"a chat of Ollama that goes on":         {ways[5], line + "false}\n", provider.Unavailable},
		"an old Ollama at its limit":            {ways[5], line + `true,"eval_count":1024}` + "\n", provider.TooLong},
	} {
		t.Run(name, func(t *testing.T) {
			s, client := start(t, c.way, modelserver.Reply{Raw: c.raw})
			_, err := client.Complete(t.Context(), prompt)
			leak(t, err)
			if e := failed(t, err); e.Kind != c.kind || len(s.Requests()) != 1 {
				t.Errorf("%v: kind %d after %d requests", err, e.Kind, len(s.Requests()))
			}
		})
	}
}

// TestAnAbsurdUsageIsBounded keeps a wrong number from using up a budget, or giving some
// back.
func TestAnAbsurdUsageIsBounded(t *testing.T) {
	for usage, want := range map[string]insightapi.Tokens{
		`{"prompt_tokens":1000000000000,"completion_tokens":-5}`:                                  {Requests: 1, InputTokens: 10_000_000},
		`{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":99}}`: {Requests: 1, InputTokens: 10, CachedTokens: 10, OutputTokens: 2},
		`{"prompt_tokens":10,"completion_tokens":2,"prompt_cache_hit_tokens":4}`:                  {Requests: 1, InputTokens: 10, CachedTokens: 4, OutputTokens: 2},
		`{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":null}`:                 {Requests: 1, InputTokens: 10, OutputTokens: 2},
		`null`: {Requests: 1},
		`"x"`:  {Requests: 1},
	} {
		_, client := start(t, ways[0], modelserver.Reply{Raw: `data: {"choices":[{"delta":{"content":"{\"clauses\":[]}"},"finish_reason":"stop"}],"usage":` + usage + "}\n\ndata: [DONE]\n\n"})
		got, err := client.Complete(t.Context(), prompt)
		if usage == `"x"` { // langchaingo cannot read the part that has it
			leak(t, err)
			continue
		}
		if err != nil || got.Tokens != want {
			t.Errorf("%s: %+v, %v", usage, got.Tokens, err)
		}
	}
}

func TestARejectionNamesWhatTheProviderNames(t *testing.T) {
	_, client := start(t, ways[0], modelserver.Reply{Status: 400, Message: "Unsupported value: 'temperature' does not support 0 with my_seed in reformatted " + document})
	_, err := client.Complete(t.Context(), prompt)
	if want := "the language model: it rejects the request; its message names temperature (HTTP status 400)"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	everyWay(t, func(t *testing.T, w way) {
		_, err := connect(t, config(w, "http://"+address)).Complete(t.Context(), prompt)
		if e := failed(t, err); e.Kind != provider.Unavailable || e.Tokens.Requests != 0 || e.Status != 0 {
			t.Errorf("%v: %+v", err, e)
		}
	})
}

func TestCertificatesAreVerified(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = newDiscard()
	s.StartTLS()
	defer s.Close()
	_, err := connect(t, config(ways[0], s.URL)).Complete(t.Context(), prompt)
	if e := failed(t, err); e.Kind != provider.Denied || e.Tokens.Requests != 0 {
		t.Errorf("%v: %+v", err, e)
	}
}
