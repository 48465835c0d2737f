package provider

import (
	"net/http"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
)

// anthropicAPI is the API of Anthropic. It never streams: langchaingo's reader of these
// streams leaves goroutines behind that wait forever, and it writes events that it does
// not know to the standard log, which could be text of a document.
type anthropicAPI struct {
	cfg  Config
	base string
}

func (a anthropicAPI) model(web *http.Client) (llms.Model, error) {
	return anthropic.New(anthropic.WithToken(noKey), anthropic.WithModel(a.cfg.Model), anthropic.WithBaseURL(a.base),
		anthropic.WithHTTPClient(web))
}

// options always limit the answer: langchaingo's default is 2048 tokens. The schema is the
// one of a tool that the model is to call.
func (a anthropicAPI) options(s Schema) []llms.CallOption {
	return []llms.CallOption{llms.WithMaxTokens(a.cfg.Output), llms.WithTemperature(0), llms.WithTools([]llms.Tool{{
		Type: "function", Function: &llms.FunctionDefinition{Name: s.Name, Description: "Takes the answer.", Parameters: s.Document},
	}})}
}

// parts asks Anthropic to cache the prompt up to the end of the document. Empty parts are
// rejected.
func (anthropicAPI) parts(p Prompt) []llms.ContentPart {
	task := llms.TextPart(p.Task)
	if p.Document == "" {
		return []llms.ContentPart{task}
	}
	return []llms.ContentPart{llms.WithCacheControl(llms.TextPart(p.Document), anthropic.EphemeralCache()), task}
}

func (a anthropicAPI) authorize(h http.Header) {
	if h.Del("X-Api-Key"); a.cfg.Key != "" {
		h.Set("X-Api-Key", a.cfg.Key)
	}
}

// sampled matches the models that accept a temperature: those before Claude Opus 4.7.
var sampled = regexp.MustCompile(`claude-(2|3|instant)|-4(-[0-6])?(-20[0-9]{6})?$`)

// amend makes the model call the tool, exactly once.
func (a anthropicAPI) amend(body members, s Schema) {
	body["tool_choice"] = encode(map[string]any{"type": "tool", "name": s.Name, "disable_parallel_tool_use": true})
	if !sampled.MatchString(a.cfg.Model) {
		delete(body, "temperature")
	}
}

// anthropicMessage is an answer.
type anthropicMessage struct {
	Type    string `json:"type"`
	Finish  string `json:"stop_reason"`
	Content []struct {
		Type  string         `json:"type"`
		Input jsontext.Value `json:"input"`
	} `json:"content"`
	Usage struct {
		Input   float64 `json:"input_tokens"`
		Created float64 `json:"cache_creation_input_tokens"`
		Cached  float64 `json:"cache_read_input_tokens"`
		Output  float64 `json:"output_tokens"`
	} `json:"usage"`
}

// read takes the input of the tool as it was sent: langchaingo decodes it into a map, which
// loses duplicate names. Anthropic counts cached tokens apart from the others.
func (anthropicAPI) read(body []byte) report {
	var m anthropicMessage
	if err := json.Unmarshal(body, &m, lenient); err != nil {
		return report{broken: true}
	}
	r := report{finish: m.Finish, failed: m.Type == "error", choices: len(m.Content)}
	for _, c := range m.Content {
		if c.Type == "tool_use" && r.answer == nil {
			r.answer = c.Input
		}
	}
	u := m.Usage
	r.tokens = tokens(u.Input+u.Created+u.Cached, u.Cached, u.Output)
	return r
}
