package tinymodel_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness/tinymodel"
)

// parsed is a GGUF file as a server reads it.
type parsed struct {
	metadata map[string]any
	tensors  map[string]matrix
}

// matrix is a tensor with its shape, the length of a row first.
type matrix struct {
	shape  []uint64
	values []float32
}

// reader reads a GGUF file. It panics at what does not belong there.
type reader struct{ *bytes.Reader }

// read returns the next number or character.
func read[T any](r reader) (v T) {
	if err := binary.Read(r, binary.LittleEndian, &v); err != nil {
		panic(err)
	}
	return v
}

func (r reader) text() string {
	b := make([]byte, read[uint64](r))
	if _, err := io.ReadFull(r, b); err != nil {
		panic(err)
	}
	return string(b)
}

// value returns a value of metadata with the type code.
func (r reader) value(code uint32) any {
	switch code {
	case 4:
		return read[uint32](r)
	case 5:
		return read[int32](r)
	case 6:
		return read[float32](r)
	case 7:
		return read[bool](r)
	case 8:
		return r.text()
	case 9:
		of := read[uint32](r)
		all := make([]any, read[uint64](r))
		for i := range all {
			all[i] = r.value(of)
		}
		return all
	}
	panic(fmt.Sprintf("type %d", code))
}

// parse reads a whole file.
func parse(t *testing.T, file []byte) parsed {
	t.Helper()
	r, p := reader{bytes.NewReader(file)}, parsed{map[string]any{}, map[string]matrix{}}
	if magic, version := read[[4]byte](r), read[uint32](r); string(magic[:]) != "GGUF" || version != 3 {
		t.Fatalf("the file begins with %q, version %d", magic, version)
	}
	tensors, entries := read[uint64](r), read[uint64](r)
	for range entries {
		key := r.text()
		p.metadata[key] = r.value(read[uint32](r))
	}
	offsets := map[string]uint64{}
	for range tensors {
		name := r.text()
		m := matrix{shape: make([]uint64, read[uint32](r))}
		size := uint64(1)
		for i := range m.shape {
			m.shape[i] = read[uint64](r)
			size *= m.shape[i]
		}
		if code := read[uint32](r); code != 0 {
			t.Errorf("%s has the type %d, not 32-bit numbers", name, code)
		}
		offsets[name], m.values = read[uint64](r), make([]float32, size)
		p.tensors[name] = m
	}
	p.fill(t, r, offsets)
	return p
}

// fill reads the tensors, which have to follow each other and end with the file.
func (p parsed) fill(t *testing.T, r reader, offsets map[string]uint64) {
	t.Helper()
	begin := (uint64(r.Size()) - uint64(r.Len()) + 31) / 32 * 32
	end := begin
	for name, m := range p.tensors {
		at := begin + offsets[name]
		if at%32 != 0 {
			t.Errorf("%s begins at %d", name, at)
		}
		if _, err := r.Seek(int64(at), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if err := binary.Read(r, binary.LittleEndian, m.values); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		end = max(end, at+uint64(len(m.values))*4)
	}
	if want := (end + 31) / 32 * 32; uint64(r.Size()) != want {
		t.Errorf("the file has %d bytes, not %d", r.Size(), want)
	}
}

// TestGGUF reads a model back: it has the tensors that its dimensions ask for, and numbers
// in them.
func TestGGUF(t *testing.T) {
	p := parse(t, tinymodel.Model{Phrases: []string{"Governing Law"}}.GGUF())
	width, vocabulary := uint64(p.metadata["llama.embedding_length"].(uint32)), uint64(p.metadata["llama.vocab_size"].(uint32))
	forward := uint64(p.metadata["llama.feed_forward_length"].(uint32))
	shapes := map[string][]uint64{"token_embd.weight": {width, vocabulary}, "output_norm.weight": {width}, "output.weight": {width, vocabulary}}
	for n := range p.metadata["llama.block_count"].(uint32) {
		for name, shape := range map[string][]uint64{
			"attn_norm": {width}, "attn_q": {width, width}, "attn_k": {width, width}, "attn_v": {width, width}, "attn_output": {width, width},
			"ffn_norm": {width}, "ffn_gate": {width, forward}, "ffn_up": {width, forward}, "ffn_down": {forward, width},
		} {
			shapes[fmt.Sprintf("blk.%d.%s.weight", n, name)] = shape
		}
	}
	for name, shape := range shapes {
		if !slices.Equal(p.tensors[name].shape, shape) {
			t.Errorf("%s has the shape %v, not %v", name, p.tensors[name].shape, shape)
		}
	}
	if len(p.tensors) != len(shapes) {
		t.Errorf("there are %d tensors, not %d", len(p.tensors), len(shapes))
	}
	for name, m := range p.tensors {
		if slices.ContainsFunc(m.values, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }) {
			t.Errorf("%s contains what is no number", name)
		}
	}
}

// TestVocabulary shows that every text can be read: each byte is a token.
func TestVocabulary(t *testing.T) {
	phrases := []string{"Governing Law", "laws of Germany"}
	p := parse(t, tinymodel.Model{Phrases: phrases}.GGUF())
	tokens := p.metadata["tokenizer.ggml.tokens"].([]any)
	kinds, scores := p.metadata["tokenizer.ggml.token_type"].([]any), p.metadata["tokenizer.ggml.scores"].([]any)
	if len(kinds) != len(tokens) || len(scores) != len(tokens) || p.metadata["llama.vocab_size"] != uint32(len(tokens)) {
		t.Errorf("there are %d tokens, %d types and %d scores", len(tokens), len(kinds), len(scores))
	}
	for b := range 256 {
		if at := slices.Index(tokens, any(fmt.Sprintf("<0x%02X>", b))); at < 0 || kinds[at] != int32(6) {
			t.Errorf("the byte %d has no token", b)
		}
	}
	for _, phrase := range phrases {
		if at := slices.Index(tokens, any(strings.ReplaceAll(phrase, " ", "▁"))); at < 0 || kinds[at] != int32(1) {
			t.Errorf("the phrase %q has no token", phrase)
		}
	}
	if end := p.metadata["tokenizer.ggml.eos_token_id"].(uint32); tokens[end] != "<|im_end|>" || kinds[end] != int32(3) {
		t.Errorf("the last token of an answer is %v", tokens[end])
	}
}

// TestSame shows that a model is always the same, and that phrases change nothing about
// the other tokens.
func TestSame(t *testing.T) {
	m := tinymodel.Model{Phrases: []string{"Governing Law"}}
	if !bytes.Equal(m.GGUF(), m.GGUF()) {
		t.Error("the same model has other bytes")
	}
	one, none := parse(t, m.GGUF()), parse(t, tinymodel.Model{}.GGUF())
	for name, m := range none.tensors {
		if !slices.Equal(m.values, one.tensors[name].values[:len(m.values)]) {
			t.Errorf("%s is another one", name)
		}
	}
}
