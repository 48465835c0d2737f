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

// search is the state of one keyword search. It must be cheap per sentence: there may
// be a million sentences and a hundred questions.
type search struct {
	questions *Questions
	// terms are the words of the question and the context, in alphabetical order. With a
	// fixed order of summation, the last bits of scores do not differ between runs.
	terms []term
	// at maps a word to its index in terms.
	at map[string]int
	// asked is the number of terms from the question.
	asked int
}

// term is a word to search for.
type term struct {
	word string
	// share is 1 for a word of the question, and contextWeight for one of the context.
	share float64
	// weight is the inverse document frequency.
	weight float64
}

// hit is a sentence that shares words with a question. covered is the fraction of the
// question that it contains, by weight of the words.
type hit struct {
	sentence       int
	score, covered float64
}

// search returns the terms of a question with their weights. There are none if the
// question has no significant words.
func (q *Questions) search(question string) *search {
	s := &search{questions: q, at: map[string]int{}}
	shares := map[string]float64{}
	for _, t := range q.terms(question) {
		if len(shares) < maxTerms {
			shares[t] = 1
		}
	}
	if s.asked = len(shares); s.asked == 0 {
		return s
	}
	for _, t := range q.terms(q.context) {
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

// weigh sets the weight of each term from the number of sentences that contain it.
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

// counts holds how often each term occurs in a sentence.
type counts struct {
	// own counts occurrences in the sentence itself. all also counts those in its section
	// title, at titleWeight.
	own, all []float64
	// has lists the terms that occur.
	has []int
}

func (s *search) counts() *counts {
	return &counts{own: make([]float64, len(s.terms)), all: make([]float64, len(s.terms))}
}

// count replaces the counts with those of a sentence.
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

// rank returns the sentences that cover enough of the question, best first. It stops
// before the first one that does not: worse ones do not answer the question.
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

// hit scores a sentence. It returns false if the sentence itself contains none of the
// terms.
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

// better orders hits by descending score, then by position in the text.
func better(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), a.sentence-b.sentence)
}
