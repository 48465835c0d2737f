package training

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

// PaymentSets are the sets of labels that the weights of payments are fitted to.
var PaymentSets = []string{"tune", "fit"}

// paymentFiles returns the names of the files of PaymentSets.
func paymentFiles() []string {
	var names []string
	for _, set := range PaymentSets {
		names = append(names, set+".jsonl")
	}
	return names
}

// PaymentContracts reads the contracts whose payments are labelled. data is as for Contracts,
// and labels is the folder of the labels.
func PaymentContracts(data, labels string) ([]Document, error) {
	annotated, err := evaluation.Contracts(data)
	if err != nil {
		return nil, err
	}
	folds := map[string]int{}
	for _, c := range annotated {
		folds[filepath.Base(c.Txt)] = FoldOf(c)
	}
	var documents []Document
	for _, name := range PaymentSets {
		all, err := evaluation.ReadLabels(labels, name)
		if err != nil {
			return nil, err
		}
		for _, l := range all {
			text, err := os.ReadFile(filepath.Join(data, "txt", l.File))
			if err != nil {
				return nil, err
			}
			if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != l.SHA256 {
				return nil, fmt.Errorf("training: %s is not the text that was labelled", l.File)
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
	return documents, nil
}

// paid returns a contract with its payments.
func paid(text string, l evaluation.Labels, fold int) (Document, error) {
	d := Document{Document: structure.Read(&layout.Document{Text: text}), Fold: fold, Has: map[string]bool{payment: true}}
	d.Votes = amounts.Votes(d.Document)
	offsets := make([]int, 0, len(text)+1)
	for at := range text {
		offsets = append(offsets, at)
	}
	offsets = append(offsets, len(text))
	var spans []layout.Span
	for _, p := range l.Payments {
		if p.Span[1] >= len(offsets) {
			return d, fmt.Errorf("training: %s ends before the labelled passage %v", l.File, p.Span)
		}
		spans = append(spans, layout.Span{Start: offsets[p.Span[0]], End: offsets[p.Span[1]]})
	}
	d.Gold = map[string][]layout.Span{payment: spans}
	return d, nil
}

// Payments fits the weights of payments to documents. byFolds measures weights on the
// documents of each fold that were fitted to the others.
func Payments(documents []Document) (file []byte, byFolds evaluation.Score, err error) {
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
		decisions[fold][0].Passage = scores.passages(fold)
		m, err := s.decoded(decisions[fold], fitted[fold])
		if err != nil {
			return nil, byFolds, err
		}
		for i := range documents {
			if documents[i].Fold == fold {
				addPayments(&byFolds, &documents[i], m)
			}
		}
	}
	c, err := s.clearer(none)
	if err != nil {
		return nil, byFolds, err
	}
	all, weights := c.model(none)
	all[0].Passage = scores.passages(none)
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

// passages returns the calibration of sentences in the documents that are not in a fold.
func (s *scores) passages(without int) learn.Calibration {
	var c calibration
	for i := range s.examples {
		x := &s.examples[i]
		if s.documents[x.document].Fold != without {
			c.add(0, float64(s.of[i][0]), x.votes&s.kinds[0].Votes != 0, x.touches&1 == 1)
		}
	}
	return c.fit(1)[0]
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
