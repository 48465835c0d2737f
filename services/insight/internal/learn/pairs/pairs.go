// Package pairs says how well sentences answer a question, from pairs of a word of the question and
// a word of a sentence. Questions use other words than contracts: "get out" is asked of a sentence
// with "terminate". The weights of pairs are learned from questions about contracts, so they
// translate the words of everyday speech, as translation models do in the retrieval of answers
// (Berger and others, "Bridging the Lexical Chasm", 2000).
package pairs

import (
	"hash/fnv"
	"math"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
)

// Feature is a word or two adjacent words of a question, or a word or the kind of a clause of a
// sentence. It is a hash, so different texts can have the same.
type Feature uint32

// FeatureOf returns the feature of a text.
func FeatureOf(text string) Feature {
	h := fnv.New32a()
	h.Write([]byte(text))
	return Feature(h.Sum32())
}

// Key identifies a pair of features.
type Key = hashed.Key

// KeyOf returns the key of a feature of a question and one of a sentence.
func KeyOf(question, sentence Feature) Key {
	// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014) over both.
	x := uint64(question)<<32 | uint64(sentence)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return Key((x ^ x>>31) & (1<<hashed.KeyBits - 1))
}

// KeyOfOne returns the key of a feature of a sentence and a yes-or-no question together.
func KeyOfOne(f Feature) Key { return KeyOf(f, 0) }

// Pair is a pair, or a feature of both, with its weight in steps of the model.
type Pair = hashed.Weight

// Weights are what a model consists of.
type Weights struct {
	// Sentence are the weights of the features of a sentence, and Nothing those of the case that
	// no sentence answers. Package questions defines the features.
	Sentence, Nothing []float32
	// Pairs are the weights of pairs of features, and Step is their unit.
	Pairs []Pair
	Step  float32
	// Yes are the weights for the answer yes to a yes-or-no question, and YesStep is their unit.
	Yes     []Pair
	YesStep float32
	// Values are the weights that choose the value in a sentence, by the keys of package spans of the
	// rules for questions, and ValueStep is their unit.
	Values    []Pair
	ValueStep float32
}

// Model holds the weights of pairs, and those with which their sum counts beside what else is known
// about a sentence. It is immutable.
type Model struct {
	// Sentence and Nothing are those of Weights.
	Sentence, Nothing []float32

	step, yesStep, valueStep float32
	pairs, yes, values       hashed.Table
}

// New returns a model. No key occurs twice in a list.
func New(w Weights) *Model {
	return &Model{w.Sentence, w.Nothing, w.Step, w.YesStep, w.ValueStep, hashed.NewTable(w.Pairs), hashed.NewTable(w.Yes), hashed.NewTable(w.Values)}
}

// Weights returns the sum of the weights that each feature of sentences has with those of a
// question, in steps.
func (m *Model) Weights(question, sentences []Feature) []int32 {
	sums := make([]int32, len(sentences))
	for i, s := range sentences {
		for _, q := range question {
			sums[i] += m.pairs.Weight(KeyOf(q, s))
		}
	}
	return sums
}

// Affinity returns how well a sentence suits a question: the sum of the weights of their pairs,
// which is given in steps, by how many features both have. A long sentence has more pairs, and
// does not suit better.
func (m *Model) Affinity(steps int32, question, sentence int) float64 {
	return float64(m.step) * float64(steps) * Share(question, sentence)
}

// Share is what a pair counts in the affinity of a sentence to a question, by the number of features
// of each.
func Share(question, sentence int) float64 {
	if question == 0 || sentence == 0 {
		return 0
	}
	return 1 / math.Sqrt(float64(question)*float64(sentence))
}

// Yes returns the probability that a sentence answers a yes-or-no question with yes, as opposed to no,
// by the features of both together.
func (m *Model) Yes(both []Feature) float64 {
	sum := int32(0)
	for _, f := range both {
		sum += m.yes.Weight(KeyOfOne(f))
	}
	return 1 / (1 + math.Exp(-float64(m.yesStep)*float64(sum)))
}

// Value returns the weight of a feature of the value in a sentence.
func (m *Model) Value(k Key) float64 { return float64(m.valueStep) * float64(m.values.Weight(k)) }
