package training

import (
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
)

// TrainClauses fits the weights that decide about clauses. Those for the kinds that people
// annotated are fitted to all contracts, and calibrated with the annotated ones. Other weights are
// fitted to written contracts. They add sentences to what the first ones find, and to what rules
// find of the other kinds. With measure, it gives the folds only, and no file.
func TrainClauses(documents []Document, progress func(string), measure bool) (*Result, error) {
	base, err := Train(documents, kindsOf(clauses.Learned()), progress, measure)
	if err != nil {
		return nil, err
	}
	labelled, kinds := labelledClauses(documents)
	s, err := newSet(labelled, kinds, forWritten, judged)
	if err != nil {
		return nil, err
	}
	more, err := s.train(progress, measure, false)
	if err != nil {
		return nil, err
	}
	a := compare(documents, kinds, base, more)
	r := &Result{Compared: base.Compared, scheme: base.scheme}
	for fold := range Folds {
		file, err := r.encode(joined(base.parts[fold], more.parts[fold], a.choose(fold)))
		if err != nil {
			return nil, err
		}
		if r.Folds[fold], err = learn.Decode(file); err != nil {
			return nil, err
		}
	}
	if !measure {
		r.File, err = r.encode(joined(base.whole, more.whole, a.choose(none)))
	}
	return r, err
}

// writtenFrom returns the index of the first written document. All others after it are written too.
func writtenFrom(documents []Document) int {
	if i := slices.IndexFunc(documents, func(d Document) bool { return d.written }); i >= 0 {
		return i
	}
	return len(documents)
}

// minHave is the number of documents that must have a kind before weights for it are fitted to
// written contracts.
const minHave = 10

// labelledClauses returns the documents to which weights for written contracts are fitted, with
// the kinds that enough of them have: the written ones and, for the kinds that people did not
// annotate, the annotated ones whose clauses of these kinds are labelled.
func labelledClauses(documents []Document) (labelled []Document, kinds []Kind) {
	have := map[string]int{}
	for _, d := range documents {
		if !d.written {
			d.Known = slices.DeleteFunc(slices.Clone(d.Known), func(kind string) bool { return slices.Contains(clauses.Learned(), kind) })
		}
		if len(d.Known) == 0 {
			continue
		}
		labelled = append(labelled, d)
		for _, kind := range d.Known {
			if d.Has[kind] {
				have[kind]++
			}
		}
	}
	for _, k := range kindsOf(clauses.Kinds()) {
		if have[k.Name] >= minHave {
			kinds = append(kinds, k)
		}
	}
	return labelled, kinds
}

// findings holds what weights that were fitted to other folds find in each document, by kind.
type findings struct {
	documents []Document
	kinds     []Kind
	// base is what is found without the weights for written contracts, and more what these
	// find.
	base []map[string][]layout.Span
	more []map[string][]probable
}

// probable is a passage with its probability.
type probable struct {
	span        layout.Span
	probability float64
}

// compare finds the passages of all documents.
func compare(documents []Document, kinds []Kind, base, more *Result) *findings {
	a := &findings{documents: documents, kinds: kinds}
	for i := range documents {
		d := &documents[i]
		words, found, added := learn.ReadWords(d.Document), map[string][]layout.Span{}, map[string][]probable{}
		for kind, spans := range d.Ruled {
			found[kind] = slices.Clone(spans)
		}
		for _, p := range base.Folds[d.Fold].Find(words, d.Votes, len(d.Sentences)) {
			found[p.Kind] = append(found[p.Kind], d.Sentences[p.Sentence].Span)
		}
		for _, p := range more.Folds[d.Fold].Find(words, d.Votes, len(d.Sentences)) {
			added[p.Kind] = append(added[p.Kind], probable{d.Sentences[p.Sentence].Span, p.Probability})
		}
		a.base, a.more = append(a.base, found), append(a.more, added)
	}
	return a
}

// The additions that may be chosen for long and for short documents, the most careful one first. With
// more of them, folds find less in contracts that the choice has not seen.
var (
	longChoices  = []learn.Addition{{}, {From: 0.9, Alone: true}, {From: 0.9}, {From: 0.8, Alone: true}, {From: 0.8}, {From: 0.6, Alone: true}, {From: 0.6}}
	shortChoices = []learn.Addition{{}, {From: 0.8, Alone: true}, {From: 0.8}, {From: 0.6, Alone: true}, {From: 0.6}, {From: 0.5}, {From: 0.4, Alone: true}, {From: 0.4}}
)

// leastMore is by how much a less careful addition must be better. A smaller difference depends on a few
// passages.
const leastMore = 0.01

