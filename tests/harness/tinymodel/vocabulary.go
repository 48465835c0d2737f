package tinymodel

import (
	"fmt"
	"strings"
)

// The kinds of tokens of llama.cpp.
const (
	kindNormal  = 1
	kindUnknown = 2
	kindControl = 3
	kindByte    = 6
)

// The ids of tokens. The token of a byte b is firstByte+b, and phrases follow the space.
const (
	unknown = iota
	begin
	turnBegin
	turnEnd
	firstByte
	space       = firstByte + 256
	firstPhrase = space + 1
)

// vocabulary lists the tokens of a model. The tokenizer is that of SentencePiece: text is
// split into characters, a space is "▁", and a character without a token is written as
// bytes. No prompt contains a phrase as a token, since nothing shorter merges into one.
type vocabulary struct {
	tokens []string
	kinds  []int32
}

// newVocabulary returns the vocabulary with the phrases.
func newVocabulary(phrases []string) vocabulary {
	var v vocabulary
	v.add("<unk>", kindUnknown)
	v.add("<s>", kindControl)
	v.add("<|im_start|>", kindControl)
	v.add("<|im_end|>", kindControl)
	for b := range 256 {
		v.add(fmt.Sprintf("<0x%02X>", b), kindByte)
	}
	v.add("▁", kindNormal)
	for _, p := range phrases {
		v.add(strings.ReplaceAll(p, " ", "▁"), kindNormal)
	}
	return v
}

func (v *vocabulary) add(token string, kind int32) {
	v.tokens, v.kinds = append(v.tokens, token), append(v.kinds, kind)
}

// describe writes the vocabulary and the template of chats into the metadata of a file.
func (v *vocabulary) describe(f *file) {
	f.setString("tokenizer.ggml.model", "llama")
	f.setStrings("tokenizer.ggml.tokens", v.tokens)
	f.setFloat32s("tokenizer.ggml.scores", make([]float32, len(v.tokens)))
	f.setInt32s("tokenizer.ggml.token_type", v.kinds)
	f.setUint32("tokenizer.ggml.unknown_token_id", unknown)
	f.setUint32("tokenizer.ggml.bos_token_id", begin)
	f.setUint32("tokenizer.ggml.eos_token_id", turnEnd)
	f.setBool("tokenizer.ggml.add_bos_token", true)
	f.setBool("tokenizer.ggml.add_space_prefix", false)
	f.setString("tokenizer.chat_template", chatTemplate)
}

// chatTemplate is ChatML.
const chatTemplate = `{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}{% endfor %}` +
	`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`
