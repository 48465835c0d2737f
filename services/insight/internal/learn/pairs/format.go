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
const magic = "recto-pairs-2\n"

// Encode returns the file of a model. It sorts the pairs.
func Encode(w Weights) []byte {
	b := []byte(magic)
	for _, list := range [][]float32{w.Sentence, w.Nothing, {w.Step, w.YesStep}} {
		b = append(b, byte(len(list)))
		for _, x := range list {
			b, _ = binary.Append(b, binary.LittleEndian, x) // a number of fixed size always fits
		}
	}
	for _, list := range [][]Pair{w.Pairs, w.Yes} {
		slices.SortFunc(list, func(x, y Pair) int { return int(x.Key) - int(y.Key) })
		b = binary.AppendUvarint(b, uint64(len(list)))
		last := Key(0)
		for _, p := range list {
			b = append(binary.AppendUvarint(b, uint64(p.Key-last)), byte(p.Weight))
			last = p.Key
		}
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
	r, w := bytes.NewReader(rest), Weights{}
	var steps []float32
	for _, list := range []*[]float32{&w.Sentence, &w.Nothing, &steps} {
		var err error
		if *list, err = numbers(r); err != nil {
			return nil, err
		}
	}
	if len(steps) != 2 {
		return nil, errFormat
	}
	w.Step, w.YesStep = steps[0], steps[1]
	for _, list := range []*[]Pair{&w.Pairs, &w.Yes} {
		var err error
		if *list, err = readPairs(r); err != nil {
			return nil, err
		}
	}
	if r.Len() > 0 {
		return nil, errFormat
	}
	return New(w), nil
}

// readPairs reads a list of pairs.
func readPairs(r *bytes.Reader) ([]Pair, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > uint64(r.Len())/2 {
		return nil, errFormat
	}
	list := make([]Pair, 0, n)
	for key := uint64(0); len(list) < int(n); {
		gap, err := binary.ReadUvarint(r)
		if key += gap; err != nil || gap == 0 && len(list) > 0 || gap >= 1<<KeyBits || key >= 1<<KeyBits {
			return nil, errFormat
		}
		weight, err := r.ReadByte()
		if err != nil {
			return nil, errFormat
		}
		list = append(list, Pair{Key(key), int8(weight)})
	}
	return list, nil
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
