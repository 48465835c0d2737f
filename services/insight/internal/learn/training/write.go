package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
)

// The source of the weights, for their manifests.
const (
	source      = "CUAD v1, a part of its contracts"
	license     = "CC BY 4.0"
	attribution = "Contract Understanding Atticus Dataset (CUAD), The Atticus Project"
)

// Write fits the weights to annotated contracts, and writes them with their manifest.
func Write(s Sources, out string, progress func(string)) error {
	documents, err := s.Documents()
	if err != nil {
		return err
	}
	r, err := TrainClauses(documents, progress, false)
	if err != nil {
		return err
	}
	m, err := manifest(s, documents, r)
	if err != nil {
		return err
	}
	progress(fmt.Sprintf("%d bytes; by folds: presence %v, over the oldest kinds %v, passages %v; of written contracts: presence %v, passages %v",
		len(r.File), m.Presence, m.PresenceOlder, m.Passages, m.WrittenPresence, m.WrittenPassages))
	return write(out, learn.WeightsName, r.File, learn.ManifestName, m)
}

// write writes a file of weights and its manifest.
func write(out, name string, weights []byte, manifestName string, manifest any) error {
	text, err := json.Marshal(manifest, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, name), weights, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, manifestName), append(text, '\n'), 0o644)
}

// WritePayments fits the weights of payments to the labelled contracts, and writes them with
// their manifest.
func WritePayments(s Sources, out string, progress func(string)) error {
	documents, err := s.PaymentDocuments()
	if err != nil {
		return err
	}
	file, byFolds, err := Payments(documents)
	if err != nil {
		return err
	}
	hash, err := hashOfFiles(s.paymentFiles())
	if err != nil {
		return err
	}
	var rules PaymentScores
	for i := range documents {
		addPayments(rules.of(&documents[i]), &documents[i], nil)
	}
	sum := sha256.Sum256(file)
	m := learn.PaymentsManifest{
		Data: source, Labels: "tests/bench/gold: " + strings.Join(PaymentSets, ", ") + "; tests/bench/written: " + strings.Join(writtenPayments, ", "), License: license, Attribution: attribution,
		Changes:      "The contracts were labelled, and reduced to weights of hashed word n-grams. The weights contain no text.",
		LabelsSHA256: hash, WeightsSHA256: hex.EncodeToString(sum[:]), Documents: len(documents), Payments: byFolds.Annotated.Gold + byFolds.Written.Gold, Folds: Folds,
		Weights: figures(byFolds.Annotated), Rules: figures(rules.Annotated),
		WrittenWeights: figures(byFolds.Written), WrittenRules: figures(rules.Written),
	}
	progress(fmt.Sprintf("%d bytes; payments by folds: %+v; the rules alone: %+v; of written contracts: %+v; the rules alone: %+v",
		len(file), m.Weights, m.Rules, m.WrittenWeights, m.WrittenRules))
	return write(out, learn.PaymentsWeightsName, file, learn.PaymentsManifestName, m)
}

func figures(s evaluation.Score) learn.PassageFigures {
	return learn.PassageFigures{Precision: rounded(s.Precision()), Recall: rounded(s.Recall()), F1: rounded(s.F1())}
}

// manifest describes the weights.
func manifest(s Sources, documents []Document, r *Result) (learn.Manifest, error) {
	hash, err := hashOf(s.Contracts)
	if err != nil {
		return learn.Manifest{}, err
	}
	labels, err := hashOfFiles(s.files())
	if err != nil {
		return learn.Manifest{}, err
	}
	begin := writtenFrom(documents)
	sum := sha256.Sum256(r.File)
	m := learn.Manifest{
		Data: source, Labels: "tests/bench/gold: " + boilerplateSet + "; tests/bench/written: " + strings.Join(WrittenSets, ", "), License: license, Attribution: attribution,
		Changes:    "The contracts were reduced to weights of hashed word n-grams. The weights contain no text.",
		DataSHA256: hash, LabelsSHA256: labels, WeightsSHA256: hex.EncodeToString(sum[:]),
		Documents: begin, WrittenDocuments: len(documents) - begin, Folds: Folds,
		Kinds: map[string]learn.KindFigures{},
	}
	annotated, written, both := r.Measure(documents[:begin]), r.Measure(documents[begin:]), r.Measure(documents)
	total := evaluation.Totals(annotated.Presence, annotated.Passages)
	m.Presence, m.PresenceOlder, m.Passages = rounded(total.Presence.F1()), rounded(total.Older.F1()), rounded(total.Spans.F1())
	total = evaluation.Totals(written.Presence, written.Passages)
	m.WrittenPresence, m.WrittenPassages = rounded(total.Presence.F1()), rounded(total.Spans.F1())
	for _, name := range clauses.Kinds() {
		p, passages := both.Presence[strings.ToLower(name)], both.Passages[strings.ToLower(name)]
		if p == nil {
			continue
		}
		f := learn.KindFigures{Documents: p.Gold, Presence: rounded(p.F1()), Passages: rounded(passages.F1())}
		if i := slices.Index(clauses.Learned(), name); i >= 0 {
			compared := r.Compared[i]
			f.ByRule, f.RulePresence, f.WeightsPresence = compared.ByRule(), rounded(compared.Rule.F1()), rounded(compared.Weights.F1())
		}
		m.Kinds[name] = f
	}
	return m, nil
}

// rounded keeps three digits.
func rounded(x float64) float64 { return float64(int(x*1000+0.5)) / 1000 }

// hashOf returns the hash of the annotations and of all texts.
func hashOf(data string) (string, error) {
	all, err := evaluation.Contracts(data)
	if err != nil {
		return "", err
	}
	names := []string{filepath.Join(data, "gold.json")}
	for _, c := range all {
		names = append(names, filepath.Join(data, "txt", filepath.Base(c.Txt)))
	}
	return hashOfFiles(names)
}

// hashOfFiles returns the hash of the files with the names, in this order.
func hashOfFiles(names []string) (string, error) {
	h := sha256.New()
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(content)
		if _, err := bytes.NewReader(sum[:]).WriteTo(h); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
