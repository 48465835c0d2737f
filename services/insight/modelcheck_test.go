package insight_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/services/insight"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// secretKey is the key of the language model in the tests.
const secretKey = "sk-0123456789"

// modelAt returns the configuration of a language model at a base URL.
func modelAt(url string) provider.Config {
	return provider.Config{
		Provider: provider.OpenAI, Model: "contracts", URL: url, Key: secretKey, Timeout: patience.Scale(20 * time.Second), Tries: 1,
		Concurrency: 1, Format: provider.FormatSchema, Stream: true, Context: 8192, Output: 1024, JobTokens: 10_000, Fallback: provider.FallbackRules,
	}
}

// checkModel runs the check of the language model, and fails the test if it prints the key.
func checkModel(t *testing.T, cfg provider.Config) (found, fix string, err error) {
	t.Helper()
	for _, c := range insight.Checks(insight.Config{Model: cfg}) {
		if c.Name == "language model" {
			found, err = c.Run(t.Context())
		}
	}
	var advice *runner.Advice
	if errors.As(err, &advice) {
		fix = advice.Fix
		if strings.Contains(err.Error()+fix, secretKey) || advice.Optional {
			t.Errorf("the check prints the key, or may fail: %+v", advice)
		}
	}
	if found == "" && err == nil || strings.Contains(found, secretKey) {
		t.Errorf("the check prints %q", found)
	}
	return found, fix, err
}

// TestModelCheck shows that the check names the model and its host, and what may be sent to
// it.
func TestModelCheck(t *testing.T) {
	if found, _, err := checkModel(t, provider.Config{}); err != nil || found != "not configured: documents are read by rules and sent nowhere" {
		t.Errorf("without a model: %q, %v", found, err)
	}
	server := modelserver.Start(t)
	server.Script(func(modelserver.Request) modelserver.Reply { return modelserver.Reply{JSON: `{"ready": true}`} })
	cfg := modelAt(server.URL(modelserver.OpenAI))
	for whose, organizations := range map[string][]string{
		"all organizations": nil, "the organizations in INSIGHT_MODEL_ORGANIZATIONS (2)": {"org_1", "org_2"},
	} {
		cfg.Organizations = organizations
		found, _, err := checkModel(t, cfg)
		if err != nil || !strings.HasPrefix(found, "openai/contracts at "+server.Address()+" answered in ") || !strings.HasSuffix(found, " ms; documents of "+whose+" may be sent to it") {
			t.Errorf("%q, %v", found, err)
		}
	}
	asked := server.Requests()
	if len(asked) != 2 || asked[0].Key != secretKey || asked[0].Model != "contracts" {
		t.Errorf("the server got %+v", asked)
	}
}

// TestModelCheckFails shows that each failure is reported with the variables to look at.
func TestModelCheckFails(t *testing.T) {
	never := make(chan struct{})
	unused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = unused.Close()
	for name, tc := range map[string]struct {
		reply  modelserver.Reply
		change func(*provider.Config)
		advice []string
	}{
		"an expired key":      {reply: modelserver.Reply{Status: 401, Message: secretKey}, advice: []string{"INSIGHT_MODEL_KEY"}},
		"an unknown model":    {reply: modelserver.Reply{Status: 404}, advice: []string{"INSIGHT_MODEL,", "INSIGHT_MODEL_URL"}},
		"a rejected request":  {reply: modelserver.Reply{Status: 422}, advice: []string{"INSIGHT_MODEL_URL", "INSIGHT_MODEL_KEY"}},
		"a rate limit":        {reply: modelserver.Reply{Status: 429}, advice: []string{"limits of the account"}},
		"a failing server":    {reply: modelserver.Reply{Status: 500}, advice: []string{"log of the server"}},
		"another protocol":    {reply: modelserver.Reply{Raw: "<html>"}, advice: []string{"INSIGHT_MODEL_PROVIDER", "INSIGHT_MODEL_URL"}},
		"an answer cut short": {reply: modelserver.Reply{JSON: `{"ready": true}`, Finish: modelserver.Length}, advice: []string{"INSIGHT_MODEL_OUTPUT"}},
		"another form":        {reply: modelserver.Reply{JSON: `{"ready": "maybe"}`}, advice: []string{"INSIGHT_MODEL_FORMAT"}},
		"a refusal":           {reply: modelserver.Reply{Refuse: true}, advice: []string{"another model"}},
		"a silent server":     {reply: modelserver.Reply{Wait: never}, change: func(c *provider.Config) { c.Timeout = 10 * time.Millisecond }, advice: []string{"INSIGHT_MODEL_TIMEOUT"}},
		"no server":           {change: func(c *provider.Config) { c.URL = "http://" + unused.Addr().String() + "/v1" }, advice: []string{"INSIGHT_MODEL_URL"}},
		"a wrong setting":     {change: func(c *provider.Config) { c.Format = "x" }, advice: []string{"environment"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := modelserver.Start(t)
			server.Script(func(modelserver.Request) modelserver.Reply { return tc.reply })
			cfg := modelAt(server.URL(modelserver.OpenAI))
			if tc.change != nil {
				tc.change(&cfg)
			}
			found, fix, err := checkModel(t, cfg)
			if err == nil {
				t.Errorf("it succeeds: %s", found)
			}
			for _, want := range tc.advice {
				if !strings.Contains(fix, want) {
					t.Errorf("%v: the advice is %q, want %q in it", err, fix, want)
				}
			}
		})
	}
}
