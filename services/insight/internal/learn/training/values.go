package training

import (
	"math"
	"slices"
	"strings"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/spans"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// valued is a question with the choice between the values in the sentence that answers it.
type valued struct {
	spans.Choice
	// right is the index of the value, or none.
	right int
	fold  int
}

// valued returns the questions about a contract whose answer has a value that weights choose, and those
// whose answer has none.
func (a *Asked) valued() (all []valued) {
	for _, x := range a.Questions {
		i := slices.IndexFunc(a.document.Sentences, func(s structure.Sentence) bool { return x.Quote != nil && s.Overlaps(a.answer(x)) })
		if i < 0 {
			continue
		}
		asked, chosen := a.questions.Value(x.Question, i)
		if !chosen {
			continue
		}
		v := valued{spans.Read(asked), none, a.fold}
		if x.Value != nil {
			v.right = slices.IndexFunc(v.Candidates, func(c spans.Candidate) bool { return sameWords(asked.Text[c.Start:c.End], *x.Value) })
		}
		if v.right >= 0 || x.Value == nil {
			all = append(all, v)
		}
	}
	return all
}

// sameWords reports whether two texts are the same beside white space, case, and the punctuation around
// them.
func sameWords(a, b string) bool {
	bare := func(s string) string {
		return strings.Trim(strings.Join(strings.Fields(s), " "), "\"“”'‘’()[]{}.,;:!?*_-–— ")
	}
	return strings.EqualFold(bare(a), bare(b))
}

// The parameters of the fit of values.
const (
	// valuePasses is how often the fit sees each question.
	valuePasses = 4
	// mostValues is the maximum number of weights. A weight is kept for its size times a power of
	// the sum of the squares of its gradients: weights of frequent features count more.
	mostValues, valueFrequency = 6000, 0.15
)

// valueAscent is the ascent of the weights that choose values.
var valueAscent = ascent{rate: 0.15, damping: 0.3, penalty: 1e-3}

// fitValues fits the weights that choose values to the questions of the other folds, and returns them by
// their keys. The strongest weights are fitted again, without the others.
func fitValues(all []valued, fold int) []float32 {
	first := valueAscent.start(nil)
	first.fitValues(all, fold)
	for k, s := range first.squares {
		first.weights[k] *= float32(math.Pow(float64(s), valueFrequency))
	}
	again := valueAscent.start(largest(first.weights, mostValues))
	again.fitValues(all, fold)
	return again.weights
}

// fitValues learns from the questions of other folds.
func (a *ascent) fitValues(all []valued, fold int) {
	inPasses(valuePasses, len(all), func(i int) {
		if all[i].fold != fold {
			all[i].learn(a)
		}
	})
}

// learn makes a step towards the value of a question.
func (v *valued) learn(a *ascent) {
	step := func(keys []hashed.Key, slope float64) {
		if slope > -least && slope < least {
			return
		}
		for _, k := range keys {
			a.step(k, slope)
		}
	}
	slopes, nothing := v.Chances(func(k hashed.Key) float64 { return float64(a.weights[k]) })
	begins, ends := make([]float64, len(v.Begins)), make([]float64, len(v.Ends))
	for i, c := range v.Candidates {
		slopes[i] = -slopes[i]
		if i == v.right {
			slopes[i]++
		}
		begins[c.First] += slopes[i]
		ends[c.Last] += slopes[i]
		step(c.Whole, slopes[i])
	}
	for i := range begins {
		step(v.Begins[i], begins[i])
		step(v.Ends[i], ends[i])
	}
	nothing = -nothing
	if v.right == none {
		nothing++
	}
	step(v.Nothing, nothing)
}
