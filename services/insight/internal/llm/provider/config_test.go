package provider_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// TestAddress shows where requests go, by provider and configured URL.
func TestAddress(t *testing.T) {
	for _, c := range []struct{ provider, url, want string }{
		{provider.OpenAI, "", "https://api.openai.com/v1"},
		{provider.OpenAI, "http://llama:8080", "http://llama:8080/v1"},
		{provider.OpenAI, "http://llama:8080/", "http://llama:8080/v1"},
		{provider.OpenAI, "http://llama:8080/v1/", "http://llama:8080/v1"},
		{provider.OpenAI, "https://x.openai.azure.com/openai/v1", "https://x.openai.azure.com/openai/v1"},
		{provider.Anthropic, "", "https://api.anthropic.com/v1"},
		{provider.Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1"},
		{provider.Mistral, "", "https://api.mistral.ai/v1"},
		{provider.GoogleAI, "", "https://generativelanguage.googleapis.com/v1beta/openai"},
		{provider.GoogleAI, "http://proxy", "http://proxy"},
		{provider.Ollama, "", "http://127.0.0.1:11434"},
		{provider.Ollama, "http://ollama:11434/", "http://ollama:11434"},
	} {
		if got := (provider.Config{Provider: c.provider, URL: c.url}).Address(); got != c.want {
			t.Errorf("%s with %q: %s, want %s", c.provider, c.url, got, c.want)
		}
	}
}