// annotatedWeight is how much more all annotated contracts count than all written ones, however few
// they are: additions must not harm real contracts. With 4, folds find no more in annotated contracts,
// and less in written ones.
const annotatedWeight = 2

// choice holds the additions that were chosen for short and for long documents.
type choice struct{ short, long learn.Addition }

func (c choice) adds() bool { return c.short.From > 0 || c.long.From > 0 }

// choose returns for each kind the choice with which the most is found in the documents that are not
// in a fold.
func (a *findings) choose(without int) []choice {
	best := make([]choice, len(a.kinds))
	for k := range a.kinds {
		best[k].short = a.best(k, a.judging(k, without, true), shortChoices)
		best[k].long = a.best(k, a.judging(k, without, false), longChoices)
	}
	return best
}

// judging returns how often each document counts in the choice for a kind, among short or among long
// documents. Those in the fold without do not count.
func (a *findings) judging(k, without int, short bool) []int {
	times := make([]int, len(a.documents))
	annotated, written := 0, 0
	for i := range a.documents {
		d := &a.documents[i]
		switch {
		case d.Fold == without || !d.knows(a.kinds[k].Name) || (len(d.Sentences) <= learn.ShortDocument) != short:
			continue
		case d.written:
			written++
		default:
			annotated++
		}
		times[i] = 1
	}
	for i := range times {
		if !a.documents[i].written && times[i] > 0 {
			times[i] = max(1, annotatedWeight*written/annotated)
		}
	}
	return times
}

// best returns the most careful addition for a kind that no less careful one clearly beats.
func (a *findings) best(k int, times []int, choices []learn.Addition) (best learn.Addition) {
	most := -1.0
	for _, c := range choices {
		if worth := a.worth(a.kinds[k].Name, times, c); worth > most+leastMore {
			best, most = c, worth
		}
	}
	best.Trust = a.trust(a.kinds[k].Name, times, best)
	return best
}

// worth returns how good the passages of a kind are with an addition: the F1 of whether documents have
// any, plus the F1 of the passages.
func (a *findings) worth(kind string, times []int, c learn.Addition) float64 {
	var presence, passages evaluation.Score
	for i, n := range times {
		if n == 0 {
			continue
		}
		d, found := &a.documents[i], a.found(i, kind, c)
		right, recalled := overlaps(found, d.Gold[kind]), overlaps(d.Gold[kind], found)
		for range n {
			evaluation.AddClauses(&presence, &passages, d.Has[kind], right, recalled)
		}
	}
	return presence.F1() + passages.F1()
}

// trust returns how much of their probability the added passages deserve: the share that is right,
// divided by the average probability.
func (a *findings) trust(kind string, times []int, c learn.Addition) float32 {
	const doubt = 5 // passages that are as probable as they seem
	probable, right := float64(doubt), float64(doubt)
	for i, n := range times {
		if n == 0 {
			continue
		}
		for _, p := range a.added(i, kind, c) {
			probable += float64(float64(n) * p.probability)
			if slices.ContainsFunc(a.documents[i].Gold[kind], p.span.Overlaps) {
				right += float64(n)
			}
		}
	}
	return float32(min(1, right/probable))
}

// found returns the passages of a kind in document i with an addition.
func (a *findings) found(i int, kind string, c learn.Addition) []layout.Span {
	found := slices.Clone(a.base[i][kind])
	for _, p := range a.added(i, kind, c) {
		found = append(found, p.span)
	}
	return found
}

// added returns what an addition adds to the passages of a kind in document i.
func (a *findings) added(i int, kind string, c learn.Addition) (more []probable) {
	base := a.base[i][kind]
	if c.From == 0 || c.Alone && len(base) > 0 {
		return nil
	}
	for _, p := range a.more[i][kind] {
		if p.probability >= float64(c.From) && !slices.Contains(base, p.span) {
			more = append(more, p)
		}
	}
	return more
}

// joined returns a model with the decisions of both. chosen says what each decision of more adds.
// Those that add nothing are left out.
func joined(base, more fitted, chosen []choice) fitted {
	all := fitted{slices.Clone(base.decisions), slices.Clone(base.weights)}
	at := make([]int, len(more.decisions))
	for k, d := range more.decisions {
		if !chosen[k].adds() {
			continue
		}
		d.Short, d.Long, at[k] = chosen[k].short, chosen[k].long, len(all.decisions)
		all.decisions = append(all.decisions, d)
	}
	for _, w := range more.weights {
		if chosen[w.Decision].adds() {
			w.Decision = uint8(at[w.Decision])
			all.weights = append(all.weights, w)
		}
	}
	return all
}
