package provider

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

// openAIAPI is the API of OpenAI, and of the many that are compatible with it.
type openAIAPI struct {
	cfg  Config
	base string
}

// discard ignores a part of an answer.
func discard(context.Context, []byte) error { return nil }

// model sets everything that langchaingo would otherwise read from the environment.
func (a openAIAPI) model(web *http.Client) (llms.Model, error) {
	return openai.New(openai.WithToken(noKey), openai.WithModel(a.cfg.Model), openai.WithBaseURL(a.base),
		openai.WithOrganization(""), openai.WithAPIType(openai.APITypeOpenAI), openai.WithHTTPClient(web))
}

func (a openAIAPI) options(Schema) []llms.CallOption {
	all := append(silent(a.cfg), llms.WithMaxTokens(a.cfg.Output), llms.WithTemperature(0), llms.WithSeed(seed))
	if !a.modern() {
		all = append(all, openai.WithLegacyMaxTokensField())
	}
	return all
}

// modern reports whether the server is one of OpenAI's own, which for some models rejects
// the older name of the limit for answers. Other servers may not know the newer one.
func (a openAIAPI) modern() bool {
	u, err := url.Parse(a.base)
	return err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".openai.azure.com"))
}

func (a openAIAPI) parts(p Prompt) []llms.ContentPart { return user(p, a.cfg.Format) }

func (a openAIAPI) authorize(h http.Header) { bearer(h, a.cfg.Key) }

// reasoning matches OpenAI's models that accept no temperature. langchaingo knows fewer.
var reasoning = regexp.MustCompile(`^(o[0-9]|gpt-[5-9])`)

func (a openAIAPI) amend(body members, s Schema) {
	if body["response_format"] = jsontext.Value(`{"type":"json_object"}`); a.cfg.Format == FormatSchema {
		body["response_format"] = encode(map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"name": s.Name, "strict": true, "schema": s.Document},
		})
	}
	switch {
	case a.cfg.Provider == GoogleAI: // rejects the field
		delete(body, "seed")
	case a.cfg.Provider == Mistral: // has another name for the one, and always sends the usage
		body["random_seed"] = body["seed"]
		delete(body, "seed")
		delete(body, "stream_options")
	case reasoning.MatchString(a.cfg.Model):
		delete(body, "temperature")
	}
}

// openAIChunk is an answer, or a part of a streamed one.
type openAIChunk struct {
	Choices []openAIChoice `json:"choices"`
	Usage   jsontext.Value `json:"usage"`
	Error   jsontext.Value `json:"error"`
}

// openAIChoice has a message, or what a part adds to it.
type openAIChoice struct {
	Finish  string        `json:"finish_reason"`
	Message openAIMessage `json:"message"`
	Delta   openAIMessage `json:"delta"`
}

// openAIMessage is a message. langchaingo ignores refusals.
type openAIMessage struct {
	Content string `json:"content"`
	Refusal string `json:"refusal"`
}

// read reads a stream by its lines, as langchaingo does. That skips lines it cannot read,
// errors in the middle of an answer, and the end of it that is missing.
func (a openAIAPI) read(body []byte) report {
	var r report
	if !a.cfg.Stream {
		a.add(&r, body)
		return r
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return a.whole(body)
	}
	for line := range bytes.Lines(body) {
		data, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:"))
		switch data = bytes.TrimSpace(data); {
		case len(line) > maxLine:
			r.broken = true
		case !ok:
		case string(data) == "[DONE]":
			return r
		default:
			a.add(&r, data)
		}
	}
	return r
}

// whole returns what an answer in one piece says, which some servers and proxies send in
// place of a stream. langchaingo finds no part of a stream in it.
func (a openAIAPI) whole(body []byte) report {
	var r report
	a.cfg.Stream = false
	a.add(&r, body)
	var c openAIChunk
	if json.Unmarshal(body, &c, lenient) == nil && len(c.Choices) > 0 {
		r.answer = []byte(c.Choices[0].Message.Content)
	}
	return r
}

// maxLine is the longest line of a stream that langchaingo reads.
const maxLine = 64<<10 - 2

// add adds what a part of an answer says.
func (a openAIAPI) add(r *report, data []byte) {
	var c openAIChunk
	if err := json.Unmarshal(data, &c, lenient); err != nil {
		r.broken = true
		return
	}
	r.failed = r.failed || present(c.Error)
	r.choices += len(c.Choices)
	if c.Choices != nil && len(c.Choices) == 0 && !a.cfg.Stream { // a filter rejected the prompt
		r.refused = true
	}
	if len(c.Choices) > 0 {
		r.said += len(c.Choices[0].Delta.Content)
	}
	for _, choice := range c.Choices {
		if choice.Finish != "" {
			r.finish = choice.Finish
		}
		r.refused = r.refused || choice.Message.Refusal != "" || choice.Delta.Refusal != ""
	}
	if present(c.Usage) {
		r.tokens = openAITokens(c.Usage)
	}
}

// openAITokens returns the tokens of a usage, which includes cached ones. DeepSeek names
// them differently.
func openAITokens(usage jsontext.Value) insightapi.Tokens {
	var u struct {
		Input   float64 `json:"prompt_tokens"`
		Output  float64 `json:"completion_tokens"`
		Hit     float64 `json:"prompt_cache_hit_tokens"`
		Details struct {
			Cached float64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	_ = json.Unmarshal(usage, &u, lenient) // a server that counts in its own way is not charged
	return tokens(u.Input, max(u.Details.Cached, u.Hit), u.Output)
}
