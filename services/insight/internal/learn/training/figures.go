package training

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
)

// Figures measure kinds of passages, by kind in lower case: whether documents have them,
// and which passages they are.
type Figures struct{ Presence, Passages map[string]*evaluation.Score }

// Measure compares the models of the folds with the annotations of the documents that
// these were not fitted to.
func (r *Result) Measure(documents []Document) Figures {
	f := Figures{map[string]*evaluation.Score{}, map[string]*evaluation.Score{}}
	for i := range documents {
		d := &documents[i]
		m := r.Folds[d.Fold]
		spans, others := map[string][]layout.Span{}, map[string]bool{}
		for kind, ruled := range d.Ruled {
			spans[kind], others[kind] = slices.Clone(ruled), len(ruled) > 0
		}
		for _, p := range learn.Settle(m.Find(learn.ReadWords(d.Document), d.Votes, len(d.Sentences)), others) {
			spans[p.Kind] = append(spans[p.Kind], d.Sentences[p.Sentence].Span)
		}
		kinds := append(m.Kinds(), d.Known...)
		slices.Sort(kinds)
		for _, kind := range slices.Compact(kinds) {
			if d.knows(kind) {
				f.add(strings.ToLower(kind), d.Has[kind], d.Gold[kind], spans[kind])
			}
		}
	}
	return f
}

// add counts one kind in one document.
func (f *Figures) add(kind string, has bool, gold, found []layout.Span) {
	if f.Presence[kind] == nil {
		f.Presence[kind], f.Passages[kind] = &evaluation.Score{}, &evaluation.Score{}
	}
	evaluation.AddClauses(f.Presence[kind], f.Passages[kind], has, overlaps(found, gold), overlaps(gold, found))
}

// overlaps reports for each span whether it overlaps one of the others.
func overlaps(spans, others []layout.Span) []bool {
	all := make([]bool, len(spans))
	for i, s := range spans {
		all[i] = slices.ContainsFunc(others, s.Overlaps)
	}
	return all
}
