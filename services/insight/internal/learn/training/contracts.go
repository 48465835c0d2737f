package training

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// ClauseKinds returns the kinds of clauses that are learned.
func ClauseKinds() []Kind {
	var kinds []Kind
	for _, name := range clauses.Learned() {
		kinds = append(kinds, Kind{name, clauses.VotesOf(name)})
	}
	return kinds
}

// Contracts reads the annotated contracts of a folder that has the form of the CUAD data
// set: the file gold.json, and the texts in txt.
func Contracts(dir string) ([]Document, error) {
	all, err := evaluation.Contracts(dir)
	if err != nil {
		return nil, err
	}
	var documents []Document
	for _, c := range all {
		text, err := os.ReadFile(filepath.Join(dir, "txt", filepath.Base(c.Txt)))
		if err != nil {
			return nil, err
		}
		documents = append(documents, contract(c, string(text)))
	}
	return documents, nil
}

// contract returns a contract with its annotations.
func contract(c evaluation.Contract, text string) Document {
	d := Document{
		Document: structure.Read(&layout.Document{Text: text}), Fold: FoldOf(c),
		Has: map[string]bool{}, Gold: map[string][]layout.Span{},
	}
	d.Votes = clauses.Votes(d.Document)
	gold := evaluation.GoldClauses(d.Document.Document, c)
	for _, kind := range clauses.Learned() {
		d.Gold[kind] = gold[strings.ToLower(kind)]
	}
	for category, marked := range c.Clauses {
		for _, kind := range clauses.Learned() {
			if len(marked) > 0 && strings.EqualFold(kind, category) {
				d.Has[kind] = true
			}
		}
	}
	return d
}

// FoldOf returns the fold of a contract. It depends on the company alone.
func FoldOf(c evaluation.Contract) int {
	sum := 0
	for _, r := range c.Company() {
		sum += int(r)
	}
	return sum * 7919 % Folds
}
