package training

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

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
		decisions[fold], fitted[fold] = s.model(fold)
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
	all, weights := s.model(none)
	all[0].Passage = scores.passages(none)
	file, err = learn.Encode(learn.Plain, all, weights)
	return file, byFolds, err
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
