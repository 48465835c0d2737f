package training

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/rectohq/recto/services/insight/internal/learn"
)

// parameters are those of a fit. They were chosen by folds over companies.
type parameters struct {
	scheme learn.Scheme
	// cost is the inverse of the L2 penalty, and positive how much more a missed passage
	// costs than a false one.
	cost, positive float64
	// elsewhere is how much less a false passage costs in a document that has the kind:
	// people often mark one passage of several, and whether there is any is right anyway.
	elsewhere float64
	// annotated means that annotated documents alone calibrate the decisions and choose between
	// weights and rules. Written ones have more kinds in fewer sentences.
	annotated bool
	// sampled is the share of the sentences without any label or vote that are used: one
	// in so many. Each counts for all of them.
	sampled int
	// most is the number of weights of a decision.
	most int
}

// forClauses are the parameters for kinds of clauses.
var forClauses = parameters{scheme: learn.Shared, cost: 2, positive: 2, elsewhere: 0.3, annotated: true, sampled: 4, most: 9000}

// forWritten are the parameters for kinds of clauses in written contracts. Their labels are
// complete, so that a false passage always counts.
var forWritten = parameters{scheme: learn.Shared, cost: 2, positive: 2, elsewhere: 1, sampled: 1, most: 7000}

// rounds is the number of passes over the examples.
const rounds = 15

// decision fits one decision on the documents that are not in the folds without.
func (s *set) decision(k int, without []int) (learn.Decision, []learn.Weight) {
	var p problem
	for i := range s.examples {
		x := &s.examples[i]
		if s.known[x.document]>>k&1 == 0 || slices.Contains(without, s.documents[x.document].Fold) {
			continue
		}
		is, c := x.is>>k&1 == 1, s.cost
		if !is && s.documents[x.document].Has[s.kinds[k].Name] {
			c *= s.elsewhere
		}
		switch {
		case is:
			c *= s.positive
		case x.touches>>k&1 == 1:
			continue // less than a half: neither
		case x.is == 0 && x.votes == 0:
			if i*7919%s.sampled != 0 {
				continue
			}
			c *= float64(s.sampled)
		}
		p.add(x.features, x.values, is, c)
	}
	return s.pruned(k, p.fit(len(s.keys), rounds))
}

// pruned keeps the strongest weights, in 8 bits.
func (s *set) pruned(k int, fitted []float32) (learn.Decision, []learn.Weight) {
	d := learn.Decision{Kind: s.kinds[k].Name, Votes: s.kinds[k].Votes, Bias: fitted[0]}
	order := make([]int, 0, len(fitted))
	strength := func(i int) float64 { return math.Abs(float64(fitted[i]) * s.rarity[i]) }
	for i := 1; i < len(fitted); i++ {
		if fitted[i] != 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		switch x, y := strength(a), strength(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return a - b
	})
	order = order[:min(len(order), s.most)]
	if len(order) == 0 {
		return d, nil
	}
	// The strongest weight gets the largest number.
	largest := strength(order[0])
	d.Scale = float32(largest / math.MaxInt8)
	var weights []learn.Weight
	for _, i := range order {
		value := math.Round(float64(fitted[i]) * s.rarity[i] / float64(d.Scale))
		if value != 0 {
			weights = append(weights, learn.Weight{Key: s.keys[i], Decision: uint8(k), Value: int8(max(-math.MaxInt8, min(value, math.MaxInt8)))})
		}
	}
	return d, weights
}

// model fits all decisions on the documents that are not in the folds without.
func (s *set) model(without ...int) (decisions []learn.Decision, weights []learn.Weight) {
	decisions = make([]learn.Decision, len(s.kinds))
	parts := make([][]learn.Weight, len(s.kinds))
	inParallel(len(s.kinds), func(k int) { decisions[k], parts[k] = s.decision(k, without) })
	return decisions, slices.Concat(parts...)
}

// inParallel calls each for the numbers below n, as many at once as there are processors.
func inParallel(n int, each func(i int)) {
	var wait sync.WaitGroup
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		turns <- struct{}{}
		wait.Go(func() {
			each(i)
			<-turns
		})
	}
	wait.Wait()
}
