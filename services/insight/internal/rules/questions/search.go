package questions

import (
	"cmp"
	"math"
	"slices"
)

// The parameters of Okapi BM25, as Robertson and Zaragoza give them in "The
// Probabilistic Relevance Framework" (2009).
const (
	saturation   = 1.2
	lengthWeight = 0.75
)

// search is a question while the sentences are looked for that share its words. What
// it takes for each sentence is little: there may be a million of them, and a
// hundred questions.
type search struct {
	questions *Questions
	// terms are the words of the question and of the context, in alphabetical order:
	// sums over them are in one order, or their last bits would differ between runs.
	terms []term
	// at is where each word is in terms.
	at map[string]int
	// asked is how many of the terms are of the question.
	asked int
}

// term is a word that is looked for.
type term struct {
	word string
	// share is what it counts: 1 for a word of the question.
	share float64
	// weight is how much it tells: its inverse document frequency.
	weight float64
}

// hit is a sentence that shares words with a question: covered is which part of it,
// by the weight of the words.
type hit struct {
	sentence       int
	score, covered float64
}

// search returns the words of a question with what each of them tells. There are
// none where the question has none that count.
func (q *Questions) search(question string) *search {
	s := &search{questions: q, at: map[string]int{}}
	shares := map[string]float64{}
	for _, t := range termsOf(question) {
		if len(shares) < maxTerms {
			shares[t] = 1
		}
	}
	if s.asked = len(shares); s.asked == 0 {
		return s
	}
	for _, t := range termsOf(q.context) {
		if shares[t] == 0 && len(shares) < 2*maxTerms {
			shares[t] = contextWeight
		}
	}
	for t, share := range shares {
		s.terms = append(s.terms, term{word: t, share: share})
	}
	slices.SortFunc(s.terms, func(a, b term) int { return cmp.Compare(a.word, b.word) })
	for i, t := range s.terms {
		s.at[t.word] = i
	}
	q.readWords()
	s.weigh()
	return s
}

// weigh gives each term its weight, by the number of sentences that have it.
func (s *search) weigh() {
	frequency, c := make([]float64, len(s.terms)), s.counts()
	for i := range s.questions.words {
		c.count(s, i)
		for _, t := range c.has {
			frequency[t]++
		}
	}
	n := float64(len(s.questions.words))
	for i, f := range frequency {
		s.terms[i].weight = math.Log(1 + (n-f+0.5)/(f+0.5))
	}
}

// counts are how often each term is in a sentence.
type counts struct {
	// own is in the sentence itself, all with the title of its section.
	own, all []float64
	// has are the terms that are there.
	has []int
}

func (s *search) counts() *counts {
	return &counts{own: make([]float64, len(s.terms)), all: make([]float64, len(s.terms))}
}

// count counts the terms of a sentence, instead of those that were counted before.
func (c *counts) count(s *search, sentence int) {
	for _, t := range c.has {
		c.own[t], c.all[t] = 0, 0
	}
	c.has = c.has[:0]
	add := func(words []string, own, all float64) {
		for _, w := range words {
			t, ok := s.at[w]
			if !ok {
				continue
			}
			if c.all[t] == 0 {
				c.has = append(c.has, t)
			}
			c.own[t] += own
			c.all[t] += all
		}
	}
	add(s.questions.words[sentence], 1, 1)
	add(s.questions.titles[sentence], 0, titleWeight)
	slices.Sort(c.has)
}

// rank returns the sentences that have enough of the question, the best first, up to
// the first one that has not: what is worse than that answers nothing.
func (s *search) rank() []hit {
	question := 0.0
	for _, t := range s.terms {
		if t.share == 1 {
			question += t.weight
		}
	}
	var hits []hit
	end, c := hit{score: -1}, s.counts()
	for i := range s.questions.words {
		if s.questions.silent[i] {
			continue
		}
		h, ok := s.hit(c, i, question)
		switch {
		case !ok:
		case h.covered >= minCovered:
			hits = append(hits, h)
		case better(h, end) < 0:
			end = h
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return better(h, end) > 0 })
	slices.SortFunc(hits, better)
	return hits
}

// hit scores a sentence. It reports false for one that has none of the terms itself.
func (s *search) hit(c *counts, sentence int, question float64) (hit, bool) {
	h, own := hit{sentence: sentence}, false
	c.count(s, sentence)
	length := 1 - lengthWeight + lengthWeight*float64(len(s.questions.words[sentence]))/s.questions.average
	for _, i := range c.has {
		t, n := s.terms[i], c.all[i]
		h.score += t.share * t.weight * n * (saturation + 1) / (n + saturation*length)
		if c.own[i] > 0 {
			own = true
			if t.share == 1 {
				h.covered += t.weight / question
			}
		}
	}
	return h, own
}

// better orders hits, the best first, and of equals the one that stands first.
func better(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), a.sentence-b.sentence)
}
