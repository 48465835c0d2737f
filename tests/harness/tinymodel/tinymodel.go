// Package tinymodel makes language models of random weights for llama.cpp and other
// servers of local models: half a megabyte in the format GGUF. They read every text, and
// write nonsense and a few given phrases. A server that enforces a JSON schema makes them
// write JSON whose strings are nonsense or a phrase: with phrases of a document, some of
// the quotes are true.
package tinymodel

import "fmt"

// Model is a language model. The same Model is always the same bytes.
type Model struct {
	// Phrases are texts that the model can say as a whole. They must not need escaping
	// in JSON.
	Phrases []string
	// Endless makes the model end no string: its answers are as long as they may be.
	Endless bool
}

// Name is the name of every Model.
const Name = "tiny"

// ContextLength is the longest text that a Model can read and write, in tokens. A token
// is a byte, except for phrases.
const ContextLength = 65536

// The dimensions of a Model.
const (
	layers  = 2
	width   = 64
	heads   = 4
	perHead = width / heads
	hidden  = 128
)

// The first numbers in the state of a token are not random. No layer changes them, so
// that the output can depend on them.
const (
	constant    = iota // the same for all tokens
	afterQuote         // whether the token is a quotation mark
	afterPhrase        // whether the token is a phrase
	fixed              // how many these are

	fixedValue      = 4.0 // of those that apply
	fixedNormalized = 1.8 // what becomes of it in the last layer
)

// The scales of weights. They are chosen so that greedy sampling, too, goes on to
// something new instead of repeating a few tokens without end.
const (
	attending = 0.6  // makes each head follow few tokens
	following = 0.18 // of what heads read there
	mixing    = 0.125
	scoring   = 0.35
	aversion  = 0.2 // to repeat a token

	steadiness = 0.7 // the part of a score that is not random for tokens that are steady
)

// GGUF returns the model as a file.
func (m Model) GGUF() []byte {
	v := newVocabulary(m.Phrases)
	var f file
	f.setString("general.architecture", "llama")
	f.setString("general.name", Name)
	f.setUint32("llama.context_length", ContextLength)
	f.setUint32("llama.embedding_length", width)
	f.setUint32("llama.block_count", layers)
	f.setUint32("llama.feed_forward_length", hidden)
	f.setUint32("llama.attention.head_count", heads)
	f.setUint32("llama.rope.dimension_count", perHead)
	f.setUint32("llama.vocab_size", len(v.tokens))
	f.setFloat32("llama.attention.layer_norm_rms_epsilon", 1e-5)
	v.describe(&f)
	embedding := embed(len(v.tokens))
	f.tensors = append(f.tensors, embedding)
	for n := range layers {
		f.tensors = append(f.tensors, layer(fmt.Sprintf("blk.%d.", n))...)
	}
	f.tensors = append(f.tensors, ones("output_norm.weight"), m.output(embedding))
	return f.bytes()
}

// embed returns the states that tokens begin with.
func embed(tokens int) tensor {
	t := matrix("token_embd.weight", width, tokens, 1)
	for token := range tokens {
		state := t.row(token)
		clear(state[:fixed])
		state[constant] = fixedValue
		if token == firstByte+'"' {
			state[afterQuote] = fixedValue
		}
		if token >= firstPhrase {
			state[afterPhrase] = fixedValue
		}
	}
	return t
}

// layer returns the tensors of a layer.
func layer(prefix string) []tensor {
	attention := matrix(prefix+"attn_output.weight", width, width, following)
	forward := matrix(prefix+"ffn_down.weight", hidden, width, mixing)
	for n := range fixed {
		clear(attention.row(n))
		clear(forward.row(n))
	}
	return []tensor{
		ones(prefix + "attn_norm.weight"),
		matrix(prefix+"attn_q.weight", width, width, attending), matrix(prefix+"attn_k.weight", width, width, attending),
		matrix(prefix+"attn_v.weight", width, width, following), attention,
		ones(prefix + "ffn_norm.weight"),
		matrix(prefix+"ffn_gate.weight", width, hidden, mixing), matrix(prefix+"ffn_up.weight", width, hidden, mixing), forward,
	}
}

// output returns what tokens score in each state.
func (m Model) output(embedding tensor) tensor {
	t := matrix("output.weight", width, embedding.rows, scoring)
	quote := embedding.row(firstByte + '"')[fixed:]
	for token := range t.rows {
		row, b := t.row(token), m.bonusOf(token)
		row[constant], row[afterQuote], row[afterPhrase] = b.always/fixedNormalized, b.afterQuote/fixedNormalized, b.afterPhrase/fixedNormalized
		score := row[fixed:]
		// What a string begins with depends on what came before the quotation mark.
		add(score, -dot(score, quote)/dot(quote, quote), quote)
		if b.steady {
			add(score, -steadiness, score)
		}
		add(score, -aversion, embedding.row(token)[fixed:])
	}
	return t
}
