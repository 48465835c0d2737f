package training

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// kindsOf returns kinds of clauses with the votes for them.
func kindsOf(names []string) []Kind {
	var kinds []Kind
	for _, name := range names {
		kinds = append(kinds, Kind{name, clauses.VotesOf(name)})
	}
	return kinds
}

// Sources are the folders of what weights are fitted to.
type Sources struct {
	// Contracts has the form of the CUAD data set: the file gold.json, and the texts in txt.
	Contracts string
	// Labels holds more labels of these contracts, in the form of tests/bench/gold.
	Labels string
	// Statements has the form of the ContractNLI data set: the file dev.json.
	Statements string
	// Written holds contracts in the form of tests/bench/written.
	Written string
}

// files returns the names of the files of labels and of written contracts.
func (s Sources) files() []string {
	names := []string{filepath.Join(s.Labels, boilerplateSet+".jsonl")}
	for _, set := range WrittenSets {
		names = append(names, filepath.Join(s.Written, set+".jsonl"))
	}
	return names
}

// Documents reads the contracts whose clauses are annotated: first those of s.Contracts, then
// those of s.Written.
func (s Sources) Documents() ([]Document, error) {
	all, err := evaluation.Contracts(s.Contracts)
	if err != nil {
		return nil, err
	}
	var documents []Document
	for _, c := range all {
		text, err := os.ReadFile(filepath.Join(s.Contracts, "txt", filepath.Base(c.Txt)))
		if err != nil {
			return nil, err
		}
		documents = append(documents, contract(c, string(text)))
	}
	if err := addBoilerplate(documents, all, s.Labels); err != nil {
		return nil, err
	}
	written, err := writtenContracts(s.Written)
	return append(documents, written...), err
}

// contract returns a contract with its annotations.
func contract(c evaluation.Contract, text string) Document {
	d := Document{
		Document: structure.Read(&layout.Document{Text: text}), Fold: FoldOf(c), Known: clauses.Learned(),
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

// boilerplateSet is the set of labels whose clauses are learned from.
const boilerplateSet = "tune"

// addBoilerplate adds labels of the clauses that CUAD does not annotate to its documents. labels
// is the folder of the labels.
func addBoilerplate(documents []Document, annotated []evaluation.Contract, labels string) error {
	all, err := evaluation.ReadLabels(labels, boilerplateSet)
	if err != nil {
		return err
	}
	for _, l := range all {
		at := slices.IndexFunc(annotated, func(c evaluation.Contract) bool { return filepath.Base(c.Txt) == l.File })
		if at < 0 {
			return fmt.Errorf("training: %s is not in gold.json", l.File)
		}
		d := &documents[at]
		d.Known, d.Ruled = slices.Concat(clauses.Learned(), evaluation.LabelledKinds), ruled(d.Document)
		var ranges []evaluation.Range
		for _, c := range l.Clauses {
			ranges = append(ranges, c.Span)
		}
		spans, err := labelled(d.Text, l, ranges)
		if err != nil {
			return err
		}
		for i, c := range l.Clauses {
			d.Has[c.Kind] = true
			d.Gold[c.Kind] = append(d.Gold[c.Kind], spans[i])
		}
	}
	return nil
}

// labelled returns the spans of labelled passages of a text in bytes. It fails if the text is not
// the one that was labelled.
func labelled(text string, l evaluation.Labels, ranges []evaluation.Range) ([]layout.Span, error) {
	if sum := sha256.Sum256([]byte(text)); hex.EncodeToString(sum[:]) != l.SHA256 {
		return nil, fmt.Errorf("training: %s is not the text that was labelled", l.File)
	}
	offsets := make([]int, 0, len(text)+1)
	for at := range text {
		offsets = append(offsets, at)
	}
	offsets = append(offsets, len(text))
	var spans []layout.Span
	for _, r := range ranges {
		if r[1] >= len(offsets) {
			return nil, fmt.Errorf("training: %s ends before the labelled passage %v", l.File, r)
		}
		spans = append(spans, layout.Span{Start: offsets[r[0]], End: offsets[r[1]]})
	}
	return spans, nil
}

// ruled returns the clauses that rules find without weights, by kind.
func ruled(d *structure.Document) map[string][]layout.Span {
	found := map[string][]layout.Span{}
	for _, f := range clauses.Find(d) {
		if kind := f.Item.ClauseType; !slices.Contains(clauses.Learned(), kind) {
			found[kind] = append(found[kind], f.Span)
		}
	}
	return found
}
