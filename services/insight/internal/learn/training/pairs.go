package training

import (
	"math"
	"slices"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
)

// learnable reports whether a question can be learned from: its answer, if it has one, is among the
// sentences.
func (q *Question) learnable() bool {
	for _, right := range q.Right {
		if right {
			return true
		}
	}
	return !q.Answered
}

// slopes returns by how much the score of each sentence, and that of nothing, should grow so that
// what is right becomes more probable, given the scores.
func (q *Question) slopes(scores []float64, nothing float64) ([]float64, float64) {
	odds, none := chances(scores, nothing)
	if !q.Answered {
		for i := range odds {
			odds[i] = -odds[i]
		}
		return odds, 1 - none
	}
	own := 0.0
	for i, right := range q.Right {
		if right {
			own += odds[i]
		}
	}
	for i, right := range q.Right {
		p := odds[i]
		odds[i] = -p
		if right && own > 0 {
			odds[i] += p / own
		}
	}
	return odds, -none
}

// chances returns the probability of each sentence and that of nothing, given their scores.
func chances(scores []float64, nothing float64) ([]float64, float64) {
	top := nothing
	for _, s := range scores {
		top = max(top, s)
	}
	none := math.Exp(nothing - top)
	all, sum := make([]float64, len(scores)), none
	for i, s := range scores {
		all[i] = math.Exp(s - top)
		sum += all[i]
	}
	for i := range all {
		all[i] /= sum
	}
	return all, none / sum
}

// The parameters of the fit of pairs: stochastic gradient ascent in passes over the questions, with a
// penalty for large weights. The pairs with the largest weights are then fitted again.
const (
	passes, rate, penalty = 4, 3, 1e-4
	// besideRate and besidePenalty are for the other features, whose steps become shorter with
	// their gradients, as Duchi and others give it in "Adaptive Subgradient Methods" (2011).
	besideRate, besidePenalty = 0.1, 5e-4
	// mostPairs is the maximum number of pairs.
	mostPairs = 47_500
	// least is the slope below which a sentence teaches nothing.
	least = 1e-3
)

// pairFit is a fit of the weights of pairs by their keys, and of those of the other features.
type pairFit struct {
	weights []float32
	// kept says which pairs have a weight, nil for all.
	kept                        []bool
	sentence, nothing           []float64
	sentenceSlope, nothingSlope []float64
}

// fitPairs fits pairs to questions, which must be learnable. most is the maximum number of pairs.
func fitPairs(all []*Question, most int) []float32 {
	f := newPairFit(all)
	f.run(all)
	again := newPairFit(all)
	again.kept = largest(f.weights, most)
	again.run(all)
	return again.weights
}

func newPairFit(all []*Question) *pairFit {
	n, m := len(all[0].Sentences[0].Features), len(all[0].Nothing)
	return &pairFit{
		weights: make([]float32, 1<<hashed.KeyBits), sentence: make([]float64, n), sentenceSlope: make([]float64, n),
		nothing: make([]float64, m), nothingSlope: make([]float64, m),
	}
}

// run makes passes over the questions, each in another order.
func (f *pairFit) run(all []*Question) {
	inPasses(passes, len(all), func(i int) { f.learn(all[i]) })
}

// learn makes a step towards the answer of a question.
func (f *pairFit) learn(q *Question) {
	scores := make([]float64, len(q.Sentences))
	for i := range scores {
		scores[i] = dot(f.sentence, q.Sentences[i].Features) + affinity(f.weights, q, i)
	}
	slopes, nothing := q.slopes(scores, dot(f.nothing, q.Nothing))
	slope := make([]float64, len(f.sentence))
	for i, s := range slopes {
		for j, x := range q.Sentences[i].Features {
			slope[j] += s * x
		}
		if s < -least || s > least {
			f.step(q, i, s)
		}
	}
	climb(f.sentence, f.sentenceSlope, slope)
	slope = slope[:0]
	for _, x := range q.Nothing {
		slope = append(slope, nothing*x)
	}
	climb(f.nothing, f.nothingSlope, slope)
}

// step changes the weights of the pairs of a sentence.
func (f *pairFit) step(q *Question, sentence int, slope float64) {
	words := q.Sentences[sentence].Words
	share := float32(slope * pairs.Share(len(q.Question), len(words)))
	for _, a := range q.Question {
		for _, b := range words {
			if key := pairs.KeyOf(a, b); f.kept == nil || f.kept[key] {
				f.weights[key] += rate * (share - penalty*f.weights[key])
			}
		}
	}
}

// climb changes the weights of features.
func climb(weights, slopes, slope []float64) {
	for i := range weights {
		g := slope[i] - besidePenalty*weights[i]
		slopes[i] += g * g
		weights[i] += besideRate * g / (math.Sqrt(slopes[i]) + 1e-6)
	}
}

// affinity is that of pairs.Model, with weights that are not yet in steps.
func affinity(weights []float32, q *Question, sentence int) float64 {
	words, sum := q.Sentences[sentence].Words, float32(0)
	for _, a := range q.Question {
		for _, b := range words {
			sum += weights[pairs.KeyOf(a, b)]
		}
	}
	return float64(sum) * pairs.Share(len(q.Question), len(words))
}

func dot(weights, features []float64) float64 {
	sum := 0.0
	for i, w := range weights {
		sum += w * features[i]
	}
	return sum
}

// largest says which weights are among the largest, which are at most a number, and not 0.
func largest(weights []float32, most int) []bool {
	var sizes []float32
	for _, w := range weights {
		if w != 0 {
			sizes = append(sizes, max(w, -w))
		}
	}
	slices.Sort(sizes)
	from := float32(0)
	if len(sizes) > most {
		from = sizes[len(sizes)-most]
	}
	are := make([]bool, len(weights))
	for i, w := range weights {
		are[i] = w != 0 && max(w, -w) >= from
	}
	return are
}

// inSteps returns weights as the pairs of a model with their unit, and rounds the weights to it.
func inSteps(weights []float32) (all []pairs.Pair, step float32) {
	for _, w := range weights {
		step = max(step, w/math.MaxInt8, -w/math.MaxInt8)
	}
	for key, w := range weights {
		if w == 0 {
			continue
		}
		n := int8(math.Round(float64(w / step)))
		if weights[key] = float32(n) * step; n != 0 {
			all = append(all, pairs.Pair{Key: pairs.Key(key), Weight: n})
		}
	}
	return all, step
}

// judge notes what pairs say of the sentences.
func (q *Question) judge(weights []float32) {
	for i := range q.Sentences {
		a := affinity(weights, q, i)
		q.Sentences[i].Features[questions.ByPairs] = a
		q.Nothing[questions.NothingByPairs] = max(q.Nothing[questions.NothingByPairs], a)
	}
}
