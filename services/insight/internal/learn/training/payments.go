package training

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// payment is the only kind of the model of payments.
const payment = "Payment"

// forPayments are the parameters for payments.
var forPayments = parameters{scheme: learn.Plain, cost: 0.05, positive: 1, elsewhere: 1, sampled: 1, most: 60_000}

// anyScore is lower than every score.
const anyScore = -math.MaxFloat32

// PaymentSets are the sets of labels that the weights of payments are fitted to.
var PaymentSets = []string{"tune", "fit"}

// writtenPayments are the sets of written contracts whose payments are learned from.
var writtenPayments = []string{"terms-fit", "sections-fit", "filings-fit"}

// paymentFiles returns the names of the files with the labels of payments.
func (s Sources) paymentFiles() []string {
	var names []string
	for _, set := range PaymentSets {
		names = append(names, filepath.Join(s.Labels, set+".jsonl"))
	}
	for _, set := range writtenPayments {
		names = append(names, filepath.Join(s.Written, set+".jsonl"))
	}
	return names
}

// PaymentDocuments reads the contracts whose payments are labelled: first those of s.Contracts,
// then those of s.Written.
func (s Sources) PaymentDocuments() ([]Document, error) {
	annotated, err := evaluation.Contracts(s.Contracts)
	if err != nil {
		return nil, err
	}
	folds := map[string]int{}
	for _, c := range annotated {
		folds[filepath.Base(c.Txt)] = FoldOf(c)
	}
	var documents []Document
	for _, name := range PaymentSets {
		all, err := evaluation.ReadLabels(s.Labels, name)
		if err != nil {
			return nil, err
		}
		for _, l := range all {
			text, err := os.ReadFile(filepath.Join(s.Contracts, "txt", l.File))
			if err != nil {
				return nil, err
			}
			fold, ok := folds[l.File]
			if !ok {
				return nil, fmt.Errorf("training: %s is not in gold.json, so its company is unknown", l.File)
			}
			d, err := paid(string(text), l, fold)
			if err != nil {
				return nil, err
			}
			documents = append(documents, d)
		}
	}
	for _, set := range writtenPayments {
		written, err := evaluation.ReadWritten(s.Written, set)
		if err != nil {
			return nil, err
		}
		for _, w := range written {
			documents = append(documents, paidAsWritten(w))
		}
	}
	return documents, nil
}

// paid returns a contract with its payments.
func paid(text string, l evaluation.Labels, fold int) (Document, error) {
	d := Document{Document: structure.Read(&layout.Document{Text: text}), Fold: fold, Has: map[string]bool{payment: true}}
	d.Votes = amounts.Votes(d.Document)
	var ranges []evaluation.Range
	for _, p := range l.Payments {
		ranges = append(ranges, p.Span)
	}
	spans, err := labelled(text, l, ranges)
	d.Gold = map[string][]layout.Span{payment: spans}
	return d, err
}

// paidAsWritten returns a written contract with its payments.
func paidAsWritten(w evaluation.Written) Document {
	d := Document{Document: structure.Read(&layout.Document{Text: w.Text}), Fold: foldOfWriter(w), written: true, Has: map[string]bool{payment: true}, Gold: map[string][]layout.Span{}}
	d.Votes = amounts.Votes(d.Document)
	for _, p := range w.Payments {
		d.mark(payment, p.Quote)
	}
	return d
}

// PaymentScores are about annotated and about written documents.
type PaymentScores struct{ Annotated, Written evaluation.Score }

// of returns the score that a document belongs to.
func (s *PaymentScores) of(d *Document) *evaluation.Score {
	if d.written {
		return &s.Written
	}
	return &s.Annotated
}

// Payments fits the weights of payments to documents. byFolds measures weights on the
// documents of each fold that were fitted to the others.
func Payments(documents []Document) (file []byte, byFolds PaymentScores, err error) {
	s, err := newSet(documents, []Kind{{payment, amounts.VotesOfPayments}}, forPayments, func(d *Document, at int) bool { return amounts.Judged(d.Votes[at]) })
	if err != nil {
		return nil, byFolds, err
	}
	scores, fitted := newScores(s), [Folds][]learn.Weight{}
	var decisions [Folds][]learn.Decision
	for fold := range Folds {
		c, err := s.clearer(fold)
		if err != nil {
			return nil, byFolds, err
		}
		decisions[fold], fitted[fold] = c.model(fold)
		m, err := s.decoded(decisions[fold], fitted[fold])
		if err != nil {
			return nil, byFolds, err
		}
		scores.add(m, fold)
	}
	for fold := range Folds {
		scores.passages(decisions[fold], fold, anyScore)
		m, err := s.decoded(decisions[fold], fitted[fold])
		if err != nil {
			return nil, byFolds, err
		}
		for i := range documents {
			if documents[i].Fold == fold {
				addPayments(byFolds.of(&documents[i]), &documents[i], m)
			}
		}
	}
	c, err := s.clearer(none)
	if err != nil {
		return nil, byFolds, err
	}
	all, weights := c.model(none)
	scores.passages(all, none, anyScore)
	file, err = learn.Encode(learn.Plain, all, weights)
	return file, byFolds, err
}

// clearer returns the examples with clearer labels. A labelled passage may be a table, or a
// sentence with its heading, so not every sentence in it requires a payment. Of each passage,
// the sentence that most likely does remains an example, with those that do more likely than
// not; the others are examples of neither (multiple-instance learning, after Andrews,
// Tsochantaridis and Hofmann, 2002). Weights that were fitted to the other folds judge how
// likely it is. The documents of the fold without take no part.
func (s *set) clearer(without int) (*set, error) {
	scores := newScores(s)
	for fold := range Folds {
		if fold == without {
			continue
		}
		m, err := s.decoded(s.model(without, fold))
		if err != nil {
			return nil, err
		}
		scores.add(m, fold)
	}
	best := scores.mostLikely()
	c := *s
	c.examples = slices.Clone(s.examples)
	for i := range c.examples {
		switch x := &c.examples[i]; {
		case best[i]:
			x.is = 1
		case scores.of[i][0] < 0: // odds below 1
			x.is = 0
		}
	}
	return &c, nil
}

// mostLikely reports for each example whether it has the highest score of those that overlap
// a labelled passage.
func (s *scores) mostLikely() []bool {
	best := map[layout.Span]int{}
	is := make([]bool, len(s.examples))
	last := -1
	mark := func() {
		for _, i := range best {
			is[i] = true
		}
		clear(best)
	}
	for i := range s.examples {
		x := &s.examples[i]
		if x.document != last {
			mark()
			last = x.document
		}
		d := &s.documents[x.document]
		for _, g := range d.Gold[payment] {
			if !g.Overlaps(d.Sentences[x.sentence].Span) {
				continue
			}
			if b, ok := best[g]; !ok || s.of[i][0] > s.of[b][0] {
				best[g] = i
			}
		}
	}
	mark()
	return is
}

// addPayments compares the payments that are found in a document, by the rules alone if m is
// nil, with its labels.
func addPayments(score *evaluation.Score, d *Document, m *learn.Model) {
	var found []layout.Span
	for _, f := range amounts.Payments(d.Document, amounts.Rates{}, m) {
		found = append(found, f.Span)
	}
	gold := d.Gold[payment]
	score.AddSpans(overlaps(found, gold), overlaps(gold, found))
}
