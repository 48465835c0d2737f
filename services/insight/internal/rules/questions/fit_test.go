package questions

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// contractsFile has the contracts with questions to which the weights are fitted.
const contractsFile = "../../../../../tests/bench/written/terms-fit.jsonl"

// sample is a question with its candidates.
type sample struct {
	document   int
	candidates []candidate
	none       nothing
	// right says which candidates answer the question. answered means that the document has an
	// answer.
	right    []bool
	answered bool
}

// TestFit fits the weights, and prints them with how well they do on contracts that they were
// not fitted to. That is too good a figure for new contracts, because the words in everyday were
// chosen with these questions in view. It runs only if QUESTIONS_FIT is set.
func TestFit(t *testing.T) {
	if os.Getenv("QUESTIONS_FIT") == "" {
		t.Skip("QUESTIONS_FIT is not set")
	}
	all := samples(t)
	const folds = 10
	found, right, due, silent, free := 0.0, 0.0, 0.0, 0.0, 0.0
	for fold := range folds {
		var fitted, others []sample
		for _, s := range all {
			if s.document%folds == fold {
				others = append(others, s)
			} else {
				fitted = append(fitted, s)
			}
		}
		w, v := fit(fitted)
		for _, s := range others {
			answers, is := s.first(w, v)
			found, right = found+one(answers), right+one(is)
			due, free, silent = due+one(s.answered), free+one(!s.answered), silent+one(!s.answered && !answers)
		}
	}
	t.Logf("first answers: precision %.3f, recall %.3f; without answer: %.3f silent", right/found, right/due, silent/free)
	w, v := fit(all)
	t.Logf("features %.3f\nnothing %.3f", w, v)
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// samples returns the questions about the contracts.
func samples(t *testing.T) []sample {
	f, err := os.Open(contractsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	var all []sample
	for document := 0; lines.Scan(); document++ {
		var w struct {
			Text      string
			Questions []struct {
				Question string
				Quote    *string
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		q := New(structure.Read(&layout.Document{Text: w.Text}), "")
		for _, x := range w.Questions {
			gold := layout.Span{}
			if x.Quote != nil {
				gold.Start = strings.Index(w.Text, *x.Quote)
				gold.End = gold.Start + len(*x.Quote)
			}
			all = append(all, q.sample(document, x.Question, gold))
		}
	}
	return all
}

// sample returns a question whose answer is gold, which is empty if there is none.
func (q *Questions) sample(document int, question string, gold layout.Span) sample {
	a := readQuestion(question)
	k := q.known(question, &a)
	a.kind = plainKind(a.text)
	n := q.inquire(question, &a)
	n.consider(k.found)
	s := sample{document: document, candidates: n.compared(), answered: gold.Len() > 0}
	s.none = n.none(s.candidates)
	for _, c := range s.candidates {
		s.right = append(s.right, s.answered && q.doc.Sentences[c.sentence].Overlaps(gold))
	}
	return s
}

// odds returns the probability of each candidate, and that of none.
func (s *sample) odds(w features, v nothing) ([]float64, float64) {
	none := math.Exp(v.times(s.none))
	all, sum := make([]float64, len(s.candidates)), none
	for i, c := range s.candidates {
		all[i] = math.Exp(w.times(c.features))
		sum += all[i]
	}
	for i := range all {
		all[i] /= sum
	}
	return all, none / sum
}

// first reports whether there is an answer, and whether the first one is right.
func (s *sample) first(w features, v nothing) (answers, right bool) {
	most := leastOdds
	all, _ := s.odds(w, v)
	for i, p := range all {
		if p >= most {
			most, answers, right = p, true, s.right[i]
		}
	}
	return answers, right
}

// The parameters of the fit: gradient ascent with Adam, as Kingma and Ba give it, and a penalty
// for large weights.
const (
	steps   = 400
	rate    = 0.05
	penalty = 0.003
)

// fit returns the weights that make the right candidates most probable, and none of them if
// there is no answer. It leaves out questions whose answer is not among the candidates.
func fit(all []sample) (w features, v nothing) {
	var weights, mean, spread [nFeatures + nNothing]float64
	for step := 1.0; step <= steps; step++ {
		slope := slopeOf(all, w, v)
		for i, g := range slope {
			g -= penalty * weights[i]
			mean[i] = 0.9*mean[i] + 0.1*g
			spread[i] = 0.99*spread[i] + 0.01*g*g
			weights[i] += rate * mean[i] / (1 - math.Pow(0.9, step)) / (math.Sqrt(spread[i]/(1-math.Pow(0.99, step))) + 1e-8)
		}
		copy(w[:], weights[:nFeatures])
		copy(v[:], weights[nFeatures:])
	}
	return w, v
}

// slopeOf returns the mean gradient of the logarithm of the probability of what is right.
func slopeOf(all []sample, w features, v nothing) (slope [nFeatures + nNothing]float64) {
	used := 0.0
	for _, s := range all {
		odds, none := s.odds(w, v)
		own := 0.0
		for i, p := range odds {
			own += p * one(s.right[i])
		}
		if s.answered && own == 0 {
			continue
		}
		used++
		for i, c := range s.candidates {
			d := -odds[i]
			if s.right[i] {
				d += odds[i] / own
			}
			for j, x := range c.features {
				slope[j] += d * x
			}
		}
		for j, x := range s.none {
			slope[nFeatures+j] += (one(!s.answered) - none) * x
		}
	}
	for i := range slope {
		slope[i] /= used
	}
	return slope
}
