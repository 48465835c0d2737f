package hashed_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
)

// TestTable shows that every weight of a large table is found, and no other.
func TestTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	weights := map[hashed.Key]int8{0: 5, 1<<hashed.KeyBits - 1: -7}
	for len(weights) < 5000 {
		weights[hashed.Key(random.Uint32N(1<<hashed.KeyBits))] = int8(1 + random.IntN(100))
	}
	var all []hashed.Weight
	for key, weight := range weights {
		all = append(all, hashed.Weight{Key: key, Weight: weight})
	}
	table := hashed.NewTable(all)
	for key, weight := range weights {
		if got := table.Weight(key); got != int32(weight) {
			t.Fatalf("%d: got the weight %d, want %d", key, got, weight)
		}
	}
	for range 200_000 {
		key := hashed.Key(random.Uint32N(1 << hashed.KeyBits))
		if got := table.Weight(key); got != int32(weights[key]) {
			t.Fatalf("%d: got the weight %d, want %d", key, got, weights[key])
		}
	}
	if empty := hashed.NewTable(nil); empty.Weight(3) != 0 {
		t.Error("a table without weights has one")
	}
}

// TestRead shows that weights are read as they were appended, and damaged ones not at all.
func TestRead(t *testing.T) {
	all := []hashed.Weight{{Key: 900, Weight: -128}, {Key: 0, Weight: 127}, {Key: 1<<hashed.KeyBits - 1, Weight: 7}}
	file := append(hashed.Append([]byte{}, all), "more"...)
	r := bytes.NewReader(file)
	got, err := hashed.Read(r)
	if want := []hashed.Weight{{Key: 0, Weight: 127}, {Key: 900, Weight: -128}, {Key: 1<<hashed.KeyBits - 1, Weight: 7}}; err != nil || !reflect.DeepEqual(got, want) || r.Len() != len("more") {
		t.Errorf("got %v and %d bytes after them, error %v", got, r.Len(), err)
	}
	for name, damaged := range map[string][]byte{
		"nothing":             nil,
		"too many":            {0xff, 0xff, 0x03, 1, 1},
		"the same key twice":  {2, 5, 1, 0, 1},
		"a key that is large": {1, 0xff, 0xff, 0xff, 0xff, 0x0f, 1},
		"the end is missing":  file[:len(file)-len("more")-1],
	} {
		if got, err := hashed.Read(bytes.NewReader(damaged)); err == nil {
			t.Errorf("%s: got %v and no error", name, got)
		}
	}
}
