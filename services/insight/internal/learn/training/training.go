// Package training fits the weights of package learn to annotated contracts. Everything is
// in a fixed order: the same documents give the same bytes.
package training

import (
	"fmt"
	"slices"

	"github.com/rectohq/recto/services/insight/internal/learn"
)

// Folds is the number of folds.
const Folds = 5

// Result is what training gives.
type Result struct {
	// File holds the weights that are fitted to all documents.
	File []byte
	// Folds holds, for each fold, a model that is fitted to the documents of the other
	// folds. It is for measuring only.
	Folds [Folds]*learn.Model
	// Compared compares weights and rules by kind, in the order of the kinds. It holds what
	// File was decided by.
	Compared []Comparison

	scheme learn.Scheme
	// whole is fitted to all documents, and parts to those of the other folds.
	whole fitted
	parts [Folds]fitted
}

// fitted is a model before it is written.
type fitted struct {
	decisions []learn.Decision
	weights   []learn.Weight
}

// encode returns the file of a model.
func (r *Result) encode(f fitted) ([]byte, error) {
	return learn.Encode(r.scheme, f.decisions, f.weights)
}

// Train fits the weights that decide about kinds. With measure, it gives the folds only, and no
// file.
func Train(documents []Document, kinds []Kind, progress func(string), measure bool) (*Result, error) {
	s, err := newSet(documents, kinds, forClauses, judged)
	if err != nil {
		return nil, err
	}
	return s.train(progress, measure, true)
}

// judged reports whether a sentence is an example.
func judged(d *Document, at int) bool { return learn.Readable(d.Document, d.Votes, at) }

// train fits the weights of a set. With byRule, the rules alone decide about kinds about which they
// are right more often.
func (s *set) train(progress func(string), measure, byRule bool) (*Result, error) {
	progress(fmt.Sprintf("%d documents, %d sentences, %d features", len(s.documents), len(s.examples), len(s.keys)))
	scores := newScores(s)
	r := &Result{scheme: s.scheme}
	for fold := range Folds {
		decisions, weights := s.model(fold)
		m, err := s.decoded(decisions, weights)
		if err != nil {
			return nil, err
		}
		scores.add(m, fold)
		r.Folds[fold], r.parts[fold] = m, fitted{decisions, weights}
		progress(fmt.Sprintf("fold %d is fitted", fold+1))
	}
	for fold, m := range r.Folds {
		scores.calibrate(m.Decisions, fold)
		if byRule {
			scores.choose(m.Decisions, fold)
		}
		r.parts[fold].decisions = m.Decisions
	}
	if measure {
		return r, nil
	}
	r.whole.decisions, r.whole.weights = s.model(none)
	scores.calibrate(r.whole.decisions, none)
	if byRule {
		r.Compared = scores.choose(r.whole.decisions, none)
	}
	r.whole.weights = slices.DeleteFunc(r.whole.weights, func(w learn.Weight) bool { return r.whole.decisions[w.Decision].ByRule })
	var err error
	r.File, err = r.encode(r.whole)
	return r, err
}

// none is no fold.
const none = -1

// decoded returns a model as it is after writing and reading it.
func (s *set) decoded(decisions []learn.Decision, weights []learn.Weight) (*learn.Model, error) {
	file, err := learn.Encode(s.scheme, decisions, weights)
	if err != nil {
		return nil, err
	}
	return learn.Decode(file)
}
