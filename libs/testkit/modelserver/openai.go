package modelserver

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// openAI is the API for chat completions.
type openAI struct {
	name string
	// unknown are members of a request that the server rejects. Google and Mistral do not
	// know all that OpenAI does.
	unknown []string
	// counts means that streams report the usage even if the request does not ask for it.
	counts bool
}

// openAIRequest is the body of a request.
type openAIRequest struct {
	Model     string    `json:"model"`
	Messages  []message `json:"messages"`
	Stream    bool      `json:"stream"`
	MaxTokens int       `json:"max_tokens"`
	MaxOutput int       `json:"max_completion_tokens"`
	Options   struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Format struct {
		Type   string `json:"type"`
		Schema struct {
			Schema jsontext.Value `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func (o openAI) read(h http.Header, body jsontext.Value) (Request, string) {
	var in openAIRequest
	if wrong := decode(body, &in); wrong != "" {
		return Request{Protocol: o.name}, wrong
	}
	r := Request{
		Protocol: o.name, Model: in.Model, Stream: in.Stream, MaxTokens: max(in.MaxTokens, in.MaxOutput),
		Key: strings.TrimPrefix(h.Get("Authorization"), "Bearer "), Schema: in.Format.Schema.Schema, JSON: in.Format.Type == "json_object",
	}
	r.say(in.Messages)
	var members map[string]jsontext.Value
	_ = decode(body, &members) // it has been decoded before
	for _, name := range o.unknown {
		if members[name] != nil {
			return r, name + ": Extra inputs are not permitted"
		}
	}
	switch {
	case in.Model == "" || len(in.Messages) == 0:
		return r, "model and messages are required"
	case in.MaxTokens > 0 && in.MaxOutput > 0:
		return r, "max_tokens and max_completion_tokens cannot both be set"
	case in.Options.Usage && !in.Stream:
		return r, "stream_options is only allowed when stream is enabled"
	}
	return r, ""
}

func (openAI) whole(_ Request, a Reply) any {
	said := object{"role": "assistant", "content": a.spoken(), "refusal": nil}
	if a.Refuse {
		said["content"], said["refusal"] = nil, "I cannot help with that."
	}
	out := object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
		"choices": []object{{"index": 0, "message": said, "finish_reason": a.finish("stop")}},
	}
	if !a.NoUsage {
		out["usage"] = a.openAIUsage()
	}
	return out
}

func (o openAI) parts(r Request, a Reply) []string {
	chunk := func(delta, finish any) string {
		return event(object{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
		})
	}
	all := []string{chunk(object{"role": "assistant", "content": "", "refusal": nil}, nil)}
	if a.Refuse {
		all = append(all, chunk(object{"refusal": "I cannot help with that."}, nil))
	} else {
		for _, piece := range pieces(a.spoken()) {
			all = append(all, chunk(object{"content": piece}, nil))
		}
	}
	all = append(all, chunk(object{}, a.finish("stop")))
	var in openAIRequest
	if _ = decode(r.Body, &in); (in.Options.Usage || o.counts) && !a.NoUsage {
		all = append(all, event(object{"id": "chatcmpl-1", "choices": []object{}, "usage": a.openAIUsage()}))
	}
	return append(all, "data: [DONE]\n\n")
}

func (openAI) failure(a Reply) any {
	return object{"error": object{"message": a.Message, "type": "error", "param": nil, "code": a.Code}}
}

func (openAI) stream() string { return "text/event-stream" }

// event frames a server-sent event.
func event(v any) string { return "data: " + encode(v) + "\n\n" }

// spoken returns what the model says, with its thinking.
func (a Reply) spoken() string {
	if a.Thinking == "" {
		return a.JSON
	}
	return "<think>" + a.Thinking + "</think>\n\n" + a.JSON
}

// finish returns why an answer ends, complete if the script does not say.
func (a Reply) finish(complete string) string {
	if a.Finish != "" {
		return a.Finish
	}
	return complete
}

func (a Reply) openAIUsage() object {
	return object{
		"prompt_tokens": a.Usage.Input, "completion_tokens": a.Usage.Output, "total_tokens": a.Usage.Input + a.Usage.Output,
		"prompt_tokens_details": object{"cached_tokens": a.Usage.Cached},
	}
}
