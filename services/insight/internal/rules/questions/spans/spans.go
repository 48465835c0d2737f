// Package spans chooses the words of a sentence that are the value that a question asks for: "within ten
// days" of "The deposit is returned within ten days of your going". All runs of a few words are
// candidates. Weights, which are learned from questions with their values, say how probable each one is,
// and how probable it is that only the whole sentence answers.
//
// It is a conditional log-linear model, as extractive question answering uses it: the score of a
// candidate is the sum of the weights of features of its beginning, of its end, and of the whole of it
// (Rajpurkar and others, "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016).
package spans

import (
	"math"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
)

// Typed is a part of a sentence that rules recognize as a value.
type Typed struct {
	layout.Span
	// Type names what it is, such as a date.
	Type string
}

// Asked is a question with the sentence that answers it.
type Asked struct {
	// Text is the sentence, on one line.
	Text string
	// Kind names the kind of value that the question asks for, and Words are its words in lower case.
	Kind  string
	Words []string
	// Typed are the values in the sentence, and Vote is the one that a rule chooses, which is empty for
	// none.
	Typed []Typed
	Vote  layout.Span
}

// Candidate is a part of a sentence that may be the value.
type Candidate struct {
	layout.Span
	// First and Last are the indexes of its first and its last word.
	First, Last int
	// Whole are the features of the part as a whole.
	Whole []hashed.Key
}

// Choice is the choice between the candidates of a sentence.
type Choice struct {
	Candidates []Candidate
	// Begins are the features of a candidate that begins with each word, and Ends those of one that ends
	// with it.
	Begins, Ends [][]hashed.Key
	// Nothing are the features of the case that no candidate is the value.
	Nothing []hashed.Key
}

// Chances returns the probability that each candidate is the value, and that none is.
func (c *Choice) Chances(weight func(hashed.Key) float64) (each []float64, none float64) {
	sum := func(keys []hashed.Key) (s float64) {
		for _, k := range keys {
			s += weight(k)
		}
		return s
	}
	begins, ends := make([]float64, len(c.Begins)), make([]float64, len(c.Ends))
	for i := range begins {
		begins[i], ends[i] = sum(c.Begins[i]), sum(c.Ends[i])
	}
	none = sum(c.Nothing)
	top := none
	each = make([]float64, len(c.Candidates))
	for i, x := range c.Candidates {
		each[i] = begins[x.First] + ends[x.Last] + sum(x.Whole)
		top = max(top, each[i])
	}
	none = math.Exp(none - top)
	total := none
	for i := range each {
		each[i] = math.Exp(each[i] - top)
		total += each[i]
	}
	for i := range each {
		each[i] /= total
	}
	return each, none / total
}

// Best returns the most probable candidate, and the probability that the value is there: the sum of
// the probabilities of all candidates that share a word with it. "Thirty days" and "within thirty days" are
// the same answer. It returns false if there are no candidates.
func (c *Choice) Best(weight func(hashed.Key) float64) (best Candidate, chance float64, ok bool) {
	each, _ := c.Chances(weight)
	most := -1.0
	for i, x := range c.Candidates {
		if each[i] > most {
			best, most = x, each[i]
		}
	}
	for i, x := range c.Candidates {
		if x.First <= best.Last && x.Last >= best.First {
			chance += each[i]
		}
	}
	return best, chance, most >= 0
}
