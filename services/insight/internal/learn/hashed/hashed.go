// Package hashed holds small weights by hashed keys: how models that have one weight for each word, or
// pair of words, keep them in memory and in files.
package hashed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

// KeyBits is the number of bits of a key.
const KeyBits = 24

// Key identifies what has a weight. It is a hash, so different things can have the same.
type Key uint32

// Weight is the weight of a key, in steps of a model.
type Weight struct {
	Key    Key
	Weight int8
}

// Table finds weights by their keys. It is immutable.
type Table struct {
	// known holds a bit for the last bits of each key. Most keys have no weight, and the bits fit
	// a cache that the slots do not fit.
	known []uint64
	// slots holds each weight in the slot of the last bits of its key, or in the next one that is
	// free.
	slots []slot
}

// slot is a key plus one, or 0 for a free slot, and its weight.
type slot struct {
	key    uint32
	weight int8
}

// NewTable returns a table. No key occurs twice.
func NewTable(all []Weight) Table {
	t := Table{make([]uint64, max(1, 1<<bits.Len(uint(4*len(all)))/64)), make([]slot, 1<<bits.Len(uint(len(all)+len(all)/2)))}
	last := uint32(len(t.slots) - 1)
	for _, w := range all {
		t.known[uint32(w.Key)>>6&uint32(len(t.known)-1)] |= 1 << (w.Key & 63)
		at := uint32(w.Key) & last
		for t.slots[at].key != 0 {
			at = (at + 1) & last
		}
		t.slots[at] = slot{uint32(w.Key) + 1, w.Weight}
	}
	return t
}

// Weight returns the weight of a key in steps, 0 for an unknown one.
func (t *Table) Weight(key Key) int32 {
	if t.known[uint32(key)>>6&uint32(len(t.known)-1)]>>(key&63)&1 == 0 {
		return 0
	}
	last := uint32(len(t.slots) - 1)
	for at := uint32(key) & last; t.slots[at].key != 0; at = (at + 1) & last {
		if t.slots[at].key == uint32(key)+1 {
			return int32(t.slots[at].weight)
		}
	}
	return 0
}

// Append appends weights to a file. It sorts them.
func Append(b []byte, all []Weight) []byte {
	slices.SortFunc(all, func(x, y Weight) int { return int(x.Key) - int(y.Key) })
	b = binary.AppendUvarint(b, uint64(len(all)))
	last := Key(0)
	for _, w := range all {
		b = append(binary.AppendUvarint(b, uint64(w.Key-last)), byte(w.Weight))
		last = w.Key
	}
	return b
}

// ErrFormat means that a file is damaged, or is not a file of weights.
var ErrFormat = errors.New("hashed: not a file of weights, or a damaged one")

// Read reads the weights that Append wrote. It returns ErrFormat if there are none.
func Read(r *bytes.Reader) ([]Weight, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > uint64(r.Len())/2 {
		return nil, ErrFormat
	}
	list := make([]Weight, 0, n)
	for key := uint64(0); len(list) < int(n); {
		gap, err := binary.ReadUvarint(r)
		if key += gap; err != nil || gap == 0 && len(list) > 0 || gap >= 1<<KeyBits || key >= 1<<KeyBits {
			return nil, ErrFormat
		}
		weight, err := r.ReadByte()
		if err != nil {
			return nil, ErrFormat
		}
		list = append(list, Weight{Key(key), int8(weight)})
	}
	return list, nil
}
