package tinymodel

import (
	"hash/fnv"
	"math/rand/v2"
)

// tensor is a matrix of 32-bit numbers, row by row. A vector has no rows.
type tensor struct {
	name          string
	columns, rows int
	values        []float32
}

// seed was chosen among the first ones: with it, models say several phrases, and nonsense
// about as often.
const seed = 6

// matrix returns a matrix of normally distributed numbers, which depend on its name alone:
// more rows change none of the first ones.
func matrix(name string, columns, rows int, deviation float64) tensor {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // never fails
	random := rand.New(rand.NewPCG(seed, hash.Sum64()))
	t := tensor{name: name, columns: columns, rows: rows, values: make([]float32, columns*rows)}
	for i := range t.values {
		t.values[i] = float32(random.NormFloat64() * deviation)
	}
	return t
}

// ones returns a vector of ones, as long as the state of a token.
func ones(name string) tensor {
	t := tensor{name: name, columns: width, values: make([]float32, width)}
	for i := range t.values {
		t.values[i] = 1
	}
	return t
}

// row returns a row of a matrix.
func (t tensor) row(n int) []float32 { return t.values[n*t.columns:][:t.columns] }

// dot returns the scalar product of vectors.
func dot(a, b []float32) float32 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// add adds a multiple of the vector v to the vector to.
func add(to []float32, factor float32, v []float32) {
	for i, x := range v {
		to[i] += factor * x
	}
}
