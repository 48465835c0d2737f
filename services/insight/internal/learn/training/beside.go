package training

import "math"

// learnable returns the learnable questions of the other folds.
func learnable(all []Question, fold int) []*Question {
	var list []*Question
	for i := range all {
		if all[i].Fold != fold && all[i].learnable() && len(all[i].Sentences) > 0 {
			list = append(list, &all[i])
		}
	}
	return list
}

// The parameters of the fit of the other features: gradient ascent with Adam, as Kingma and Ba give
// it (2014).
const (
	steps, adamRate   = 200, 0.05
	meanKept, varKept = 0.9, 0.99
)

// fitBeside fits the weights of the features of sentences, among them their affinity, and of those
// that no sentence answers.
func fitBeside(all []*Question) (sentence, nothing []float32) {
	n := len(all[0].Sentences[0].Features)
	weights := make([]float64, n+len(all[0].Nothing))
	mean, spread := make([]float64, len(weights)), make([]float64, len(weights))
	for step := 1.0; step <= steps; step++ {
		slope := make([]float64, len(weights))
		for _, q := range all {
			q.addSlope(slope, weights[:n], weights[n:])
		}
		for i, g := range slope {
			g = g/float64(len(all)) - besidePenalty*weights[i]
			mean[i] = meanKept*mean[i] + (1-meanKept)*g
			spread[i] = varKept*spread[i] + (1-varKept)*g*g
			weights[i] += adamRate * mean[i] / (1 - math.Pow(meanKept, step)) / (math.Sqrt(spread[i]/(1-math.Pow(varKept, step))) + 1e-8)
		}
	}
	return narrow(weights[:n]), narrow(weights[n:])
}

// narrow returns numbers as they are in a file.
func narrow(all []float64) []float32 {
	list := make([]float32, len(all))
	for i, x := range all {
		list[i] = float32(x)
	}
	return list
}

// addSlope adds the slopes of the weights for a question.
func (q *Question) addSlope(slope, sentence, nothing []float64) {
	scores := make([]float64, len(q.Sentences))
	for i := range scores {
		scores[i] = dot(sentence, q.Sentences[i].Features)
	}
	slopes, none := q.slopes(scores, dot(nothing, q.Nothing))
	for i, s := range slopes {
		if s > -1e-6 && s < 1e-6 {
			continue
		}
		for j, x := range q.Sentences[i].Features {
			slope[j] += s * x
		}
	}
	for j, x := range q.Nothing {
		slope[len(sentence)+j] += none * x
	}
}
