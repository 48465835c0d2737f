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
}

// Train fits the weights. With measure, it gives the folds only, and no file.
func Train(documents []Document, kinds []Kind, progress func(string), measure bool) (*Result, error) {
	s, err := newSet(documents, kinds, forClauses, func(d *Document, at int) bool { return learn.Readable(d.Document, d.Votes, at) })
	if err != nil {
		return nil, err
	}
	progress(fmt.Sprintf("%d documents, %d sentences, %d features", len(documents), len(s.examples), len(s.keys)))
	scores := newScores(s)
	r := &Result{}
	for fold := range Folds {
		m, err := s.decoded(s.model(fold))
		if err != nil {
			return nil, err
		}
		scores.add(m, fold)
		r.Folds[fold] = m
		progress(fmt.Sprintf("fold %d is fitted", fold+1))
	}
	for fold, m := range r.Folds {
		scores.calibrate(m.Decisions, fold)
		scores.choose(m.Decisions, fold)
	}
	if measure {
		return r, nil
	}
	decisions, weights := s.model(none)
	scores.calibrate(decisions, none)
	r.Compared = scores.choose(decisions, none)
	weights = slices.DeleteFunc(weights, func(w learn.Weight) bool { return decisions[w.Decision].ByRule })
	r.File, err = learn.Encode(learn.Shared, decisions, weights)
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
