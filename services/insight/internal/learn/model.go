package learn

import (
	"math"
	"slices"

	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Decision is what the model decides about a document: whether it has passages of a kind,
// and which sentences they are.
type Decision struct {
	Kind string
	// Votes are the votes of the rules for this kind.
	Votes Votes
	// Bias and Scale turn the sum of weights into a score: the logarithm of the odds that
	// a sentence is of the kind.
	Bias, Scale float32
	// Presence turns the best scores of a document into the probability that it has such a
	// passage. Passage turns the score of a sentence into the probability that it is one.
	Presence, Passage Calibration
	// ByRule means that the votes of the rules alone decide: they were right about this kind
	// clearly more often than weights in documents to which these were not fitted.
	ByRule bool
	// Short and Long say which passages a decision adds to those that others of the same kind, or
	// rules, find: in documents of at most ShortDocument sentences, and in longer ones. Both are zero for a
	// decision that stands by itself: it also takes the best sentence of a document that has the
	// kind.
	Short, Long Addition
}

// Addition says which passages a decision adds in a document.
type Addition struct {
	// From is the least probability of a passage. If it is 0, none is added.
	From float32
	// Alone means that passages are added only where nothing else of the kind is found.
	Alone bool
	// Trust is the factor by which the probability of an added passage is reduced. The weights see
	// too high probabilities, because the contracts that they were fitted to have more clauses than
	// others.
	Trust float32
}

// ShortDocument is the most sentences of a short document.
const ShortDocument = 100

// Size returns how many sentences a document has outside tables.
func Size(d *structure.Document) int {
	n := 0
	for _, s := range d.Sentences {
		if d.Paragraphs[s.Paragraph].Kind != structure.Cell {
			n++
		}
	}
	return n
}

// adds reports whether a decision adds to others.
func (d *Decision) adds() bool { return d.Short.From > 0 || d.Long.From > 0 }

// trusted is the least Trust of what a decision adds in short documents to add it in longer ones, too.
const trusted = 0.98

// addition returns what a decision adds in a document of n sentences. The longer a document is, the more
// of its sentences look by chance like one of a kind, so that additions must be surer in it: the odds grow
// with the fourth power of its length, up to those at which the decision adds in long documents.
func (d *Decision) addition(n int) Addition {
	switch {
	case n <= ShortDocument:
		return d.Short
	case d.Short.From == 0 || d.Short.Trust < trusted:
		return d.Long
	}
	longer := float64(n) / ShortDocument
	longer *= longer
	odds := float64(d.Short.From) / float64(1-d.Short.From) * longer * longer
	a := d.Short
	a.From = float32(odds / (1 + odds))
	if d.Long.From > 0 && d.Long.From < a.From {
		return d.Long
	}
	return a
}

// Calibration turns a score and the vote of a rule into a probability.
type Calibration struct{ Slope, Vote, Offset float32 }

// Probability returns the probability for a score. voted reports that a rule recognized
// the same.
func (c Calibration) Probability(score float64, voted bool) float64 {
	return 1 / (1 + math.Exp(-c.odds(score, voted)))
}

// odds returns the logarithm of the odds for a score.
func (c Calibration) odds(score float64, voted bool) float64 {
	z := float64(float64(c.Slope)*score) + float64(c.Offset)
	if voted {
		z += float64(c.Vote)
	}
	return z
}

// weight is the weight of a feature in a decision.
type weight struct {
	decision uint8
	value    int8
}

// MaxDecisions is the maximum number of decisions of a model.
const MaxDecisions = 96

// Model holds the weights of linear decisions over the features of sentences. It is
// immutable.
type Model struct {
	Decisions []Decision
	scheme    Scheme
	// known holds a bit for the last bits of each key that has weights. Most features have none,
	// and the bits fit a cache that the rest does not fit.
	known []uint64
	// slots holds each feature in the slot of the last bits of its key, or in the next one that is
	// free. At least a third of the slots are free.
	slots   []slot
	weights []weight
	rows    []row
}

// slot is a feature: its key plus one, or 0 for a free slot, and the place of its weights.
type slot struct {
	key uint32
	at  place
}

// Kinds returns the kinds that the model decides about, in the order of the first decision about
// each.
func (m *Model) Kinds() []string {
	var kinds []string
	for i := range m.Decisions {
		if kind := m.Decisions[i].Kind; !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Features returns an empty Features for the model.
func (m *Model) Features() *Features { return NewFeatures(m.scheme) }

// mayWeigh reports whether a feature may have weights.
func (m *Model) mayWeigh(key uint32) bool {
	return m.known[key>>6&uint32(len(m.known)-1)]>>(key&63)&1 != 0
}

// find returns where the weights of a feature are. It reports false if it has none.
func (m *Model) find(key uint32) (place, bool) {
	last := uint32(len(m.slots) - 1)
	for i := key & last; ; i = (i + 1) & last {
		switch s := m.slots[i]; s.key {
		case key + 1:
			return s.at, true
		case 0:
			return 0, false
		}
	}
}

// weightOf returns the weight of a feature in a decision.
func (m *Model) weightOf(key uint32, decision int) int8 {
	p, ok := m.find(key)
	switch {
	case !ok:
		return 0
	case p.inRow():
		return m.rows[p.at()].value(decision)
	case p.count() == 1:
		w := p.weight()
		if int(w.decision) != decision {
			return 0
		}
		return w.value
	}
	for _, w := range m.weights[p.at():][:p.count()] {
		if int(w.decision) == decision {
			return w.value
		}
	}
	return 0
}

// Scores are the scores of a sentence, one for each decision.
type Scores [MaxDecisions]float32

// Score scores the sentence whose features f holds. Weights are whole numbers and no
// product is fused, so the scores are the same on every machine.
func (m *Model) Score(f *Features, scores *Scores) {
	var sums [MaxDecisions]float64
	for g := range groups {
		total, value := m.total(f, g), m.scheme.value(g, len(f.of(g)))
		for d := range m.Decisions {
			sums[d] += float64(value * float64(total[d]))
		}
	}
	for d, x := range m.Decisions {
		scores[d] = float32(float64(sums[d]*float64(x.Scale)) + float64(x.Bias))
	}
}

// total returns the sums of the weights of a group, which are valid until the next call.
func (m *Model) total(f *Features, g group) *[MaxDecisions]int32 {
	list, last := f.of(g), &f.last[g]
	if last.model == m && slices.Equal(last.list, list) {
		return &last.total.sums
	}
	last.model, last.total = nil, totals{}
	m.add(f, list, &last.total)
	if g == heading || g == opening { // most sentences have those of the sentence before
		last.model, last.list = m, append(last.list[:0], list...)
	}
	return &last.total.sums
}

// add adds the weights of features.
func (m *Model) add(f *Features, list []feature, total *totals) {
	// All features are found first, so that the processor can wait for the memory of several at
	// once.
	found := f.found[:0]
	for _, x := range list {
		if !m.mayWeigh(x.key) {
			continue
		}
		if p, ok := m.find(x.key); ok {
			found = append(found, p)
		}
	}
	for _, p := range found {
		switch n := p.count(); n {
		case 1:
			w := p.weight()
			total.sums[w.decision] += int32(w.value)
		case whole:
			total.addRow(&m.rows[p.at()], len(m.Decisions))
		default:
			for _, w := range m.weights[p.at():][:n] {
				total.sums[w.decision] += int32(w.value)
			}
		}
	}
	total.settle()
}

// Scheme is how much the features of a sentence count. A model is fitted to one.
type Scheme int

const (
	// Shared is for passages that depend on where they are. The features of a group share its
	// strength, so that a long sentence does not count more than a short one.
	Shared Scheme = iota
	// Plain is for sentences that are recognized by single phrases, wherever they are. Each
	// phrase counts the same, and the words of the neighbours and of the opening do not count.
	Plain
)

// strength is the weight of each group of features in a scheme. A scheme skips groups without
// one.
var strength = [...][groups]float64{
	Shared: {own: 3, heading: 1, before: 1, after: 0.5, opening: 0.3, facts: 0.6},
	Plain:  {own: 1, heading: 1, facts: 1},
}

// value returns the value of each feature in a group of n.
func (s Scheme) value(g group, n int) float64 {
	if s == Plain || g == facts || n == 0 {
		return strength[s][g]
	}
	return strength[s][g] / math.Sqrt(float64(n))
}

// reasons returns the n-grams of a sentence that weigh most for a decision, as the indexes
// of their first and last words, strongest first. f must hold the features of the sentence.
func (m *Model) reasons(f *Features, decision, most int) []feature {
	type weighed struct {
		feature
		value int8
	}
	var found []weighed
	for _, x := range f.of(own) {
		if !m.mayWeigh(x.key) {
			continue
		}
		if value := m.weightOf(x.key, decision); value > 0 {
			found = append(found, weighed{x, value})
		}
	}
	slices.SortStableFunc(found, func(a, b weighed) int { return int(b.value) - int(a.value) })
	var best []feature
	for _, x := range found {
		apart := !slices.ContainsFunc(best, func(y feature) bool {
			return x.at < y.at+int32(y.n) && y.at < x.at+int32(x.n)
		})
		if apart && len(best) < most {
			best = append(best, x.feature)
		}
	}
	return best
}
