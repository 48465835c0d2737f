package provider

import (
	"bytes"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"
)

// ollamaAPI is the API of Ollama.
type ollamaAPI struct {
	cfg  Config
	base string
}

// model sets the context window, since Ollama's default is much smaller than that of most
// models. The URL has been validated: langchaingo exits the process if it cannot parse it.
func (a ollamaAPI) model(web *http.Client) (llms.Model, error) {
	return ollama.New(ollama.WithServerURL(a.base), ollama.WithModel(a.cfg.Model), ollama.WithHTTPClient(web),
		ollama.WithRunnerNumCtx(a.cfg.Context))
}

func (a ollamaAPI) options(Schema) []llms.CallOption {
	return append(silent(a.cfg), llms.WithMaxTokens(a.cfg.Output), llms.WithTemperature(0), llms.WithSeed(seed))
}

func (a ollamaAPI) parts(p Prompt) []llms.ContentPart { return user(p, a.cfg.Format) }

func (a ollamaAPI) authorize(h http.Header) { bearer(h, a.cfg.Key) }

// amend says explicitly whether to stream, which is Ollama's default but not langchaingo's,
// and forbids to drop parts of a prompt that is too long without saying so.
func (a ollamaAPI) amend(body members, s Schema) {
	if body["format"] = jsontext.Value(`"json"`); a.cfg.Format == FormatSchema {
		body["format"] = s.Document
	}
	body["stream"] = encode(a.cfg.Stream)
	body["truncate"], body["shift"] = encode(false), encode(false)
}

// ollamaLine is an answer, or a part of a streamed one.
type ollamaLine struct {
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
	Done   bool           `json:"done"`
	Finish string         `json:"done_reason"`
	Input  float64        `json:"prompt_eval_count"`
	Output float64        `json:"eval_count"`
	Error  jsontext.Value `json:"error"`
}

// maxOllamaLine is the longest line that langchaingo reads. It takes a longer one for the
// end of the answer.
const maxOllamaLine = 512*1000 - 2

// read also finds out why an answer ended, which langchaingo does not tell. Old servers do
// not either; then the number of tokens says whether the answer was cut off.
func (a ollamaAPI) read(body []byte) report {
	var r report
	for line := range bytes.Lines(body) {
		var l ollamaLine
		if len(line) > maxOllamaLine || json.Unmarshal(line, &l, lenient) != nil {
			r.broken = true
			return r
		}
		r.failed = r.failed || present(l.Error)
		r.said += len(l.Message.Content)
		if !l.Done {
			continue
		}
		if r.finish = l.Finish; r.finish == "" {
			r.finish = "stop"
			if int(l.Output) >= a.cfg.Output {
				r.finish = "length"
			}
		}
		r.tokens = tokens(l.Input, 0, l.Output)
		return r
	}
	return r
}
