package training

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// forSecrecy are the parameters for confidentiality agreements. Everything in them was compared
// with each statement, so that a false passage always counts.
var forSecrecy = parameters{scheme: learn.Shared, cost: 4, positive: 2, elsewhere: 1, sampled: 1, most: 2000}

// possible is the least score of the sentences that their probabilities are fitted to. Nearly all
// sentences have lower ones, and would decide how steep the probabilities of the others are.
const possible = -2.5

// Agreements reads the confidentiality agreements of s.Statements, with the passages for and
// against each statement.
func (s Sources) Agreements() ([]Document, error) {
	all, err := evaluation.NDAs(s.Statements)
	var documents []Document
	for _, n := range all {
		d := Document{
			Document: structure.Read(&layout.Document{Text: n.Text}), Fold: FoldOfAgreement(n),
			Has: map[string]bool{}, Gold: map[string][]layout.Span{},
		}
		d.Votes = questions.VotesOn(d.Document)
		for _, h := range n.Hypotheses {
			d.Has[h.Label], d.Gold[h.Label] = len(h.Evidence) > 0, n.Passages(h)
		}
		documents = append(documents, d)
	}
	return documents, err
}

// FoldOfAgreement returns the fold of a confidentiality agreement. It depends on its name alone.
func FoldOfAgreement(n evaluation.NDA) int {
	sum := sha256.Sum256([]byte(n.Name))
	return int(sum[0]) % Folds
}

// Secrecy fits the weights that find the passages for and against statements about confidentiality
// agreements. byFolds measures weights on the agreements of each fold that were fitted to the
// others, which folds holds.
func Secrecy(documents []Document) (file []byte, folds [Folds]*learn.Model, byFolds evaluation.Score, err error) {
	s, err := newSet(documents, statementsIn(documents), forSecrecy, judged)
	if err != nil {
		return nil, folds, byFolds, err
	}
	scores := newScores(s)
	var parts [Folds]fitted
	for fold := range Folds {
		parts[fold].decisions, parts[fold].weights = s.model(fold)
		m, err := s.decoded(parts[fold].decisions, parts[fold].weights)
		if err != nil {
			return nil, folds, byFolds, err
		}
		scores.add(m, fold)
	}
	for fold, f := range parts {
		scores.passages(f.decisions, fold, possible)
		if folds[fold], err = s.decoded(f.decisions, f.weights); err != nil {
			return nil, folds, byFolds, err
		}
	}
	for i := range documents {
		d := &documents[i]
		found := folds[d.Fold].Likeliest(learn.ReadWords(d.Document), d.Votes)
		for label, gold := range d.Gold {
			var spans []layout.Span
			for _, p := range found[label] {
				spans = append(spans, d.Sentences[p.Sentence].Span)
			}
			byFolds.AddSpans(overlaps(spans, gold), overlaps(gold, spans))
		}
	}
	decisions, weights := s.model(none)
	scores.passages(decisions, none, possible)
	file, err = learn.Encode(learn.Shared, decisions, weights)
	return file, folds, byFolds, err
}

// statementsIn returns the statements that documents were compared with, by their labels.
func statementsIn(documents []Document) []Kind {
	var kinds []Kind
	for _, d := range documents {
		for label := range d.Has {
			if k := (Kind{label, questions.VotesOf(label)}); !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	slices.SortFunc(kinds, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return kinds
}

// WriteSecrecy fits the weights for confidentiality agreements, and writes them with their
// manifest.
func WriteSecrecy(s Sources, out string, progress func(string)) error {
	documents, err := s.Agreements()
	if err != nil {
		return err
	}
	file, _, byFolds, err := Secrecy(documents)
	if err != nil {
		return err
	}
	hash, err := hashOfFiles([]string{filepath.Join(s.Statements, "dev.json")})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(file)
	m := learn.SecrecyManifest{
		Data: "ContractNLI, a part of its agreements", License: license, Attribution: "ContractNLI, Yuta Koreeda and Christopher D. Manning (2021)",
		Changes:    "The agreements were reduced to weights of hashed word n-grams. The weights contain no text.",
		DataSHA256: hash, WeightsSHA256: hex.EncodeToString(sum[:]), Documents: len(documents), Folds: Folds,
		Passages: figures(byFolds),
	}
	progress(fmt.Sprintf("%d bytes; passages of confidentiality agreements by folds: %+v", len(file), m.Passages))
	return write(out, learn.SecrecyWeightsName, file, learn.SecrecyManifestName, m)
}
