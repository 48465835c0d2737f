package excerpt

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// The parameters of the retrieval. They were tuned on annotated contracts as a whole, and
// neighbouring values do about as well.
const (
	// beginning is the fraction of the size that is for the beginning of the document, as
	// its divisor: the title and the parties. minBeginning is its minimum in bytes.
	beginning, minBeginning = 16, 400
	// near and nearer are the fractions of the scores of the second next and the next
	// passages on either side that are added to a score: what answers a question may be
	// next to the words of the question.
	near, nearer = 0.25, 0.5
	// defining is the fraction of the best score that is added to the score of the passage
	// that defines a term, if the question or one of the best passages has the term.
	// bestPassages is their number.
	defining, bestPassages = 0.2, 6
	// cheap is the fraction of the size, as its divisor, up to which the definition of a
	// term of the question is always sent.
	cheap = 16
	// maxLead is the maximum number of passages between an item and the passage that leads
	// to its list.
	maxLead = 40
	// maxTerms is the maximum number of definitions that are considered.
	maxTerms = 2000
)

// Relevant returns the passages of the document that matter most for a question, of at most
// size bytes with the gaps: those that share or suit its words, by the ranking of q, with the
// passages around them, the beginnings of their lists and the definitions of their terms.
// The beginning of the document is always there. If the document fits, Relevant returns all
// of it, and if no passage suits the question, its beginning. A size of less than 256 counts
// as 256. Like q, it is not safe for concurrent use.
func Relevant(d *structure.Document, q *rules.Questions, question string, size int) Part {
	size = max(size, minSize)
	if len(d.Text) <= size {
		return Part{[]layout.Span{{End: len(d.Text)}}}
	}
	all := q.Rank(question)
	s := newSelection(d, all, size)
	s.begin(min(max(size/beginning, minBeginning), size))
	if !slices.ContainsFunc(all, func(p rules.Passage) bool { return p.Score > 0 }) {
		return Parts(d, size, 0)[0]
	}
	define(d, all, question, func(i int) { s.takeCheap(i, size/cheap) })
	for _, i := range s.order(withNeighbours(all)) {
		if s.take(i) {
			s.take(s.lead(i))
		}
	}
	if p := s.part(); len(p.Spans) > 0 {
		return p
	}
	return Parts(d, size, 0)[0]
}

// define adds to the scores of the passages that define terms of the question, in any case,
// or of the best passages. It calls asked for the former.
func define(d *structure.Document, all []rules.Passage, question string, asked func(passage int)) {
	question = strings.ToLower(question)
	best := bestOf(all)
	most := all[best[0]].Score
	var said strings.Builder
	for _, i := range best {
		said.WriteString(d.Quote(all[i].Span) + "\n")
	}
	text := said.String()
	for _, def := range d.Definitions[:min(len(d.Definitions), maxTerms)] {
		i := sort.Search(len(all), func(i int) bool { return all[i].End > def.TermSpan.Start })
		inQuestion := strings.Contains(question, strings.ToLower(def.Term))
		if i == len(all) || !inQuestion && !strings.Contains(text, def.Term) {
			continue
		}
		all[i].Score += defining * most
		if inQuestion {
			asked(i)
		}
	}
}

// bestOf returns the few best passages that have a score, best first.
func bestOf(all []rules.Passage) []int {
	best := make([]int, 0, bestPassages+1)
	for i, p := range all {
		if p.Score == 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, i, func(a, b int) int { return cmp.Or(cmp.Compare(all[b].Score, all[a].Score), a-b) })
		best = slices.Insert(best, at, i)
		best = best[:min(len(best), bestPassages)]
	}
	return best
}

// withNeighbours returns the scores of the passages, each with a share of the scores of the
// passages around it.
func withNeighbours(all []rules.Passage) []float64 {
	out := make([]float64, len(all))
	add := func(i int, score float64) {
		if i >= 0 && i < len(out) {
			out[i] += score
		}
	}
	for i, p := range all {
		add(i, p.Score)
		add(i-1, nearer*p.Score)
		add(i+1, nearer*p.Score)
		add(i-2, near*p.Score)
		add(i+2, near*p.Score)
	}
	return out
}

// order returns the passages with a score, best first.
func (s *selection) order(scores []float64) []int {
	var order []int
	for i, score := range scores {
		if score > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), a-b) })
	return order
}
