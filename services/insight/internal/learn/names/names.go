// Package names says how likely a name is that of a party to the document that mentions it, by how the
// document uses it: the words before and after each place with the name, labels, signatures. Package
// naming of the rules defines these features.
package names

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
)

// Feature is a hash of a feature.
type Feature = hashed.Key

// FeatureOf returns the feature of a text.
func FeatureOf(text string) Feature {
	h := fnv.New32a()
	h.Write([]byte(text))
	x := h.Sum32()
	return Feature((x ^ x>>hashed.KeyBits) & (1<<hashed.KeyBits - 1))
}

// Features describe one name. No feature occurs twice.
type Features struct {
	// Facts are about the name as a whole, and each counts the same.
	Facts []Feature
	// Uses are about the places with the name. Their total weight is bounded, so a name does not become
	// a party just because it is frequent.
	Uses []Feature
}

// strength is how much the uses of a name count together, beside facts that count 1 each.
const strength = 5

// Use is what each of n uses counts.
func Use(n int) float64 { return strength / math.Sqrt(float64(max(n, 1))) }

// Calibration maps log odds to calibrated log odds.
type Calibration struct{ Slope, Offset float32 }

// Weights define a model.
type Weights struct {
	Features []hashed.Weight
	// Persons are the weights for the name of a person, as opposed to one of an organization.
	Persons []hashed.Weight
	// Step and PersonStep are the units of the weights.
	Step, PersonStep float32
	// Best calibrates the odds of the two names of a document that have the best ones, and Others those of the
	// others. Most contracts have two parties, so the best names are more likely those of parties than
	// their own features say.
	Best, Others Calibration
}

// Model judges names. It is immutable.
type Model struct {
	step, personStep  float32
	best, others      Calibration
	features, persons hashed.Table
}

// New returns a model.
func New(w Weights) *Model {
	return &Model{w.Step, w.PersonStep, w.Best, w.Others, hashed.NewTable(w.Features), hashed.NewTable(w.Persons)}
}

// Odds returns the log odds that a name is that of a party, before calibration.
func (m *Model) Odds(f Features) float64 { return float64(m.step) * sum(&m.features, f) }

// Person reports whether the name of a party is that of a person rather than of an organization.
func (m *Model) Person(f Features) bool { return float64(m.personStep)*sum(&m.persons, f) > 0 }

// sum returns the sum of the weights of features, in steps.
func sum(t *hashed.Table, f Features) float64 {
	facts, uses := int32(0), int32(0)
	for _, key := range f.Facts {
		facts += t.Weight(key)
	}
	for _, key := range f.Uses {
		uses += t.Weight(key)
	}
	return float64(facts) + float64(Use(len(f.Uses))*float64(uses))
}

// Probabilities returns the probability that each name of a document is that of a party, by their Odds.
func (m *Model) Probabilities(odds []float64) []float64 {
	probabilities := make([]float64, len(odds))
	for i, best := range Best(odds) {
		c := m.others
		if best {
			c = m.best
		}
		probabilities[i] = 1 / (1 + math.Exp(-float64(float64(c.Slope)*odds[i])-float64(c.Offset)))
	}
	return probabilities
}

// Best reports for each name of a document whether its odds are among the two best ones.
func Best(odds []float64) []bool {
	order := make([]int, len(odds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(odds[b], odds[a]) })
	best := make([]bool, len(odds))
	for _, i := range order[:min(len(order), 2)] {
		best[i] = true
	}
	return best
}

// Weight returns the weight of a feature in steps.
func (m *Model) Weight(f Feature) int32 { return m.features.Weight(f) }

// magic is the beginning of every file of weights. It ends with the version of the format and of the
// features.
const magic = "recto-names-1\n"

// Encode returns the file of a model. It sorts the features.
func Encode(w Weights) []byte {
	b := []byte(magic)
	for _, x := range []float32{w.Step, w.PersonStep, w.Best.Slope, w.Best.Offset, w.Others.Slope, w.Others.Offset} {
		b, _ = binary.Append(b, binary.LittleEndian, x) // a number of fixed size always fits
	}
	return hashed.Append(hashed.Append(b, w.Features), w.Persons)
}

// Decode reads the file of a model.
func Decode(file []byte) (*Model, error) {
	rest, ok := bytes.CutPrefix(file, []byte(magic))
	var numbers struct {
		Step, PersonStep float32
		Best, Others     Calibration
	}
	r := bytes.NewReader(rest)
	if !ok || binary.Read(r, binary.LittleEndian, &numbers) != nil {
		return nil, hashed.ErrFormat
	}
	features, err := hashed.Read(r)
	if err != nil {
		return nil, err
	}
	persons, err := hashed.Read(r)
	if err != nil {
		return nil, err
	}
	if r.Len() > 0 {
		return nil, hashed.ErrFormat
	}
	return New(Weights{features, persons, numbers.Step, numbers.PersonStep, numbers.Best, numbers.Others}), nil
}
