package questions

import (
	"cmp"
	"math"
	"slices"
)

// The coefficients of the logistic regression that gives the probability that a sentence
// answers a question. They were fitted to the statements and passages of ContractNLI, and
// measured on agreements and statements that the fit had not seen. They weigh how much of
// the question a sentence has, not which words.
const (
	intercept     = -6.1
	ownWeight     = 3.4
	coveredWeight = 1.9
	// scoreWeight is for the score relative to the best in the document.
	scoreWeight = 2.9
)

// Limits for answers that are found by words.
const (
	// minProbability is the minimum probability of an answer.
	minProbability = 0.2
	// minRelative is the minimum probability of further answers, as a fraction of the
	// best.
	minRelative = 0.6
)

// answer is a sentence that may answer a question, with the probability that it does.
type answer struct {
	sentence    int
	probability float64
}

// rank returns the sentences that may answer the question, best first.
func (s *search) rank() []answer {
	var hits []hit
	best, f, least := 0.0, s.finder(), minCovered
	if s.asked < fewWords {
		least = minCoveredFew
	}
	for i := range s.questions.words {
		if s.questions.silent[i] {
			continue
		}
		h, ok := f.hit(i)
		best = max(best, h.score)
		if ok && h.covered >= least && len(f.words.has) > 0 {
			hits = append(hits, h)
		}
	}
	var all []answer
	for _, h := range hits {
		z := intercept + ownWeight*h.own + coveredWeight*h.covered + scoreWeight*h.score/best
		if p := 1 / (1 + math.Exp(-z)); p >= minProbability {
			all = append(all, answer{h.sentence, p})
		}
	}
	slices.SortFunc(all, func(a, b answer) int {
		return cmp.Or(cmp.Compare(b.probability, a.probability), a.sentence-b.sentence)
	})
	return all
}
