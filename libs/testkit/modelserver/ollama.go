package modelserver

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ollama is the API for chats.
type ollama struct{}

// ollamaRequest is the body of a request.
type ollamaRequest struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	// Stream is true by default.
	Stream  *bool          `json:"stream"`
	Format  jsontext.Value `json:"format"`
	Options struct {
		Predict int `json:"num_predict"`
	} `json:"options"`
}

func (ollama) read(h http.Header, body jsontext.Value) (Request, string) {
	var in ollamaRequest
	if wrong := decode(body, &in); wrong != "" {
		return Request{Protocol: Ollama}, wrong
	}
	r := Request{
		Protocol: Ollama, Model: in.Model, Stream: in.Stream == nil || *in.Stream, MaxTokens: in.Options.Predict,
		Key: strings.TrimPrefix(h.Get("Authorization"), "Bearer "),
	}
	r.say(in.Messages)
	switch format := string(in.Format); {
	case in.Model == "":
		return r, "model is required"
	case format == `"json"`:
		r.JSON = true
	case in.Format.Kind() == '{':
		r.Schema = in.Format
	case format != "" && format != `""` && format != "null":
		return r, "invalid format"
	}
	return r, ""
}

// line returns an object of a stream.
func (ollama) line(text string) object {
	return object{"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": object{"role": "assistant", "content": text}, "done": false}
}

// last completes an object as the last one.
func (ollama) last(o object, a Reply) object {
	o["done"], o["done_reason"], o["total_duration"] = true, a.finish("stop"), 1
	if !a.NoUsage {
		o["prompt_eval_count"], o["eval_count"] = a.Usage.Input, a.Usage.Output
	}
	return o
}

// said returns what the model says, nothing if it refuses.
func (ollama) said(a Reply) string {
	if a.Refuse {
		return ""
	}
	return a.spoken()
}

func (o ollama) whole(_ Request, a Reply) any { return o.last(o.line(o.said(a)), a) }

func (o ollama) parts(_ Request, a Reply) []string {
	var all []string
	for _, piece := range pieces(o.said(a)) {
		all = append(all, encode(o.line(piece))+"\n")
	}
	return append(all, encode(o.last(o.line(""), a))+"\n")
}

func (ollama) failure(a Reply) any { return object{"error": a.Message} }

func (ollama) stream() string { return "application/x-ndjson" }
