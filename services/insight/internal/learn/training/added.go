package training

import (
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
)

// TrainClauses fits the weights that decide about clauses. Those for the kinds that people
// annotated are fitted to annotated contracts alone. Other weights are fitted to written
// contracts. They add sentences to what the first ones find, and to what rules find of the other
// kinds. With measure, it gives the folds only, and no file.
func TrainClauses(documents []Document, progress func(string), measure bool) (*Result, error) {
	base, err := Train(documents[:writtenFrom(documents)], kindsOf(clauses.Learned()), progress, measure)
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

// addition holds what weights that were fitted to other folds find in each document, by kind.
type addition struct {
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
func compare(documents []Document, kinds []Kind, base, more *Result) *addition {
	a := &addition{documents: documents, kinds: kinds}
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

// added says which sentences a decision adds to those that are found without it: none, or those
// with at least the probability from, and whether only where nothing of the kind is found.
type added struct {
	from  float32
	alone bool
}

// choices are what may be chosen for a kind. With more of them, folds find less in contracts that
// the choice has not seen.
var choices = []added{{}, {from: 0.6}, {from: 0.8}, {from: 0.9}, {0.6, true}, {0.8, true}, {0.9, true}}

// annotatedWeight is how much more the F1 of annotated contracts counts than that of written ones:
// real contracts must not suffer. With 8, folds find as much in them as without the additions.
const annotatedWeight = 8

// choose returns for each kind the choice with which the most is found in the documents that are not
// in a fold.
func (a *addition) choose(without int) []added {
	best := make([]added, len(a.kinds))
	for k := range a.kinds {
		most := -1.0
		for _, c := range choices {
			if worth := a.worth(k, without, c); worth > most {
				best[k], most = c, worth
			}
		}
	}
	return best
}

// worth returns how good the passages of a kind are with a choice, in the documents that are not in
// a fold.
func (a *addition) worth(k, without int, c added) float64 {
	var annotated, written [2]evaluation.Score // presence and passages
	kind := a.kinds[k].Name
	for i := range a.documents {
		d := &a.documents[i]
		if d.Fold == without || !d.knows(kind) {
			continue
		}
		found := a.found(i, kind, c)
		s := &annotated
		if d.written {
			s = &written
		}
		evaluation.AddClauses(&s[0], &s[1], d.Has[kind], overlaps(found, d.Gold[kind]), overlaps(d.Gold[kind], found))
	}
	return annotatedWeight*(annotated[0].F1()+annotated[1].F1()) + written[0].F1() + written[1].F1()
}

// found returns the passages of a kind in document i with a choice.
func (a *addition) found(i int, kind string, c added) []layout.Span {
	base := a.base[i][kind]
	if c.from == 0 || c.alone && len(base) > 0 {
		return base
	}
	found := slices.Clone(base)
	for _, p := range a.more[i][kind] {
		if p.probability >= float64(c.from) && !slices.Contains(found, p.span) {
			found = append(found, p.span)
		}
	}
	return found
}

// joined returns a model with the decisions of both. chosen says what each decision of more adds.
// Those that add nothing are left out.
func joined(base, more fitted, chosen []added) fitted {
	all := fitted{slices.Clone(base.decisions), slices.Clone(base.weights)}
	at := make([]int, len(more.decisions))
	for k, d := range more.decisions {
		if chosen[k].from == 0 {
			continue
		}
		d.From, d.Alone, at[k] = chosen[k].from, chosen[k].alone, len(all.decisions)
		all.decisions = append(all.decisions, d)
	}
	for _, w := range more.weights {
		if chosen[w.Decision].from > 0 {
			w.Decision = uint8(at[w.Decision])
			all.weights = append(all.weights, w)
		}
	}
	return all
}
