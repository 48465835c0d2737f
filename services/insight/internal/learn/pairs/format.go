package pairs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
)

// magic is the beginning of every file of weights. It ends with the version of the format and of
// the features.
const magic = "recto-pairs-3\n"

// Encode returns the file of a model. It sorts the pairs.
func Encode(w Weights) []byte {
	b := []byte(magic)
	for _, list := range [][]float32{w.Sentence, w.Nothing, {w.Step, w.YesStep, w.ValueStep}} {
		b = append(b, byte(len(list)))
		for _, x := range list {
			b, _ = binary.Append(b, binary.LittleEndian, x) // a number of fixed size always fits
		}
	}
	return hashed.Append(hashed.Append(hashed.Append(b, w.Pairs), w.Yes), w.Values)
}

// Decode reads the file of a model.
func Decode(file []byte) (*Model, error) {
	rest, ok := bytes.CutPrefix(file, []byte(magic))
	if !ok {
		return nil, hashed.ErrFormat
	}
	r, w := bytes.NewReader(rest), Weights{}
	var steps []float32
	for _, list := range []*[]float32{&w.Sentence, &w.Nothing, &steps} {
		var err error
		if *list, err = numbers(r); err != nil {
			return nil, err
		}
	}
	if len(steps) != 3 {
		return nil, hashed.ErrFormat
	}
	w.Step, w.YesStep, w.ValueStep = steps[0], steps[1], steps[2]
	for _, list := range []*[]Pair{&w.Pairs, &w.Yes, &w.Values} {
		var err error
		if *list, err = hashed.Read(r); err != nil {
			return nil, err
		}
	}
	if r.Len() > 0 {
		return nil, hashed.ErrFormat
	}
	return New(w), nil
}

// numbers reads a list of numbers.
func numbers(r *bytes.Reader) ([]float32, error) {
	n, err := r.ReadByte()
	if err != nil {
		return nil, hashed.ErrFormat
	}
	list := make([]float32, n)
	if err := binary.Read(r, binary.LittleEndian, list); err != nil && !(n == 0 && errors.Is(err, io.EOF)) {
		return nil, hashed.ErrFormat
	}
	return list, nil
}
