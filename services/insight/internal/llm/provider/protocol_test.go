package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/rectohq/recto/libs/testkit/modelserver"
)

// plain returns langchaingo's own client of a server, with nothing of this package.
func plain(t *testing.T, s *modelserver.Server, protocol string) llms.Model {
	t.Helper()
	var m llms.Model
	var err error
	switch protocol {
	case modelserver.OpenAI:
		m, err = openai.New(openai.WithToken(key), openai.WithBaseURL(s.URL(protocol)), openai.WithModel("m"), openai.WithHTTPClient(unpooled()))
	case modelserver.Anthropic:
		m, err = anthropic.New(anthropic.WithToken(key), anthropic.WithBaseURL(s.URL(protocol)), anthropic.WithModel("m"), anthropic.WithHTTPClient(unpooled()))
	default:
		m, err = ollama.New(ollama.WithServerURL(s.URL(protocol)), ollama.WithModel("m"), ollama.WithHTTPClient(unpooled()))
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// generate asks langchaingo. It returns its answer, the parts that it streamed, and its
// error.
func generate(t *testing.T, m llms.Model, stream bool, options ...llms.CallOption) (llms.ContentChoice, string, error) {
	t.Helper()
	var parts strings.Builder
	if options = append(options, llms.WithMaxTokens(100)); stream {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, part []byte) error { parts.Write(part); return nil }))
	}
	r, err := m.GenerateContent(t.Context(), []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, system), llms.TextParts(llms.ChatMessageTypeHuman, task),
	}, options...)
	if err != nil || len(r.Choices) == 0 {
		return llms.ContentChoice{}, parts.String(), err
	}
	return *r.Choices[0], parts.String(), nil
}

// TestTheModelServerSpeaksTheProtocols reads the scripted server with langchaingo's clients,
// so that it behaves as what these were written for.
func TestTheModelServerSpeaksTheProtocols(t *testing.T) {
	for protocol, keys := range map[string][3]string{
		modelserver.OpenAI:    {"PromptTokens", "PromptCachedTokens", "CompletionTokens"},
		modelserver.Anthropic: {"InputTokens", "CacheReadInputTokens", "OutputTokens"},
		modelserver.Ollama:    {"PromptTokens", "", "CompletionTokens"},
	} {
		for _, stream := range []bool{false, true} {
			s := modelserver.Start(t)
			s.Script(func(modelserver.Request) modelserver.Reply {
				return modelserver.Reply{JSON: good, Usage: modelserver.Usage{Input: 100, Cached: 40, Output: 7}}
			})
			got, parts, err := generate(t, plain(t, s, protocol), stream)
			if err != nil || got.Content != good || stream && parts != good {
				t.Errorf("%s: %q, parts %q, %v", protocol, got.Content, parts, err)
			}
			for i, want := range []int{100, 40, 7} {
				if protocol == modelserver.Anthropic && i == 0 {
					want = 60 // counted apart from what was cached
				}
				if keys[i] != "" && got.GenerationInfo[keys[i]] != want {
					t.Errorf("%s, streamed %v: %s is %v", protocol, stream, keys[i], got.GenerationInfo[keys[i]])
				}
			}
			r := s.Requests()[0]
			if r.Protocol != protocol || r.System != system || r.Text != task || r.MaxTokens != 100 || protocol != modelserver.Ollama && r.Key != key {
				t.Errorf("%s: the server was asked %+v", protocol, r)
			}
			// Without streaming, langchaingo says nothing, which means to stream to Ollama.
			if r.Stream != (stream || protocol == modelserver.Ollama) {
				t.Errorf("%s: streamed %v", protocol, r.Stream)
			}
		}
	}
}

func TestTheModelServerUsesTools(t *testing.T) {
	tool := llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "extraction", Parameters: prompt.Schema.Document}}})
	s := modelserver.Start(t)
	s.Script(func(modelserver.Request) modelserver.Reply { return modelserver.Reply{JSON: good} })
	// Without a choice of the tool, which langchaingo cannot make, the model may answer in text.
	got, _, err := generate(t, plain(t, s, modelserver.Anthropic), false, tool)
	if err != nil || got.Content != good || len(got.ToolCalls) != 0 || got.StopReason != "end_turn" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTheTrapsOfLangchaingo shows why there is an exchange beneath it. If one of these
// fails after an update, the code that works around it may go.
func TestTheTrapsOfLangchaingo(t *testing.T) {
	for _, protocol := range []string{modelserver.OpenAI, modelserver.Ollama} {
		s := modelserver.Start(t)
		s.Script(func(modelserver.Request) modelserver.Reply {
			return modelserver.Reply{JSON: good, Cut: modelserver.Ended}
		})
		if got, _, err := generate(t, plain(t, s, protocol), true); err != nil || got.StopReason != "" {
			t.Errorf("%s: a stream that is cut returns %+v, %v", protocol, got, err)
		}
		s.Script(func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Refuse: true} })
		if got, _, err := generate(t, plain(t, s, protocol), true); err != nil || got.Content != "" {
			t.Errorf("%s: a refusal returns %+v, %v", protocol, got, err)
		}
	}
	s := modelserver.Start(t)
	s.Script(func(modelserver.Request) modelserver.Reply {
		return modelserver.Reply{JSON: good, Finish: modelserver.Length}
	})
	for protocol, want := range map[string]string{modelserver.OpenAI: "length", modelserver.Anthropic: "max_tokens", modelserver.Ollama: ""} {
		if got, _, err := generate(t, plain(t, s, protocol), false); err != nil || got.StopReason != want {
			t.Errorf("%s: a truncated answer returns %+v, %v", protocol, got, err)
		}
	}
	s.Script(func(modelserver.Request) modelserver.Reply {
		return modelserver.Reply{Status: 429, Message: "slow down", RetryAfter: 7e9}
	})
	for _, protocol := range []string{modelserver.OpenAI, modelserver.Anthropic, modelserver.Ollama} {
		if _, _, err := generate(t, plain(t, s, protocol), false); err == nil || strings.Contains(err.Error(), "7") {
			t.Errorf("%s: a rate limit returns %v", protocol, err)
		}
	}
}
