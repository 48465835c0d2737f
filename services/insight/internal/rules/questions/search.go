package questions

import (
	"cmp"
	"math"
	"slices"

	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// The parameters of Okapi BM25, as Robertson and Zaragoza give them in "The
// Probabilistic Relevance Framework" (2009).
const (
	saturation   = 1.2
	lengthWeight = 0.75
)

// How much an occurrence counts of a word with the same root as a word of the question, and
// of one that means about the same.
const (
	rootWorth    = 0.9
	synonymWorth = 0.6
)

// maxRoot is the length of the beginning that words with the same root share, in bytes:
// "disclosure" and "disclosing".
const maxRoot = 6

// search is the state of one keyword search. It must be cheap per sentence: there may
// be a million sentences and a hundred questions.
type search struct {
	questions *Questions
	// terms are the words of the question and the context, in alphabetical order. With a
	// fixed order of summation, the last bits of scores do not differ between runs.
	terms []term
	// at lists the terms that each word of the document matches, by its index in the
	// vocabulary.
	at [][]match
	// asked is the number of terms from the question, and question their weight.
	asked    int
	question float64
}

// term is a word to search for.
type term struct {
	word string
	// share is 1 for a word of the question, and contextWeight for one of the context.
	share float64
	// weight is the inverse document frequency.
	weight float64
}

// match is a term that a word matches. worth is 1 for the same word, and less for a similar
// one.
type match struct {
	term  int
	worth float64
}

// hit is a sentence that shares words with a question. own is the fraction of the question,
// by weight of its words, that it contains, and covered the fraction that is in its words,
// its section title or its introduction, or in words that mean about the same.
type hit struct {
	sentence            int
	score, own, covered float64
}

// search returns the terms of a question with their weights. There are none if the
// question has no significant words.
func (q *Questions) search(question string) *search {
	s := &search{questions: q}
	shares := map[string]float64{}
	for _, t := range vocabulary.TermsBesideRoles(question) {
		if len(shares) < maxTerms {
			shares[t] = 1
		}
	}
	if s.asked = len(shares); s.asked == 0 {
		return s
	}
	for _, t := range vocabulary.TermsBesideRoles(q.context) {
		if shares[t] == 0 && len(shares) < 2*maxTerms {
			shares[t] = contextWeight
		}
	}
	for t, share := range shares {
		s.terms = append(s.terms, term{word: t, share: share})
	}
	slices.SortFunc(s.terms, func(a, b term) int { return cmp.Compare(a.word, b.word) })
	q.readWords()
	s.match()
	s.weigh(asked(passage.Lower(question)))
	return s
}

// match finds the terms that each word of the document matches: the same word, one with the
// same root, or one that means about the same.
func (s *search) match() {
	same, roots, similar := map[string][]match{}, map[string][]match{}, map[string][]match{}
	for i, t := range s.terms {
		same[t.word] = append(same[t.word], match{i, 1})
		roots[rootOf(t.word)] = append(roots[rootOf(t.word)], match{i, rootWorth})
		if t.share < 1 {
			continue
		}
		for _, w := range vocabulary.Synonyms(t.word) {
			similar[w] = append(similar[w], match{i, synonymWorth})
		}
	}
	s.at = make([][]match, len(s.questions.vocabulary))
	for id, w := range s.questions.vocabulary {
		for _, m := range slices.Concat(same[w], roots[rootOf(w)], similar[w]) {
			if !slices.ContainsFunc(s.at[id], func(x match) bool { return x.term == m.term }) {
				s.at[id] = append(s.at[id], m)
			}
		}
	}
}

// rootOf returns the root of a word, which is the word itself if it is short.
func rootOf(word string) string { return word[:min(len(word), maxRoot)] }

// weigh sets the weight of each term from the number of sentences that contain its root. In
// a question, the words that only phrase it weigh less.
func (s *search) weigh(asks bool) {
	frequency, c := make([]float64, len(s.terms)), s.counts()
	for _, words := range s.questions.words {
		c.reset()
		c.add(s, words)
		for _, t := range c.has {
			if c.rooted[t] {
				frequency[t]++
			}
		}
	}
	n := float64(len(s.questions.words))
	for i, f := range frequency {
		s.terms[i].weight = math.Log(1 + (n-f+0.5)/(f+0.5))
		if asks && generic[s.terms[i].word] {
			s.terms[i].weight *= genericWeight
		}
		if s.terms[i].share == 1 {
			s.question += s.terms[i].weight
		}
	}
}

// counts holds how often each term occurs in a text.
type counts struct {
	// all sums what the occurrences count. own reports that the word itself occurs, and
	// rooted that one with its root does.
	all         []float64
	own, rooted []bool
	// has lists the terms that occur.
	has []int
}

func (s *search) counts() *counts {
	return &counts{all: make([]float64, len(s.terms)), own: make([]bool, len(s.terms)), rooted: make([]bool, len(s.terms))}
}

func (c *counts) reset() {
	for _, t := range c.has {
		c.all[t], c.own[t], c.rooted[t] = 0, false, false
	}
	c.has = c.has[:0]
}

// add counts the terms in the words of a text.
func (c *counts) add(s *search, words []word) {
	for _, w := range words {
		for _, m := range s.at[w] {
			if c.all[m.term] == 0 {
				c.has = append(c.has, m.term)
			}
			c.all[m.term] += m.worth
			c.own[m.term] = c.own[m.term] || m.worth == 1
			c.rooted[m.term] = c.rooted[m.term] || m.worth >= rootWorth
		}
	}
}

// finder scores the sentences of a search.
type finder struct {
	*search
	// words, title and lead count the terms in a sentence, its section title and its
	// introduction.
	words, title, lead *counts
}

func (s *search) finder() *finder { return &finder{s, s.counts(), s.counts(), s.counts()} }

// hit scores a sentence. It returns false if neither the sentence nor its title contains
// any of the terms.
func (f *finder) hit(sentence int) (hit, bool) {
	if !f.read(sentence) {
		return hit{}, false
	}
	h, q := hit{sentence: sentence}, f.questions
	length := 1 - lengthWeight + lengthWeight*float64(len(q.words[sentence]))/q.average
	for i, t := range f.terms {
		n := f.words.all[i]
		if f.title.own[i] {
			n += titleWeight
		}
		h.score += t.share * t.weight * n * (saturation + 1) / (n + saturation*length)
		if t.share < 1 {
			continue
		}
		if f.words.own[i] {
			h.own += t.weight / f.question
		}
		if n > 0 || f.title.all[i] > 0 || f.lead.all[i] > 0 {
			h.covered += t.weight / f.question
		}
	}
	return h, true
}

// read counts the terms in a sentence and its surroundings. It returns false if neither the
// sentence nor its title contains any.
func (f *finder) read(sentence int) bool {
	q := f.questions
	f.words.reset()
	f.title.reset()
	f.lead.reset()
	f.words.add(f.search, q.words[sentence])
	f.title.add(f.search, q.titles[sentence])
	if lead := q.leads[sentence]; lead >= 0 {
		f.lead.add(f.search, q.words[lead])
	}
	return len(f.words.has) > 0 || len(f.title.has) > 0
}

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
