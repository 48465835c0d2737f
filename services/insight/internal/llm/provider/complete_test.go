package provider_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

func TestCompleteReturnsTheAnswerAndItsTokens(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		s, c := start(t, w, modelserver.Reply{JSON: good, Usage: modelserver.Usage{Input: 100, Cached: 40, Output: 7}})
		got, err := c.Complete(t.Context(), prompt)
		if err != nil {
			t.Fatal(err)
		}
		want := insightapi.Tokens{Requests: 1, InputTokens: 100, CachedTokens: 40, OutputTokens: 7}
		if w.protocol == modelserver.Ollama { // does not tell
			want.CachedTokens = 0
		}
		if string(got.JSON) != good || got.Tokens != want {
			t.Errorf("got %s, %+v", got.JSON, got.Tokens)
		}
		all := s.Requests()
		if len(all) != 1 {
			t.Fatalf("%d requests", len(all))
		}
		r := all[0]
		if r.System != system || r.Text != document+"\n\n"+task || r.Key != key || r.Model != "m" || r.MaxTokens != 1024 || r.Stream != w.stream {
			t.Errorf("the server was asked %+v", r)
		}
		if canonical(t, r.Schema) != canonical(t, prompt.Schema.Document) || r.Header.Get("User-Agent") != "Recto" || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("schema %s, header %v", r.Schema, r.Header)
		}
	})
}

// canonical returns JSON in the one form that equal values have.
func canonical(t *testing.T, v jsontext.Value) string {
	t.Helper()
	v = v.Clone()
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%s: %v", v, err)
	}
	return string(v)
}

func TestThoughtsAndFencesAroundAnAnswerAreTolerated(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		for name, reply := range map[string]modelserver.Reply{
			"thoughts": {JSON: good, Thinking: "Look at the {clauses}."}, "fences": {JSON: good, Fenced: true},
			"both": {JSON: good, Fenced: true, Thinking: "hm"},
		} {
			s, c := start(t, w, reply)
			if got, err := c.Complete(t.Context(), prompt); err != nil || string(got.JSON) != good || len(s.Requests()) != 1 {
				t.Errorf("%s: %s, %v after %d requests", name, got.JSON, err, len(s.Requests()))
			}
		}
	})
}

func TestTagsInsideAnAnswerAreItsText(t *testing.T) {
	const answer = `{"clauses":[{"quote":"the tag </think> and ` + "```" + ` {","kind":"a"}]}`
	s, c := start(t, ways[0], modelserver.Reply{JSON: answer})
	if got, err := c.Complete(t.Context(), prompt); err != nil || string(got.JSON) != answer || len(s.Requests()) != 1 {
		t.Errorf("%s, %v after %d requests", got.JSON, err, len(s.Requests()))
	}
}

// TestUnusualStreamsAreRead has streams that servers really send.
func TestUnusualStreamsAreRead(t *testing.T) {
	const said, end = `data: {"choices":[{"delta":{"content":"{\"clauses\":[]}"},"finish_reason":null}],"error":null}` + "\n\n", `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	for name, raw := range map[string]string{
		"a part after the reason":    said + end + `data: {"choices":[{"delta":{},"finish_reason":null}]}` + "\n\ndata: [DONE]\n\n",
		"nothing at the end":         said + end,
		"comments and other fields":  ": wait\n\nevent: message\nid: 1\n" + said + ": wait\n\n" + end + "data: [DONE]\n\n",
		"lines of another system":    strings.ReplaceAll(said+end+"data: [DONE]\n\n", "\n", "\r\n"),
		"no space":                   strings.ReplaceAll(said+end+"data: [DONE]\n\n", "data: ", "data:"),
		"something after the end":    said + end + "data: [DONE]\n\ndata: {\n\n",
		"no stream":                  `{"choices":[{"message":{"content":"{\"clauses\":[]}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
		"thoughts in another member": `data: {"choices":[{"delta":{"content":null,"reasoning_content":"hm"}}]}` + "\n\n" + said + end,
	} {
		_, c := start(t, ways[0], modelserver.Reply{Raw: raw})
		if got, err := c.Complete(t.Context(), prompt); err != nil || string(got.JSON) != `{"clauses":[]}` {
			t.Errorf("%s: %s, %v", name, got.JSON, err)
		}
	}
}

func TestCheckSendsNoDocument(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		s, c := start(t, w, modelserver.Reply{JSON: `{"ready":true}`})
		if err := c.Check(t.Context()); err != nil || len(s.Requests()) != 1 {
			t.Errorf("%v after %d requests", err, len(s.Requests()))
		}
		s, c = start(t, w, modelserver.Reply{Status: 401})
		if e := failed(t, c.Check(t.Context())); e.Kind != provider.Denied || len(s.Requests()) != 1 {
			t.Errorf("%v after %d requests", e, len(s.Requests()))
		}
	})
}

func TestTheEnvironmentOfTheProcessIsIgnored(t *testing.T) {
	for _, name := range []string{
		"OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_ORGANIZATION", "ANTHROPIC_API_KEY", "OLLAMA_HOST",
		"HTTP_PROXY", "http_proxy",
	} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	everyWay(t, func(t *testing.T, w way) {
		s, _ := start(t, w, modelserver.Reply{JSON: good})
		cfg := config(w, s.URL(w.protocol))
		cfg.Key = ""
		if _, err := connect(t, cfg).Complete(t.Context(), prompt); err != nil {
			t.Fatal(err)
		}
		for _, r := range s.Requests() {
			for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key", "Openai-Organization"} {
				if got, ok := r.Header[name]; ok {
					t.Errorf("%s: %q was sent without a key", name, got)
				}
			}
			if r.Model != "m" {
				t.Errorf("model %q", r.Model)
			}
		}
	})
}

