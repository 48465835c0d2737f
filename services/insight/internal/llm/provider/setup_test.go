package provider_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/syncbuffer"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// TestMain fails if a test leaves a goroutine behind, or if anything writes to the logs of
// the process, where text of documents could end up.
func TestMain(m *testing.M) {
	var logged syncbuffer.Buffer
	log.SetOutput(&logged)
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if text := logged.String(); text != "" {
			_, _ = io.WriteString(os.Stderr, "something was logged:\n"+text)
			code = 1
		}
		os.Exit(code)
	}))
}

// Texts that may appear in no error.
const (
	key      = "sk-very-secret-key"
	system   = "You read contracts."
	document = "The Supplier shall deliver 500 widgets."
	task     = "List the clauses."
)

// prompt is a prompt for an answer such as good.
var prompt = provider.Prompt{
	System: system, Document: document, Task: task,
	Schema: provider.Schema{Name: "extraction", Document: jsontext.Value(`{"type":"object","properties":{` +
		`"clauses":{"type":"array","items":{"type":"object","properties":{"quote":{"type":"string"},"kind":{"enum":["a","b"]}},` +
		`"required":["quote","kind"],"additionalProperties":false}}},"required":["clauses"],"additionalProperties":false}`)},
}

const (
	good = `{"clauses":[{"quote":"shall deliver 500 widgets — “so”","kind":"a"}]}`
	// wrong does not match the schema.
	wrong = `{"clauses":[{"quote":"shall deliver","kind":"c"}]}`
)

// way is a provider, and whether its answers are streamed.
type way struct {
	provider, protocol string
	stream             bool
}

func (w way) String() string { return fmt.Sprintf("%s, streamed %v", w.provider, w.stream) }

// ways are all the ways to use a provider.
var ways = []way{
	{provider.OpenAI, modelserver.OpenAI, true}, {provider.OpenAI, modelserver.OpenAI, false},
	{provider.Anthropic, modelserver.Anthropic, false},
	{provider.GoogleAI, modelserver.GoogleAI, true}, {provider.Mistral, modelserver.Mistral, true},
	{provider.Ollama, modelserver.Ollama, true}, {provider.Ollama, modelserver.Ollama, false},
}

// everyWay runs a test for each way.
func everyWay(t *testing.T, run func(*testing.T, way)) {
	t.Helper()
	for _, w := range ways {
		t.Run(w.String(), func(t *testing.T) { run(t, w) })
	}
}

// config returns a configuration with a timeout that does not end.
func config(w way, url string) provider.Config {
	return provider.Config{
		Provider: w.provider, Model: "m", URL: url, Key: key, Stream: w.stream, Timeout: patience.Limit(), Tries: 3, Concurrency: 4,
		Format: provider.FormatSchema, Context: 8192, Output: 1024, JobTokens: 100_000, Fallback: provider.FallbackRules,
	}
}

// connect returns a client that ends with the test.
func connect(t testing.TB, cfg provider.Config) *provider.Client {
	t.Helper()
	c, err := provider.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// start returns a server that always gives the same reply, and a client of it.
func start(t testing.TB, w way, reply modelserver.Reply) (*modelserver.Server, *provider.Client) {
	t.Helper()
	s := modelserver.Start(t)
	s.Script(func(modelserver.Request) modelserver.Reply { return reply })
	return s, connect(t, config(w, s.URL(w.protocol)))
}

// failed returns the *provider.Error that err is.
func failed(t testing.TB, err error) *provider.Error {
	t.Helper()
	var e *provider.Error
	if !errors.As(err, &e) {
		t.Fatalf("not an *Error: %v", err)
	}
	return e
}

// soon is a timeout that is to end.
const soon = 50 * time.Millisecond

// newDiscard returns a logger that writes nothing.
func newDiscard() *log.Logger { return log.New(io.Discard, "", 0) }

// unpooled returns an HTTP client that leaves no connections behind.
func unpooled() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}
