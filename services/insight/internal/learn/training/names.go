package training

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
	"github.com/rectohq/recto/services/insight/internal/learn/names"
	"github.com/rectohq/recto/services/insight/internal/rules/naming"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// partySets are the sets of contracts whose parties are learned from.
var partySets = []string{"parties-fit", "private-fit", "agreements-fit", "usual-fit", "everyday-fit", "terms-fit", "clauses-fit", "sections-fit"}

const (
	// namesCost is the inverse of the L2 penalty of the weights for names, and namesRounds the maximum
	// number of rounds of their fit.
	namesCost, namesRounds = 0.3, 60
	// mostNameFeatures is how many features have a weight.
	mostNameFeatures = 1870
	// mostPersonFeatures is how many have one for the names of people.
	mostPersonFeatures = 450
	// leastNames is how many names have a feature at least, so that it has a weight.
	leastNames = 3
)

// Named is a contract with its parties.
type Named struct {
	document *structure.Document
	fold     int
	gold     []string
	// features are those of each name, and right says which names are those of parties.
	features []names.Features
	right    []bool
	// kinds says what each name that is that of a party names.
	kinds []string
}

// Named reads the contracts whose parties are labelled.
func (s Sources) Named() (all []Named, err error) {
	for _, set := range partySets {
		contracts, err := evaluation.ReadWritten(s.Written, set)
		if err != nil {
			return nil, err
		}
		for _, w := range contracts {
			if w.Parties != nil && naming.Reads(w.Text) {
				all = append(all, namedIn(w))
			}
		}
	}
	return all, nil
}

// namedIn returns a contract with its parties and the features of its names.
func namedIn(w evaluation.Written) Named {
	n := Named{document: structure.Read(&layout.Document{Text: w.Text}), fold: foldOfWriter(w)}
	gold := map[string]string{}
	for _, p := range w.Parties {
		n.gold = append(n.gold, naming.Key(p.Name))
		gold[naming.Key(p.Name)] = p.Kind
	}
	read, votes := naming.Read(n.document), parties.Votes(n.document)
	for i, name := range read.All() {
		kind, right := gold[naming.Key(n.document.Plain(name.Span))]
		n.features, n.right, n.kinds = append(n.features, read.Features(i, votes)), append(n.right, right), append(n.kinds, kind)
	}
	return n
}

// score adds the parties that are found with weights to a score.
func (n *Named) score(s *evaluation.Score, weights *names.Model) {
	var found []string
	for _, f := range parties.FindWith(n.document, weights) {
		found = append(found, naming.Key(f.Item.PartyName))
	}
	s.AddSpans(among(found, n.gold), among(n.gold, found))
}

// scoreKinds adds to a score whether names of parties are known as those of people and of organizations.
func (n *Named) scoreKinds(s *evaluation.Score, weights *names.Model) {
	for i, f := range n.features {
		if n.right[i] {
			s.Add(true, true, weights.Person(f) == (n.kinds[i] == insightapi.PartyPerson))
		}
	}
}

// among reports for each key whether it is one of others.
func among(keys, others []string) (is []bool) {
	for _, key := range keys {
		is = append(is, slices.Contains(others, key))
	}
	return is
}

// FittedNames is what training with parties gives.
type FittedNames struct {
	// File holds the weights, and Features is how many there are.
	File     []byte
	Features int
	// Weights counts the parties that are found by rules and weights, by folds, and Rules those that the
	// rules find alone.
	Weights, Rules evaluation.Score
	// Kinds counts the parties that are found, by folds, and are what they are said to be: people or
	// organizations.
	Kinds evaluation.Score
}

// FitNames fits the weights that say which names are those of parties. There must be contracts.
func FitNames(contracts []Named) FittedNames {
	s := newNameSet(contracts)
	var r FittedNames
	var folds [Folds]names.Weights
	inParallel(Folds, func(fold int) { folds[fold] = s.weights(fold) })
	odds := s.byFolds(folds)
	for fold := range folds {
		folds[fold].Best, folds[fold].Others = s.calibrated(odds, fold)
		m := names.New(folds[fold])
		for i := range contracts {
			if contracts[i].fold == fold {
				contracts[i].score(&r.Weights, m)
				contracts[i].score(&r.Rules, nil)
				contracts[i].scoreKinds(&r.Kinds, m)
			}
		}
	}
	whole := s.weights(none)
	whole.Best, whole.Others = s.calibrated(odds, none)
	r.Features = len(whole.Features) + len(whole.Persons)
	r.File = names.Encode(whole)
	return r
}

// nameSet holds the names of contracts as examples.
type nameSet struct {
	contracts []Named
	index     map[names.Feature]int32
	keys      []names.Feature
}

