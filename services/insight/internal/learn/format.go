package learn

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"slices"
)

// Weight is a weight of a feature in a decision.
type Weight struct {
	Key      uint32
	Decision uint8
	Value    int8
}

// magic is the beginning of every file of weights of a scheme. It ends with the version of the
// format and of the features.
var magic = [...]string{Shared: "recto-weights-6\n", Plain: "recto-weights-plain-4\n"}

// lastOfKey marks the last weight of a feature, in the byte of its decision. Most features have one
// weight.
const lastOfKey = 0x80

// Encode returns the file of a model. It sorts the weights.
func Encode(scheme Scheme, decisions []Decision, weights []Weight) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(magic[scheme])
	b.WriteByte(byte(len(decisions)))
	for _, d := range decisions {
		b.WriteByte(byte(len(d.Kind)))
		b.WriteString(d.Kind)
		if err := binary.Write(&b, binary.LittleEndian, numbers{d.Votes, d.Bias, d.Scale, d.Presence, d.Passage, d.ByRule, d.Short, d.Long}); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(weights, func(x, y Weight) int {
		return int(int64(x.Key)<<8|int64(x.Decision)) - int(int64(y.Key)<<8|int64(y.Decision))
	})
	last := uint32(0)
	for at := 0; at < len(weights); {
		end := at
		for end < len(weights) && weights[end].Key == weights[at].Key {
			end++
		}
		b.Write(binary.AppendUvarint(nil, uint64(weights[at].Key-last)))
		for i, w := range weights[at:end] {
			if at+i == end-1 {
				w.Decision |= lastOfKey
			}
			b.WriteByte(w.Decision)
			b.WriteByte(byte(w.Value))
		}
		last, at = weights[end-1].Key, end
	}
	return b.Bytes(), nil
}

// numbers are the numbers of a decision, as they are in a file.
type numbers struct {
	Votes             Votes
	Bias, Scale       float32
	Presence, Passage Calibration
	ByRule            bool
	Short, Long       Addition
}

var errFormat = errors.New("learn: this is no file of weights, or a damaged one")

// Decode reads the file of a model.
func Decode(file []byte) (*Model, error) {
	m := &Model{}
	rest, ok := bytes.CutPrefix(file, []byte(magic[Shared]))
	if !ok {
		m.scheme = Plain
		if rest, ok = bytes.CutPrefix(file, []byte(magic[Plain])); !ok {
			return nil, errFormat
		}
	}
	r := bytes.NewReader(rest)
	n, err := r.ReadByte()
	if err != nil || n == 0 || n > MaxDecisions {
		return nil, errFormat
	}
	for range n {
		d, err := readDecision(r)
		if err != nil {
			return nil, err
		}
		m.Decisions = append(m.Decisions, d)
	}
	return m, m.readWeights(r)
}

func readDecision(r *bytes.Reader) (Decision, error) {
	n, err := r.ReadByte()
	if err != nil {
		return Decision{}, errFormat
	}
	kind := make([]byte, n)
	var x numbers
	if _, err := io.ReadFull(r, kind); err != nil || binary.Read(r, binary.LittleEndian, &x) != nil {
		return Decision{}, errFormat
	}
	return Decision{string(kind), x.Votes, x.Bias, x.Scale, x.Presence, x.Passage, x.ByRule, x.Short, x.Long}, nil
}

// readWeights reads the weights and indexes their features.
func (m *Model) readWeights(r *bytes.Reader) error {
	var keys []uint32
	var places []place
	var all [MaxDecisions]weight
	key := uint64(0)
	for r.Len() > 0 {
		gap, err := binary.ReadUvarint(r)
		if key += gap; err != nil || gap == 0 && len(keys) > 0 || gap >= 1<<keyBits || key >= 1<<keyBits {
			return errFormat
		}
		list := all[:0]
		for last := false; !last; {
			decision, _ := r.ReadByte()
			value, err := r.ReadByte()
			last = decision&lastOfKey != 0
			decision &^= lastOfKey
			if err != nil || int(decision) >= len(m.Decisions) || len(list) == len(m.Decisions) {
				return errFormat
			}
			list = append(list, weight{decision, int8(value)})
		}
		keys, places = append(keys, uint32(key)), append(places, m.place(list))
	}
	m.weights, m.rows = slices.Clip(m.weights), slices.Clip(m.rows)
	m.index(keys, places)
	return nil
}

// place keeps the weights of a feature, and returns where.
func (m *Model) place(list []weight) place {
	if len(list) == 1 {
		return placeOfOne(list[0])
	}
	if len(list) < fullRow {
		m.weights = append(m.weights, list...)
		return placeOf(len(m.weights)-len(list), len(list))
	}
	r := newRow()
	for _, w := range list {
		r.set(w.decision, w.value)
	}
	m.rows = append(m.rows, r)
	return placeOf(len(m.rows)-1, whole)
}

// index builds what finds the places of features.
func (m *Model) index(keys []uint32, places []place) {
	m.known = make([]uint64, max(1, 1<<bits.Len(uint(2*len(keys)+1))/16))
	m.slots = make([]slot, 1<<bits.Len(uint(len(keys)+len(keys)/2)))
	last := uint32(len(m.slots) - 1)
	for i, key := range keys {
		m.known[key>>6&uint32(len(m.known)-1)] |= 1 << (key & 63)
		at := key & last
		for m.slots[at].key != 0 {
			at = (at + 1) & last
		}
		m.slots[at] = slot{key + 1, places[i]}
	}
}
