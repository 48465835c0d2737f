package pairs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// magic is the beginning of every file of weights. It ends with the version of the format and of
// the features.
const magic = "recto-pairs-1\n"

// Encode returns the file of a model. It sorts the pairs.
func Encode(sentence, nothing []float32, step float32, all []Pair) []byte {
	b := []byte(magic)
	for _, list := range [][]float32{sentence, nothing, {step}} {
		b = append(b, byte(len(list)))
		for _, x := range list {
			b, _ = binary.Append(b, binary.LittleEndian, x) // a number of fixed size always fits
		}
	}
	slices.SortFunc(all, func(x, y Pair) int { return int(x.Key) - int(y.Key) })
	last := Key(0)
	for _, p := range all {
		b = append(binary.AppendUvarint(b, uint64(p.Key-last)), byte(p.Weight))
		last = p.Key
	}
	return b
}

var errFormat = errors.New("pairs: this is no file of weights, or a damaged one")

// Decode reads the file of a model.
func Decode(file []byte) (*Model, error) {
	rest, ok := bytes.CutPrefix(file, []byte(magic))
	if !ok {
		return nil, errFormat
	}
	r := bytes.NewReader(rest)
	sentence, err := numbers(r)
	if err != nil {
		return nil, err
	}
	nothing, err := numbers(r)
	if err != nil {
		return nil, err
	}
	step, err := numbers(r)
	if err != nil || len(step) != 1 {
		return nil, errFormat
	}
	var all []Pair
	for key := uint64(0); r.Len() > 0; {
		gap, err := binary.ReadUvarint(r)
		if key += gap; err != nil || gap == 0 && len(all) > 0 || gap >= 1<<KeyBits || key >= 1<<KeyBits {
			return nil, errFormat
		}
		weight, err := r.ReadByte()
		if err != nil {
			return nil, errFormat
		}
		all = append(all, Pair{Key(key), int8(weight)})
	}
	return New(sentence, nothing, step[0], all), nil
}

// numbers reads a list of numbers.
func numbers(r *bytes.Reader) ([]float32, error) {
	n, err := r.ReadByte()
	if err != nil {
		return nil, errFormat
	}
	list := make([]float32, n)
	if err := binary.Read(r, binary.LittleEndian, list); err != nil && !(n == 0 && errors.Is(err, io.EOF)) {
		return nil, errFormat
	}
	return list, nil
}
