package modelserver

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// anthropic is the API for messages.
type anthropic struct{}

// anthropicRequest is the body of a request.
type anthropicRequest struct {
	Model     string    `json:"model"`
	System    string    `json:"system"`
	Messages  []message `json:"messages"`
	Stream    bool      `json:"stream"`
	MaxTokens int       `json:"max_tokens"`
	Tools     []struct {
		Name   string         `json:"name"`
		Schema jsontext.Value `json:"input_schema"`
	} `json:"tools"`
	Choice struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
}

func (anthropic) read(h http.Header, body jsontext.Value) (Request, string) {
	var in anthropicRequest
	if wrong := decode(body, &in); wrong != "" {
		return Request{Protocol: Anthropic}, wrong
	}
	r := Request{Protocol: Anthropic, Model: in.Model, Stream: in.Stream, MaxTokens: in.MaxTokens, Key: h.Get("X-Api-Key")}
	r.say(append([]message{{Role: "system", Content: content{in.System}}}, in.Messages...))
	if len(in.Tools) == 1 && in.Choice.Type == "tool" && in.Choice.Name == in.Tools[0].Name {
		r.Schema = in.Tools[0].Schema
	}
	switch {
	case h.Get("Anthropic-Version") == "":
		return r, "anthropic-version: header is required"
	case in.Model == "" || len(in.Messages) == 0 || in.MaxTokens <= 0:
		return r, "model, messages and max_tokens are required"
	case in.Choice.Type != "" && r.Schema == nil:
		return r, "tool_choice: tool not found in the provided tools"
	case empty(in.Messages):
		return r, "messages: text content blocks must be non-empty"
	}
	return r, ""
}

// empty reports whether a message has no text.
func empty(all []message) bool {
	for _, m := range all {
		for _, text := range m.Content {
			if text == "" {
				return true
			}
		}
	}
	return false
}

// blocks returns the content of an answer, and why it ends. A truncated answer with a tool
// has an empty input, since its JSON is incomplete.
func (a Reply) blocks(r Request) ([]object, string) {
	var all []object
	if a.Thinking != "" {
		all = append(all, object{"type": "thinking", "thinking": a.Thinking, "signature": "s"})
	}
	input, ok := asObject(a.JSON)
	switch tool := (object{"type": "tool_use", "id": "toolu_1", "name": toolName(r)}); {
	case a.Refuse:
		return []object{}, "refusal"
	case a.Finish == Length && r.Schema != nil:
		tool["input"] = object{}
		return append(all, tool), "max_tokens"
	case a.Finish == Length:
		return append(all, object{"type": "text", "text": a.JSON}), "max_tokens"
	case ok && r.Schema != nil:
		tool["input"] = input
		return append(all, tool), a.finish("tool_use")
	}
	return append(all, object{"type": "text", "text": a.JSON}), a.finish("end_turn")
}

// toolName returns the name of the tool of a request.
func toolName(r Request) string {
	var in anthropicRequest
	if _ = decode(r.Body, &in); len(in.Tools) == 0 {
		return ""
	}
	return in.Tools[0].Name
}

func (anthropic) whole(r Request, a Reply) any {
	blocks, reason := a.blocks(r)
	out := object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
		"content": blocks, "stop_reason": reason, "stop_sequence": nil,
	}
	if !a.NoUsage {
		out["usage"] = a.anthropicUsage()
	}
	return out
}

// anthropicUsage counts cached tokens apart from the others.
func (a Reply) anthropicUsage() object {
	return object{
		"input_tokens": a.Usage.Input - a.Usage.Cached, "cache_creation_input_tokens": 0,
		"cache_read_input_tokens": a.Usage.Cached, "output_tokens": a.Usage.Output,
	}
}

func (anthropic) parts(r Request, a Reply) []string {
	named := func(name string, v object) string {
		v["type"] = name
		return "event: " + name + "\n" + event(v)
	}
	blocks, reason := a.blocks(r)
	all := []string{named("message_start", object{"message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []object{}, "usage": a.anthropicUsage(),
	}})}
	for i, b := range blocks {
		begin, field, delta, text := object{"type": "text", "text": ""}, "text", "text_delta", a.JSON
		switch b["type"] {
		case "tool_use":
			begin, field, delta = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}, "partial_json", "input_json_delta"
		case "thinking":
			begin, field, delta, text = object{"type": "thinking", "thinking": ""}, "thinking", "thinking_delta", a.Thinking
		}
		all = append(all, named("content_block_start", object{"index": i, "content_block": begin}), named("ping", object{}))
		for _, piece := range pieces(text) {
			all = append(all, named("content_block_delta", object{"index": i, "delta": object{"type": delta, field: piece}}))
		}
		all = append(all, named("content_block_stop", object{"index": i}))
	}
	return append(all,
		named("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": a.Usage.Output}}),
		named("message_stop", object{}))
}

func (anthropic) failure(a Reply) any {
	return object{"type": "error", "error": object{"type": a.Code, "message": a.Message}}
}

func (anthropic) stream() string { return "text/event-stream" }