// newNameSet returns the names of contracts with the features that several names have.
func newNameSet(contracts []Named) *nameSet {
	s := &nameSet{contracts: contracts, index: map[names.Feature]int32{}}
	counts := map[names.Feature]int{}
	for _, c := range contracts {
		for _, f := range c.features {
			for _, key := range slices.Concat(f.Facts, f.Uses) {
				if counts[key]++; counts[key] == leastNames {
					s.index[key] = int32(len(s.keys))
					s.keys = append(s.keys, key)
				}
			}
		}
	}
	return s
}

// row returns the features of a name that have an index, with their values.
func (s *nameSet) row(f names.Features) (row []int32, values []float32) {
	add := func(key names.Feature, value float64) {
		if i, ok := s.index[key]; ok {
			row, values = append(row, i), append(values, float32(value))
		}
	}
	for _, key := range f.Facts {
		add(key, 1)
	}
	for _, key := range f.Uses {
		add(key, names.Use(len(f.Uses)))
	}
	return row, values
}

// weights fits weights to the contracts that are not in a fold.
func (s *nameSet) weights(without int) (w names.Weights) {
	var parties, persons problem
	for _, c := range s.contracts {
		if c.fold == without {
			continue
		}
		for i, f := range c.features {
			row, values := s.row(f)
			parties.add(row, values, c.right[i], namesCost)
			if c.right[i] {
				persons.add(row, values, c.kinds[i] == insightapi.PartyPerson, namesCost)
			}
		}
	}
	w.Features, w.Step = s.strongest(parties.fit(len(s.keys), namesRounds), mostNameFeatures)
	w.Persons, w.PersonStep = s.strongest(persons.fit(len(s.keys), namesRounds), mostPersonFeatures)
	return w
}

// strongest keeps the strongest weights, in whole steps.
func (s *nameSet) strongest(fitted []float32, most int) (kept []hashed.Weight, step float32) {
	order := make([]int, len(fitted))
	for i := range order {
		order[i] = i
	}
	strength := func(i int) float64 { return math.Abs(float64(fitted[i])) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(strength(b), strength(a)) })
	step = float32(strength(order[0]) / math.MaxInt8)
	for _, i := range order[:min(len(order), most)] {
		if value := math.Round(float64(fitted[i]) / float64(step)); value != 0 {
			kept = append(kept, hashed.Weight{Key: s.keys[i], Weight: int8(value)})
		}
	}
	return kept, step
}

// byFolds returns the logarithm of the odds of each name by weights that were fitted to other folds.
func (s *nameSet) byFolds(folds [Folds]names.Weights) [][]float64 {
	odds := make([][]float64, len(s.contracts))
	for fold, w := range folds {
		m := names.New(w)
		for i, c := range s.contracts {
			if c.fold != fold {
				continue
			}
			for _, f := range c.features {
				odds[i] = append(odds[i], m.Odds(f))
			}
		}
	}
	return odds
}

// calibrated fits the calibrations to the odds by folds, of the contracts that are not in a fold.
func (s *nameSet) calibrated(odds [][]float64, without int) (best, others names.Calibration) {
	var of [2]problem
	for i, c := range s.contracts {
		if c.fold == without {
			continue
		}
		for k, isBest := range names.Best(odds[i]) {
			p := &of[0]
			if !isBest {
				p = &of[1]
			}
			p.add([]int32{0, 1}, []float32{float32(odds[i][k]), 1}, c.right[k], calibrationCost)
		}
	}
	x, y := of[0].fit(2, 200), of[1].fit(2, 200)
	return names.Calibration{Slope: x[0], Offset: x[1]}, names.Calibration{Slope: y[0], Offset: y[1]}
}

// WriteNames fits the weights that say which names are those of parties, and writes them with their
// manifest.
func WriteNames(s Sources, out string, progress func(string)) error {
	contracts, err := s.Named()
	if err != nil {
		return err
	}
	if len(contracts) == 0 {
		return fmt.Errorf("training: %s in %s have no contract with labelled parties", strings.Join(partySets, ", "), s.Written)
	}
	r := FitNames(contracts)
	var files []string
	for _, set := range partySets {
		files = append(files, filepath.Join(s.Written, set+".jsonl"))
	}
	hash, err := hashOfFiles(files)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(r.File)
	m := learn.PartiesManifest{
		Data:         "tests/bench/written: " + strings.Join(partySets, ", "),
		Changes:      "The contracts were reduced to weights of hashed words around names. The weights contain no text.",
		LabelsSHA256: hash, WeightsSHA256: hex.EncodeToString(sum[:]), Documents: len(contracts), Parties: r.Weights.Gold, Features: r.Features, Folds: Folds,
		Weights: figures(r.Weights), Rules: figures(r.Rules), Kinds: rounded(r.Kinds.Precision()),
	}
	progress(fmt.Sprintf("%d bytes; parties by folds: %+v; the rules alone: %+v; kinds that are right: %v", len(r.File), m.Weights, m.Rules, m.Kinds))
	return write(out, learn.PartiesWeightsName, r.File, learn.PartiesManifestName, m)
}
