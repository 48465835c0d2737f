package training

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/liability"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// WrittenSets are the sets of written contracts whose clauses are learned from.
var WrittenSets = []string{"terms-fit", "clauses-fit", "sections-fit", "filings-fit"}

// writtenContracts reads the written contracts of a folder whose clauses are labelled.
func writtenContracts(dir string) ([]Document, error) {
	var documents []Document
	for _, set := range WrittenSets {
		all, err := evaluation.ReadWritten(dir, set)
		if err != nil {
			return nil, err
		}
		for _, w := range all {
			documents = append(documents, written(w, kindsIn(set)))
		}
	}
	return documents, nil
}

// kindsIn returns the kinds of clauses that are labelled in a set. Limits and renewals are
// labelled as such in the sets of terms.
func kindsIn(set string) []string {
	kinds := evaluation.KindsOf(set)
	if strings.HasPrefix(set, "terms") {
		kinds = slices.Concat(kinds, []string{liability.CapOnLiability, liability.UncappedLiability, clauses.RenewalTerm, clauses.NoticePeriod})
	}
	return kinds
}

// written returns a written contract with its clauses. kinds are the labelled ones.
func written(w evaluation.Written, kinds []string) Document {
	d := Document{
		Document: structure.Read(&layout.Document{Text: w.Text}), Fold: foldOfWriter(w), Known: kinds, written: true,
		Has: map[string]bool{}, Gold: map[string][]layout.Span{},
	}
	d.Votes, d.Ruled = clauses.Votes(d.Document), ruled(d.Document)
	for _, c := range w.Clauses {
		d.mark(c.Kind, c.Quote)
	}
	for _, l := range w.Limits {
		if l.Type == insightapi.LimitUncapped {
			d.mark(liability.UncappedLiability, l.Quote)
		} else {
			d.mark(liability.CapOnLiability, l.Quote)
		}
	}
	if r := w.Renewal; r != nil {
		d.mark(clauses.RenewalTerm, r.Quote)
		if r.Notice != nil {
			d.mark(clauses.NoticePeriod, r.Quote)
		}
	}
	return d
}

// mark adds a passage of a kind, if the text has it.
func (d *Document) mark(kind, quote string) {
	if start := strings.Index(d.Text, quote); start >= 0 {
		d.Has[kind] = true
		d.Gold[kind] = append(d.Gold[kind], layout.Span{Start: start, End: start + len(quote)})
	}
}

// foldOfWriter returns the fold of a written contract. All contracts of a writer are in one fold,
// because they resemble each other. The first letter of an ID identifies the writer.
func foldOfWriter(w evaluation.Written) int { return int(w.ID[0]) % Folds }
