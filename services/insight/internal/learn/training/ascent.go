package training

import (
	"math"
	"math/rand/v2"

	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
)

// ascent is stochastic gradient ascent on weights by their keys. The steps of a weight become shorter with its
// gradients, as in "Adaptive Subgradient Methods" (Duchi and others, 2011), so that weights of rare features are
// learned from few examples.
type ascent struct {
	// rate is the length of the steps, damping what is added to the root of the sum of the squares of the
	// gradients, and penalty that for large weights.
	rate, damping, penalty float32

	weights, squares []float32
	// kept says which keys have a weight, nil for all.
	kept []bool
}

// start returns an ascent with the same parameters that begins without weights.
func (a *ascent) start(kept []bool) *ascent {
	return &ascent{a.rate, a.damping, a.penalty, make([]float32, 1<<hashed.KeyBits), make([]float32, 1<<hashed.KeyBits), kept}
}

// inPasses makes passes over n examples, each in another order.
func inPasses(times, n int, learn func(i int)) {
	random := rand.New(rand.NewPCG(1, 2))
	for range times {
		for _, i := range random.Perm(n) {
			learn(i)
		}
	}
}

// step changes a weight, given by how much the score with it should grow.
func (a *ascent) step(k hashed.Key, slope float64) {
	if a.kept != nil && !a.kept[k] {
		return
	}
	g := float32(slope) - a.penalty*a.weights[k]
	a.squares[k] += g * g
	a.weights[k] += a.rate * g / (a.damping + float32(math.Sqrt(float64(a.squares[k]))))
}
