package training

import (
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
)

// scores holds the score of each example, by a model that was fitted to other folds.
type scores struct {
	*set
	of []learn.Scores
}

func newScores(s *set) *scores { return &scores{s, make([]learn.Scores, len(s.examples))} }

// add scores the documents of a fold.
func (s *scores) add(m *learn.Model, fold int) {
	f := m.Features()
	var words *learn.Words
	last := -1
	for i := range s.examples {
		x := &s.examples[i]
		d := &s.documents[x.document]
		if d.Fold != fold {
			continue
		}
		if x.document != last {
			words, last = learn.ReadWords(d.Document), x.document
		}
		f.Of(words, d.Votes, x.sentence)
		m.Score(f, &s.of[i])
	}
}

// calibrate sets the calibration of decisions from the documents that are not in a fold.
func (s *scores) calibrate(decisions []learn.Decision, without int) {
	best := s.best(decisions)
	var passages calibration
	for k, c := range s.presence(best, without, none) {
		decisions[k].Presence = c
	}
	for k := range decisions {
		for i := range s.examples {
			x := &s.examples[i]
			b := &best[k][x.document]
			if s.measures(x.document, k) && s.documents[x.document].Fold != without && s.of[i][k] > leastScore && decisions[k].Present(b) {
				passages.add(k, float64(s.of[i][k]), x.votes&decisions[k].Votes != 0, x.touches>>k&1 == 1)
			}
		}
	}
	for k, c := range passages.fit(len(decisions)) {
		decisions[k].Passage = c
	}
}

// measures reports whether a document says how right the decision about a kind is.
func (s *set) measures(document, kind int) bool {
	return s.known[document]>>kind&1 == 1 && !(s.annotated && s.documents[document].written)
}

// passages sets the calibration of sentences, whatever else a document has, from the sentences with
// at least a score in the documents that are not in a fold.
func (s *scores) passages(decisions []learn.Decision, without int, least float32) {
	var c calibration
	for i := range s.examples {
		x := &s.examples[i]
		if s.documents[x.document].Fold == without {
			continue
		}
		for k := range decisions {
			if s.of[i][k] >= least {
				c.add(k, float64(s.of[i][k]), x.votes&decisions[k].Votes != 0, x.touches>>k&1 == 1)
			}
		}
	}
	for k, one := range c.fit(len(decisions)) {
		decisions[k].Passage = one
	}
}

// presence fits the calibrations of presence to the documents that are in neither of two
// folds.
func (s *scores) presence(best [][]learn.Best, without, nor int) []learn.Calibration {
	var present calibration
	for k := range best {
		for i := range s.documents {
			if d := &s.documents[i]; s.measures(i, k) && d.Fold != without && d.Fold != nor {
				b := &best[k][i]
				present.add(k, b.Score(), b.Voted, d.Has[s.kinds[k].Name])
			}
		}
	}
	return present.fit(len(best))
}

// Comparison compares whether the weights and the rules alone are right about which
// documents have a kind of passage.
type Comparison struct{ Weights, Rule evaluation.Score }

// leastGain is by how much the F1 of the rules must be higher before they decide alone. A
// smaller difference depends on a few documents.
const leastGain = 0.05

// ByRule reports whether the rules are right so much more often that they decide alone. They
// must also be wrong about fewer documents: the F1 of a rare kind rises by one document that
// is found, whatever else is found with it.
func (c *Comparison) ByRule() bool {
	return c.Rule.F1() >= c.Weights.F1()+leastGain && wrong(&c.Rule) < wrong(&c.Weights)
}

// wrong returns the number of documents that a score is wrong about.
func wrong(s *evaluation.Score) int { return s.Found + s.Gold - 2*s.RightFound }

// choose lets the rules alone decide about the kinds about which they are right clearly
// more often than the weights, in the documents that are not in a fold. The weights judge
// each fold with calibrations that were fitted to the others: the calibration of a rare kind
// depends on few documents, and looks too good on these.
func (s *scores) choose(decisions []learn.Decision, without int) []Comparison {
	best := s.best(decisions)
	compared := make([]Comparison, len(decisions))
	for fold := range Folds {
		if fold == without {
			continue
		}
		for k, c := range s.presence(best, without, fold) {
			x := learn.Decision{Presence: c}
			for i := range s.documents {
				if d := &s.documents[i]; s.measures(i, k) && d.Fold == fold {
					b, has := &best[k][i], d.Has[s.kinds[k].Name]
					compared[k].Weights.Add(x.Present(b), has, true)
					compared[k].Rule.Add(b.Voted, has, true)
				}
			}
		}
	}
	for k := range decisions {
		decisions[k].ByRule = compared[k].ByRule()
	}
	return compared
}

// leastScore is the score of sentences that calibration considers at least.
const leastScore = -4

// best returns the best scores by decision and document.
func (s *scores) best(decisions []learn.Decision) [][]learn.Best {
	best := make([][]learn.Best, len(decisions))
	for k := range best {
		best[k] = make([]learn.Best, len(s.documents))
		for i := range best[k] {
			best[k][i] = learn.Best{First: learn.NoScore, Second: learn.NoScore}
		}
	}
	for i := range s.examples {
		x := &s.examples[i]
		for k := range decisions {
			best[k][x.document].Add(s.of[i][k], x.votes&decisions[k].Votes != 0)
		}
	}
	return best
}

// calibration fits the calibrations of all decisions together: they share a slope and what
// a vote counts, and differ from that as far as there are examples for it.
type calibration struct {
	problem
}

// Features of a calibration.
const (
	sharedSlope = iota
	sharedVote
	sharedOffset
	perDecision
)

// calibrationCost is the inverse of the L2 penalty.
const calibrationCost = 0.5

func (c *calibration) add(k int, score float64, voted, right bool) {
	vote := float32(0)
	if voted {
		vote = 1
	}
	at := int32(perDecision + 2*k)
	c.problem.add([]int32{sharedSlope, sharedVote, sharedOffset, at, at + 1}, []float32{float32(score), vote, 1, vote, 1}, right, calibrationCost)
}

func (c *calibration) fit(decisions int) []learn.Calibration {
	w := c.problem.fit(perDecision+2*decisions, 200)
	all := make([]learn.Calibration, decisions)
	for k := range all {
		at := perDecision + 2*k
		all[k] = learn.Calibration{Slope: w[sharedSlope], Vote: w[sharedVote] + w[at], Offset: w[sharedOffset] + w[at+1]}
	}
	return all
}
