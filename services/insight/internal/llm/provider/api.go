package provider

import (
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tmc/langchaingo/llms"
)

// api is what differs between the APIs of providers. Its values are immutable.
type api interface {
	// model returns langchaingo's client, which is to use web for its requests.
	model(web *http.Client) (llms.Model, error)
	// options are those of a request whose answer has a schema.
	options(Schema) []llms.CallOption
	// parts returns the message of the user, the document before the task.
	parts(Prompt) []llms.ContentPart
	// authorize puts the key into the header of a request.
	authorize(h http.Header)
	// amend adds what langchaingo cannot express to the body of a request, and removes
	// what the provider does not accept.
	amend(body members, s Schema)
	// read returns what the body of a complete answer says about itself.
	read(body []byte) report
}

// members are those of a JSON object.
type members = map[string]jsontext.Value

// newAPI returns the API of the provider.
//
// Google and Mistral are used through their APIs that are compatible with OpenAI's. The
// packages that langchaingo has for them would add 26 MB of deprecated SDKs and gRPC to a
// binary of 8 MB (measured with a program that does nothing else), and the one for Mistral
// has an HTTP client of its own that repeats requests and ignores contexts.
func newAPI(cfg Config) api {
	base := cfg.Address()
	switch cfg.Provider {
	case Anthropic:
		return anthropicAPI{cfg, base}
	case Ollama:
		return ollamaAPI{cfg, base}
	}
	return openAIAPI{cfg, base}
}

// noKey is what langchaingo gets instead of the key, which it demands even for servers that
// have none. The exchange sends the real one, so that langchaingo cannot leak it.
const noKey = "none"

// bearer puts a key into the header Authorization.
func bearer(h http.Header, key string) {
	h.Del("Authorization")
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

// seed makes answers repeatable where the provider can.
const seed = 1

// user returns the message of the user as one text, since not every server accepts several.
// In JSON mode the server does not know the schema, so that the text has to say it.
func user(p Prompt, format string) []llms.ContentPart {
	text := p.Task
	if p.Document != "" {
		text = p.Document + "\n\n" + p.Task
	}
	if format == FormatJSON {
		text += "\n\nAnswer with one JSON object that matches this JSON schema:\n" + string(p.Schema.Document)
	}
	return []llms.ContentPart{llms.TextPart(text)}
}

// silent is called for each part of a streamed answer. langchaingo streams only if there is
// such a function; it collects the parts itself.
func silent(c Config) []llms.CallOption {
	if !c.Stream {
		return nil
	}
	return []llms.CallOption{llms.WithStreamingFunc(discard)}
}

// encode returns a JSON value that cannot fail to be encoded.
func encode(v any) jsontext.Value {
	data, err := json.Marshal(v)
	if err != nil {
		return jsontext.Value("null") // cannot happen: see the callers
	}
	return data
}
