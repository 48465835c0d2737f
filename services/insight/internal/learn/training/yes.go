package training

import (
	"math"

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

// mostYes is the maximum number of weights for yes and no.
const mostYes = 8400

// yesAscent is the ascent of the logistic regression for yes and no, and yesPasses how often it sees each question.
var (
	yesAscent = ascent{rate: 0.05, damping: 0.3, penalty: 1e-3}
	yesPasses = 6
)

// fitYes fits the weights for yes to the questions of the other folds, and returns them by their keys. The strongest
// weights are fitted again, without the others.
func fitYes(all []yesOrNo, fold int) []float32 {
	first := yesAscent.start(nil)
	first.fitYes(all, fold)
	again := yesAscent.start(largest(first.weights, mostYes))
	again.fitYes(all, fold)
	return again.weights
}

// fitYes learns from the questions of other folds.
func (a *ascent) fitYes(all []yesOrNo, fold int) {
	inPasses(yesPasses, len(all), func(i int) {
		if all[i].fold != fold {
			all[i].learn(a)
		}
	})
}

// learn makes a step towards the answer.
func (q *yesOrNo) learn(a *ascent) {
	sum := 0.0
	for _, f := range q.features {
		sum += float64(a.weights[pairs.KeyOfOne(f)])
	}
	slope := -1 / (1 + math.Exp(-sum))
	if q.yes {
		slope++
	}
	for _, f := range q.features {
		a.step(pairs.KeyOfOne(f), slope)
	}
}
