package modelserver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// paths are those of the protocols below their base URL.
var paths = map[string]string{
	modelserver.OpenAI: "/chat/completions", modelserver.Anthropic: "/messages", modelserver.Ollama: "/api/chat",
}

// ask sends a short request.
func ask(ctx context.Context, s *modelserver.Server, protocol, options string) (*http.Response, string, error) {
	body := `{"model":"m","max_tokens":50,"messages":[{"role":"user","content":"hello"}]` + options + `}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL(protocol)+paths[protocol], strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Anthropic-Version", "2023-06-01")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res, string(data), err
}

func TestErrorsHaveTheFormOfTheProtocol(t *testing.T) {
	s := modelserver.Start(t)
	s.Script(func(modelserver.Request) modelserver.Reply {
		return modelserver.Reply{Status: 429, Message: "slow down", Code: "rate_limit_error", RetryAfter: 1500 * time.Millisecond}
	})
	for protocol, want := range map[string]string{
		modelserver.OpenAI:    `{"error":{"code":"rate_limit_error","message":"slow down","param":null,"type":"error"}}`,
		modelserver.Anthropic: `{"error":{"message":"slow down","type":"rate_limit_error"},"type":"error"}`,
		modelserver.Ollama:    `{"error":"slow down"}`,
	} {
		res, body, err := ask(t.Context(), s, protocol, "")
		if err != nil || res.StatusCode != 429 || res.Header.Get("Retry-After") != "2" || body != want {
			t.Errorf("%s: %v, Retry-After %q, %s, error %v", protocol, res.Status, res.Header.Get("Retry-After"), body, err)
		}
	}
}

func TestRequestsThatTheProtocolForbidsAreRejected(t *testing.T) {
	s := modelserver.Start(t)
	for protocol, options := range map[string]string{
		modelserver.OpenAI:    `,"max_completion_tokens":5`,
		modelserver.Anthropic: `,"tool_choice":{"type":"tool","name":"missing"}`,
		modelserver.Ollama:    `,"format":"yaml"`,
	} {
		if res, _, err := ask(t.Context(), s, protocol, options); err != nil || res.StatusCode != 400 {
			t.Errorf("%s: %v, %v", protocol, res, err)
		}
	}
}

func TestCutReplies(t *testing.T) {
	s := modelserver.Start(t)
	cut := modelserver.Ended
	s.Script(func(modelserver.Request) modelserver.Reply { return modelserver.Reply{JSON: `{"a":"b"}`, Cut: cut} })
	_, body, err := ask(t.Context(), s, modelserver.OpenAI, `,"stream":true`)
	if err != nil || !strings.Contains(body, "data: ") || strings.Contains(body, "finish_reason\":\"stop") {
		t.Errorf("a reply that just ends: %s, %v", body, err)
	}
	cut = modelserver.Closed
	if _, body, err = ask(t.Context(), s, modelserver.OpenAI, `,"stream":true`); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a closed connection: %s, %v", body, err)
	}
}

func TestClientsThatGoAwayAreCounted(t *testing.T) {
	s := modelserver.Start(t)
	s.Script(func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Wait: make(chan struct{})} })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, _, err := ask(ctx, s, modelserver.Ollama, ""); ended <- err }()
	patience.Until(t, "the request arrives", func() bool { return len(s.Requests()) == 1 })
	if s.Gone() != 0 || s.Peak() != 1 {
		t.Errorf("before: %d gone, peak %d", s.Gone(), s.Peak())
	}
	cancel()
	if err := patience.Receive(t, "the client ends", ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	patience.Until(t, "the server notices", func() bool { return s.Gone() == 1 })
}
