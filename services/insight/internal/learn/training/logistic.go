package training

import "math"

// problem is a set of examples for one decision.
type problem struct {
	// rows holds the features of each example, by index, and values the value of each
	// feature.
	rows   [][]int32
	values [][]float32
	labels []bool
	// costs holds how much an error costs: the inverse of the L2 penalty.
	costs []float64
}

// random is a generator of pseudo-random numbers (xorshift64*): the same on every machine.
type random uint64

func (r *random) intn(n int) int {
	x := uint64(*r)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*r = random(x)
	return int((x * 0x2545F4914F6CDD1D >> 33) % uint64(n))
}

// fit returns the weights of the logistic regression with L2 penalty, by dual coordinate
// descent (Yu, Huang and Lin, 2011). Every step is in a fixed order, so the result is the
// same bytes each time.
func (p *problem) fit(features, rounds int) []float32 {
	w := make([]float32, features)
	n := len(p.rows)
	alpha, other, norm, order := make([]float64, n), make([]float64, n), make([]float64, n), make([]int, n)
	for i := range n {
		order[i] = i
		alpha[i] = min(0.001*p.costs[i], 1e-8)
		other[i] = p.costs[i] - alpha[i]
		for _, v := range p.values[i] {
			norm[i] += float64(v * v)
		}
		p.move(w, i, alpha[i])
	}
	seed := random(0x9E3779B97F4A7C15)
	inner := 1e-2
	for range rounds {
		for i := n - 1; i > 0; i-- {
			j := seed.intn(i + 1)
			order[i], order[j] = order[j], order[i]
		}
		worst, steps := 0.0, 0
		for _, i := range order {
			gap, moved := p.step(w, i, &alpha[i], &other[i], norm[i], inner)
			worst, steps = max(worst, gap), steps+moved
		}
		if worst < 0.05 {
			break
		}
		if steps <= n/10 {
			inner = max(1e-8, 0.1*inner)
		}
	}
	return w
}

// move adds an example to the weights, in the direction of its label.
func (p *problem) move(w []float32, i int, by float64) {
	if !p.labels[i] {
		by = -by
	}
	step := float32(by)
	values := p.values[i]
	for k, f := range p.rows[i] {
		w[f] += float32(step * values[k])
	}
}

// step solves the problem of one example. It returns how far the example was from its
// optimum, and 1 if the weights moved.
func (p *problem) step(w []float32, i int, alpha, other *float64, norm, inner float64) (float64, int) {
	dot := float32(0)
	values := p.values[i]
	for k, f := range p.rows[i] {
		dot += float32(w[f] * values[k])
	}
	b := float64(dot)
	if !p.labels[i] {
		b = -b
	}
	cost, first, second, sign := p.costs[i], alpha, other, 1.0
	if 0.5*norm*(*other-*alpha)+b < 0 {
		first, second, sign = other, alpha, -1
	}
	old := *first
	z := old
	if cost-z < 0.5*cost {
		z *= 0.1
	}
	slope := func() float64 { return norm*(z-old) + sign*b + math.Log(z/(cost-z)) }
	gp := slope()
	gap, tries := math.Abs(gp), 0
	for ; tries < 100 && math.Abs(gp) >= inner; tries++ {
		if next := z - gp/(norm+cost/(cost-z)/z); next <= 0 {
			z *= 0.1
		} else {
			z = next
		}
		gp = slope()
	}
	if tries == 0 {
		return gap, 0
	}
	*first, *second = z, cost-z
	p.move(w, i, sign*(z-old))
	return gap, 1
}

// add adds an example.
func (p *problem) add(features []int32, values []float32, label bool, cost float64) {
	p.rows, p.values = append(p.rows, features), append(p.values, values)
	p.labels, p.costs = append(p.labels, label), append(p.costs, cost)
}
