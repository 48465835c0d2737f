package training

import (
	"math"
	"math/rand/v2"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
)

// yesOrNo is a yes-or-no question with the sentence that answers it.
type yesOrNo struct {
	features []pairs.Feature
	yes      bool
	fold     int
}

// yesOrNo returns the yes-or-no questions about a contract that have such an answer.
func (a *Asked) yesOrNo() (all []yesOrNo) {
	for _, x := range a.Questions {
		if x.Value == nil || *x.Value != "Yes" && *x.Value != "No" {
			continue
		}
		for i, s := range a.document.Sentences {
			if !s.Overlaps(a.answer(x)) {
				continue
			}
			if features, asks := a.questions.YesOrNo(x.Question, i); asks {
				all = append(all, yesOrNo{features, *x.Value == "Yes", a.fold})
			}
			break
		}
	}
	return all
}

// The parameters of the logistic regression for yes and no: stochastic gradient ascent in passes over the
// questions, with a penalty for large weights, and the maximum number of weights.
const (
	yesPasses, yesRate, yesPenalty = 8, 0.5, 5e-4
	mostYes                        = 8400
)

// fitYes fits the weights for yes to the questions of the other folds, and returns them by their keys.
func fitYes(all []yesOrNo, fold int) []float32 {
	weights, random := make([]float32, 1<<hashed.KeyBits), rand.New(rand.NewPCG(1, 2))
	for range yesPasses {
		for _, i := range random.Perm(len(all)) {
			if all[i].fold != fold {
				all[i].learn(weights)
			}
		}
	}
	for key, kept := range largest(weights, mostYes) {
		if !kept {
			weights[key] = 0
		}
	}
	return weights
}

// learn changes the weights by a step towards the answer.
func (q *yesOrNo) learn(weights []float32) {
	share, sum := pairs.Share(1, len(q.features)), 0.0
	for _, f := range q.features {
		sum += float64(weights[pairs.KeyOfOne(f)])
	}
	slope := -1 / (1 + math.Exp(-sum*share))
	if q.yes {
		slope++
	}
	for _, f := range q.features {
		w := &weights[pairs.KeyOfOne(f)]
		*w += yesRate * (float32(slope*share) - yesPenalty**w)
	}
}
