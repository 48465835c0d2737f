package pairs_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
)

// features returns the features of words.
func features(words ...string) []pairs.Feature {
	var all []pairs.Feature
	for _, w := range words {
		all = append(all, pairs.FeatureOf(w))
	}
	return all
}

// pair returns a pair with a weight.
func pair(question, sentence string, weight int8) pairs.Pair {
	return pairs.Pair{Key: pairs.KeyOf(pairs.FeatureOf(question), pairs.FeatureOf(sentence)), Weight: weight}
}

// TestWeights shows what the words of sentences count for a question.
func TestWeights(t *testing.T) {
	m := pairs.New(pairs.Weights{Step: 0.5, Pairs: []pairs.Pair{pair("get out", "terminate", 6), pair("quit", "terminate", 3), pair("quit", "renew", -2)}})
	got := m.Weights(features("get out", "quit"), features("terminate", "renew", "paint"))
	if !slices.Equal(got, []int32{9, -2, 0}) {
		t.Errorf("got %v", got)
	}
	if reversed := m.Weights(features("terminate"), features("quit")); reversed[0] != 0 {
		t.Errorf("got %v for a pair in the other direction, want 0", reversed)
	}
	if a := m.Affinity(9, 2, 8); a != 9*0.5/4 {
		t.Errorf("got the affinity %v", a)
	}
	for _, n := range [][2]int{{0, 3}, {3, 0}} {
		if a := m.Affinity(9, n[0], n[1]); a != 0 {
			t.Errorf("got the affinity %v of %v features, want 0", a, n)
		}
	}
}

// TestMany shows that every pair of a large model is found, and no other.
func TestMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	weights := map[pairs.Key]int8{}
	for len(weights) < 5000 {
		weights[pairs.Key(random.Uint32N(1<<hashed.KeyBits))] = int8(1 + random.IntN(100))
	}
	var all []pairs.Pair
	for key, weight := range weights {
		all = append(all, pairs.Pair{Key: key, Weight: weight})
	}
	m := pairs.New(pairs.Weights{Step: 1, Pairs: all})
	for range 200_000 {
		q, s := pairs.Feature(random.Uint32()), pairs.Feature(random.Uint32())
		if got, want := m.Weights([]pairs.Feature{q}, []pairs.Feature{s})[0], int32(weights[pairs.KeyOf(q, s)]); got != want {
			t.Fatalf("got the weight %d, want %d", got, want)
		}
	}
}

// TestYes shows how probable the answer yes is.
func TestYes(t *testing.T) {
	one := func(text string, weight int8) pairs.Pair {
		return pairs.Pair{Key: pairs.KeyOfOne(pairs.FeatureOf(text)), Weight: weight}
	}
	m := pairs.New(pairs.Weights{YesStep: 0.5, Yes: []pairs.Pair{one("may", 8), one("not", -16)}})
	for _, tt := range []struct {
		words []string
		want  float64
	}{
		{nil, 0.5}, {[]string{"paint"}, 0.5}, {[]string{"may"}, 1 / (1 + math.Exp(-4))},
		{[]string{"may", "not", "paint", "it"}, 1 / (1 + math.Exp(4))},
	} {
		if got := m.Yes(features(tt.words...)); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%v: got %v, want %v", tt.words, got, tt.want)
		}
	}
}

// TestFile shows that a file holds the whole model, in any order of its pairs.
func TestFile(t *testing.T) {
	all := []pairs.Pair{pair("get out", "terminate", 127), pair("quit", "terminate", -128), {Key: 0, Weight: 5}, {Key: 1<<hashed.KeyBits - 1, Weight: 7}}
	w := pairs.Weights{Sentence: []float32{1, -2.5}, Nothing: []float32{3}, Step: 0.25, Pairs: slices.Clone(all), YesStep: 2, Yes: []pairs.Pair{{Key: pairs.KeyOfOne(pairs.FeatureOf("may")), Weight: 1}},
		ValueStep: 3, Values: []pairs.Pair{{Key: 7, Weight: -2}}}
	file := pairs.Encode(w)
	slices.Reverse(w.Pairs)
	if again := pairs.Encode(w); !bytes.Equal(file, again) {
		t.Error("the order of the pairs changes the file")
	}
	m, err := pairs.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Sentence, []float32{1, -2.5}) || !slices.Equal(m.Nothing, []float32{3}) {
		t.Errorf("got %v and %v", m.Sentence, m.Nothing)
	}
	if got := m.Weights(features("get out", "quit"), features("terminate")); got[0] != -1 || m.Affinity(got[0], 1, 1) != -0.25 {
		t.Errorf("got %v, want both weights in steps of 0.25", got)
	}
	if got, want := m.Yes(features("may")), 1/(1+math.Exp(-2)); got != want {
		t.Errorf("got the probability %v, want %v", got, want)
	}
	if m.Value(7) != -6 || m.Value(8) != 0 {
		t.Errorf("got the weights %v and %v of features of values, want -6 and 0", m.Value(7), m.Value(8))
	}
}

// TestDamaged shows that a damaged file is refused.
func TestDamaged(t *testing.T) {
	file := pairs.Encode(pairs.Weights{Sentence: []float32{1}, Step: 1, Pairs: []pairs.Pair{pair("quit", "terminate", 3)}})
	pairless := pairs.Encode(pairs.Weights{})
	pairless = pairless[:len(pairless)-3] // without the numbers of pairs
	for name, damaged := range map[string][]byte{
		"empty":           {},
		"other magic":     append([]byte("X"), file[1:]...),
		"no numbers":      file[:len("recto-pairs-1\n")+3],
		"no end":          file[:len(file)-1],
		"more than that":  append(slices.Clone(file), 0),
		"too many pairs":  append(slices.Clone(pairless), 100, 0),
		"no weight":       append(slices.Clone(pairless), 1, 5),
		"the same pair":   append(slices.Clone(pairless), 2, 5, 1, 0, 1, 0),
		"key too large":   append(slices.Clone(pairless), 1, 0xff, 0xff, 0xff, 0x7f, 1, 0),
		"gap too large":   append(slices.Clone(pairless), 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1, 0),
		"no end of a gap": append(slices.Clone(pairless), 1, 0xff, 0xff),
	} {
		if _, err := pairs.Decode(damaged); err == nil {
			t.Errorf("%s: a damaged file is read", name)
		}
	}
}

// FuzzDecode looks for files that are not read back as they were written.
func FuzzDecode(f *testing.F) {
	f.Add(pairs.Encode(pairs.Weights{Sentence: []float32{1}, Nothing: []float32{2}, Step: 0.5, Pairs: []pairs.Pair{pair("quit", "terminate", 3)}}))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := pairs.Decode(file)
		if err != nil {
			return
		}
		m.Weights(features("quit"), features("terminate"))
	})
}
