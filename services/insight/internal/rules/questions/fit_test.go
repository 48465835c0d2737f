package questions

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// contractsFiles have the contracts with questions to which the weights are fitted.
var contractsFiles = []string{"terms-fit.jsonl", "clauses-fit.jsonl", "usual-fit.jsonl"}

// sample is a question with its candidates.
type sample struct {
	candidates []candidate
	none       nothing
	// right says which candidates answer the question. answered means that the document has an
	// answer.
	right    []bool
	answered bool
	// odds is the probability of the best candidate, and hit says whether that is right.
	odds float64
	hit  bool
}

// TestFit fits the weights again, and compares them with those in use. It prints how well weights
// do on the contracts of writers that they were not fitted to. That is too good a figure for new
// contracts, because the everyday words were chosen with some of these questions in view.
func TestFit(t *testing.T) {
	byWriter := samples(t)
	writers := slices.Sorted(maps.Keys(byWriter))
	var all, others []sample
	for _, writer := range writers {
		var fitted []sample
		for _, other := range writers {
			if other != writer {
				fitted = append(fitted, byWriter[other]...)
			}
		}
		w, v := fit(fitted)
		for _, s := range byWriter[writer] {
			s.judge(w, v)
			others = append(others, s)
		}
		all = append(all, byWriter[writer]...)
	}
	for least := 0.2; least < 0.6; least += 0.025 {
		t.Logf("at least %.3f: %v", least, scoreOf(others, least))
	}
	for from := 0.2; from < 1; from += 0.1 {
		t.Logf("odds from %.1f: %v", from, scoreOf(slices.DeleteFunc(slices.Clone(others), func(s sample) bool { return s.odds < from || s.odds >= from+0.1 }), 0))
	}
	w, v := fit(all)
	for i, x := range slices.Concat(w[:], v[:]) {
		if used := slices.Concat(weightsOfFeatures[:], weightsOfNothing[:])[i]; math.Abs(x-used) > mostDrift {
			t.Errorf("weight %d is %.3f, and %.3f if it is fitted again; set the weights to\nfeatures %.3f\nnothing %.3f", i, used, x, w, v)
			break
		}
	}
}

// mostDrift is how much weights can change if they are fitted again. They depend on the clauses
// and values that rules find.
const mostDrift = 0.1

// score says how many first answers are right.
type score struct{ found, right, due, silent, free float64 }

// scoreOf returns the score if answers need at least some odds.
func scoreOf(all []sample, least float64) score {
	var s score
	for _, x := range all {
		answers := x.odds >= least
		s.found, s.right = s.found+one(answers), s.right+one(answers && x.hit)
		s.due, s.free, s.silent = s.due+one(x.answered), s.free+one(!x.answered), s.silent+one(!x.answered && !answers)
	}
	return s
}

func (s score) String() string {
	return fmt.Sprintf("precision %.3f of %.0f, recall %.3f, F1 %.3f; without answer: %.3f silent", s.right/s.found, s.found, s.right/s.due, 2*s.right/(s.found+s.due), s.silent/s.free)
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// samples returns the questions about the contracts by writer, the beginning of their ids.
func samples(t *testing.T) map[string][]sample {
	all := map[string][]sample{}
	for _, name := range contractsFiles {
		f, err := os.Open(filepath.Join("../../../../../tests/bench/written", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var w contract
			if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
				t.Fatal(err)
			}
			writer := strings.TrimRight(w.ID, "0123456789")
			all[writer] = append(all[writer], w.samples()...)
		}
	}
	return all
}

// contract is a written contract with questions.
type contract struct {
	ID, Text  string
	Questions []struct {
		Question string
		Quote    *string
	}
}

// samples returns the questions about a contract, with the clauses that rules and weights find.
func (w *contract) samples() []sample {
	d := structure.Read(&layout.Document{Text: w.Text})
	q := New(d, "")
	q.SetClauses(sync.OnceValue(func() []finding.Found[insightapi.Clause] {
		if chosen := clauses.Choose(learn.Clauses(), d, learn.WordsOf(d)); chosen != nil {
			return chosen.Clauses(d)
		}
		return clauses.Find(d)
	}))
	var all []sample
	for _, x := range w.Questions {
		gold := layout.Span{}
		if x.Quote != nil {
			gold.Start = strings.Index(w.Text, *x.Quote)
			gold.End = gold.Start + len(*x.Quote)
		}
		if s, compared := q.sample(x.Question, gold); compared {
			all = append(all, s)
		}
	}
	return all
}

// sample returns a question whose answer is gold, which is empty if there is none. It reports
// whether sentences are compared to answer it.
func (q *Questions) sample(question string, gold layout.Span) (s sample, compared bool) {
	a := readQuestion(question)
	k := q.known(question, &a)
	if !q.compares(&a, k) {
		return s, false
	}
	a.kind = plainKind(a.text)
	n := q.inquire(question, &a)
	n.consider(k.found)
	s = sample{candidates: n.compared(), answered: gold.Len() > 0}
	s.none = n.none(s.candidates)
	for _, c := range s.candidates {
		s.right = append(s.right, s.answered && q.doc.Sentences[c.sentence].Overlaps(gold))
	}
	return s, true
}

// chances returns the probability of each candidate, and that of none.
func (s *sample) chances(w features, v nothing) ([]float64, float64) {
	none := math.Exp(weighed(s.none[:], v[:]))
	all, sum := make([]float64, len(s.candidates)), none
	for i, c := range s.candidates {
		all[i] = math.Exp(weighed(c.features[:], w[:]))
		sum += all[i]
	}
	for i := range all {
		all[i] /= sum
	}
	return all, none / sum
}

// judge sets the odds of the best candidate, and whether it is right.
func (s *sample) judge(w features, v nothing) {
	all, _ := s.chances(w, v)
	for i, p := range all {
		if p > s.odds {
			s.odds, s.hit = p, s.right[i]
		}
	}
}

// The parameters of the fit: gradient ascent with Adam, as Kingma and Ba give it, and a penalty
// for large weights.
const (
	steps   = 400
	rate    = 0.05
	penalty = 0.0005
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
		odds, none := s.chances(w, v)
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
