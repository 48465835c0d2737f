package modelserver

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// message is a message of a conversation.
type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is what a message says: one text, or several.
type content []string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (c *content) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '[' {
		var text string
		err := json.UnmarshalDecode(d, &text)
		*c = content{text}
		return err
	}
	var parts []struct {
		Text string `json:"text"`
	}
	err := json.UnmarshalDecode(d, &parts)
	for _, p := range parts {
		*c = append(*c, p.Text)
	}
	return err
}

// say fills in what each side has said.
func (r *Request) say(all []message) {
	for _, m := range all {
		side := &r.Text
		switch m.Role {
		case "system", "developer":
			side = &r.System
		case "assistant":
			side = &r.Answers
		}
		if *side != "" {
			*side += "\n\n"
		}
		*side += strings.Join(m.Content, "\n\n")
	}
}