// sent returns the body of the request that a configuration leads to. Every address leads
// to the same server.
func sent(t *testing.T, w way, change func(*provider.Config)) map[string]jsontext.Value {
	t.Helper()
	s := modelserver.Start(t)
	s.Script(func(modelserver.Request) modelserver.Reply { return modelserver.Reply{JSON: good} })
	cfg := config(w, s.URL(w.protocol))
	change(&cfg)
	c := connect(t, cfg)
	c.SetDial(func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Address())
	})
	if _, err := c.Complete(t.Context(), prompt); err != nil {
		t.Fatal(err)
	}
	var body map[string]jsontext.Value
	if err := json.Unmarshal(s.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

// TestRequestsHaveWhatEachProviderAccepts names the members that are sent, and with "" those
// that may not be.
func TestRequestsHaveWhatEachProviderAccepts(t *testing.T) {
	openAI, claude, local := way{provider.OpenAI, modelserver.OpenAI, true}, ways[2], way{provider.Ollama, modelserver.Ollama, false}
	for name, c := range map[string]struct {
		way    way
		change func(*provider.Config)
		want   map[string]string
	}{
		"a compatible server": {openAI, func(*provider.Config) {}, map[string]string{
			"max_tokens": "1024", "max_completion_tokens": "", "temperature": "0", "seed": "1", "stream_options": `{"include_usage":true}`, "metadata": ""}},
		"OpenAI": {openAI, func(c *provider.Config) { c.URL = "http://api.openai.com/v1/" }, map[string]string{
			"max_completion_tokens": "1024", "max_tokens": "", "temperature": "0"}},
		"Azure": {openAI, func(c *provider.Config) { c.URL = "http://me.openai.azure.com/v1" }, map[string]string{
			"max_completion_tokens": "1024", "max_tokens": ""}},
		"a host that only looks like it": {openAI, func(c *provider.Config) { c.URL = "http://notopenai.azure.com/v1" }, map[string]string{
			"max_completion_tokens": "", "max_tokens": "1024"}},
		"gpt-5":      {openAI, func(c *provider.Config) { c.Model = "gpt-5-mini" }, map[string]string{"temperature": ""}},
		"o4-mini":    {openAI, func(c *provider.Config) { c.Model = "o4-mini" }, map[string]string{"temperature": ""}},
		"any JSON":   {openAI, func(c *provider.Config) { c.Format = provider.FormatJSON }, map[string]string{"response_format": `{"type":"json_object"}`}},
		"Google":     {way{provider.GoogleAI, modelserver.GoogleAI, true}, func(*provider.Config) {}, map[string]string{"seed": "", "max_tokens": "1024"}},
		"Mistral":    {way{provider.Mistral, modelserver.Mistral, true}, func(*provider.Config) {}, map[string]string{"seed": "", "random_seed": "1", "stream_options": "", "max_tokens": "1024"}},
		"Claude 4.5": {claude, func(c *provider.Config) { c.Model = "claude-sonnet-4-5-20250929" }, map[string]string{"temperature": "0", "max_tokens": "1024", "stream": ""}},
		"Claude 4.7": {claude, func(c *provider.Config) { c.Model, c.Stream = "claude-opus-4-7", true }, map[string]string{
			"temperature": "", "stream": "", "tool_choice": `{"disable_parallel_tool_use":true,"name":"extraction","type":"tool"}`}},
		"Ollama": {local, func(*provider.Config) {}, map[string]string{
			"stream": "false", "truncate": "false", "shift": "false", "options": `{"num_ctx":8192,"num_predict":1024,"seed":1,"temperature":0}`}},
		"Ollama, any JSON": {local, func(c *provider.Config) { c.Format = provider.FormatJSON }, map[string]string{"format": `"json"`}},
	} {
		t.Run(name, func(t *testing.T) {
			body := sent(t, c.way, c.change)
			for member, want := range c.want {
				if got := body[member]; got == nil && want != "" || got != nil && canonical(t, got) != want {
					t.Errorf("%s is %s, want %s", member, got, want)
				}
			}
		})
	}
}

func TestAnthropicMayCacheTheDocument(t *testing.T) {
	messages := string(sent(t, ways[2], func(*provider.Config) {})["messages"])
	if at := strings.Index(messages, `"cache_control":{"type":"ephemeral"}`); at < 0 || at < strings.Index(messages, document) || at > strings.Index(messages, task) ||
		strings.Count(messages, "cache_control") != 1 {
		t.Error(messages)
	}
}

func TestJSONModeTellsTheSchema(t *testing.T) {
	for _, w := range ways {
		if w.protocol == modelserver.Anthropic { // has a tool in any case
			continue
		}
		s, _ := start(t, w, modelserver.Reply{JSON: good})
		cfg := config(w, s.URL(w.protocol))
		cfg.Format = provider.FormatJSON
		if _, err := connect(t, cfg).Complete(t.Context(), prompt); err != nil {
			t.Fatal(err)
		}
		if r := s.Requests()[0]; !r.JSON || r.Schema != nil || !strings.Contains(r.Text, string(prompt.Schema.Document)) {
			t.Errorf("%v: the server was asked %+v", w, r)
		}
	}
}

func TestNewRejectsWhatCannotWork(t *testing.T) {
	for name, change := range map[string]func(*provider.Config){
		"no provider":         func(c *provider.Config) { *c = provider.Config{} },
		"an unknown provider": func(c *provider.Config) { c.Provider = "acme" },
		"a key with a line":   func(c *provider.Config) { c.Key = "a\nX-Other: b" },
		"no URL":              func(c *provider.Config) { c.URL = "http://%zz" },
	} {
		cfg := config(ways[0], "http://127.0.0.1:1")
		change(&cfg)
		if c, err := provider.New(cfg); err == nil || strings.Contains(err.Error(), "X-Other") {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

func TestTheSchemaOfAPromptMustBeValid(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{"type":"object"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, schema := range map[string]string{"no JSON": `{`, "no schema": `{"type":5}`, "a file": `{"$ref":"file://` + other + `"}`} {
		s, c := start(t, ways[0], modelserver.Reply{JSON: good})
		p := prompt
		p.Schema.Document = jsontext.Value(schema)
		_, err := c.Complete(t.Context(), p)
		if e := failed(t, err); e.Kind != provider.Invalid || len(s.Requests()) != 0 {
			t.Errorf("%s: %v after %d requests", name, err, len(s.Requests()))
		}
	}
}

// TestRedirectsAreNotFollowed shows that the document stays where the configuration says.
func TestRedirectsAreNotFollowed(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		other := modelserver.Start(t)
		for _, status := range []int{301, 302, 303, 307, 308} {
			s, c := start(t, w, modelserver.Reply{Status: status, Header: http.Header{"Location": {other.URL(w.protocol)}}})
			_, err := c.Complete(t.Context(), prompt)
			if e := failed(t, err); e.Kind != provider.Denied || e.Status != status || len(s.Requests()) != 1 || len(other.Requests()) != 0 {
				t.Errorf("%d: %v, %d and %d requests", status, err, len(s.Requests()), len(other.Requests()))
			}
		}
	})
}
