package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
)

// The source of the weights, for their manifests.
const (
	source      = "CUAD v1, a part of its contracts"
	license     = "CC BY 4.0"
	attribution = "Contract Understanding Atticus Dataset (CUAD), The Atticus Project"
)

// Write fits the weights to the contracts of a folder, and writes them with their manifest.
func Write(data, out string, progress func(string)) error {
	documents, err := Contracts(data)
	if err != nil {
		return err
	}
	r, err := Train(documents, ClauseKinds(), progress, false)
	if err != nil {
		return err
	}
	m, err := manifest(data, documents, r)
	if err != nil {
		return err
	}
	progress(fmt.Sprintf("%d bytes; by folds: presence %v, over the oldest kinds %v, passages %v",
		len(r.File), m.Presence, m.PresenceOlder, m.Passages))
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
// their manifest. data and labels are as for PaymentContracts.
func WritePayments(data, labels, out string, progress func(string)) error {
	documents, err := PaymentContracts(data, labels)
	if err != nil {
		return err
	}
	file, byFolds, err := Payments(documents)
	if err != nil {
		return err
	}
	hash, err := hashOfFiles(labels, paymentFiles())
	if err != nil {
		return err
	}
	var rules evaluation.Score
	for i := range documents {
		addPayments(&rules, &documents[i], nil)
	}
	sum := sha256.Sum256(file)
	m := learn.PaymentsManifest{
		Data: source, Labels: "tests/bench/gold: " + strings.Join(PaymentSets, ", "), License: license, Attribution: attribution,
		Changes:      "The contracts were labelled, and reduced to weights of hashed word n-grams. The weights contain no text.",
		LabelsSHA256: hash, WeightsSHA256: hex.EncodeToString(sum[:]), Documents: len(documents), Payments: byFolds.Gold, Folds: Folds,
		Weights: paymentFigures(byFolds), Rules: paymentFigures(rules),
	}
	progress(fmt.Sprintf("%d bytes; payments by folds: %+v; the rules alone: %+v", len(file), m.Weights, m.Rules))
	return write(out, learn.PaymentsWeightsName, file, learn.PaymentsManifestName, m)
}

func paymentFigures(s evaluation.Score) learn.PaymentFigures {
	return learn.PaymentFigures{Precision: rounded(s.Precision()), Recall: rounded(s.Recall()), F1: rounded(s.F1())}
}

// manifest describes the weights.
func manifest(data string, documents []Document, r *Result) (learn.Manifest, error) {
	hash, err := hashOf(data)
	if err != nil {
		return learn.Manifest{}, err
	}
	sum := sha256.Sum256(r.File)
	m := learn.Manifest{
		Data: source, License: license, Attribution: attribution,
		Changes:    "The contracts were reduced to weights of hashed word n-grams. The weights contain no text.",
		DataSHA256: hash, WeightsSHA256: hex.EncodeToString(sum[:]), Documents: len(documents), Folds: Folds,
		Kinds: map[string]learn.KindFigures{},
	}
	figures := r.Measure(documents)
	total := evaluation.Totals(figures.Presence, figures.Passages)
	m.Presence, m.PresenceOlder, m.Passages = rounded(total.Presence.F1()), rounded(total.Older.F1()), rounded(total.Spans.F1())
	for i, k := range ClauseKinds() {
		kind, compared := strings.ToLower(k.Name), r.Compared[i]
		if p := figures.Presence[kind]; p != nil {
			m.Kinds[k.Name] = learn.KindFigures{
				Documents: p.Gold, Presence: rounded(p.F1()), Passages: rounded(figures.Passages[kind].F1()),
				ByRule: compared.ByRule(), RulePresence: rounded(compared.Rule.F1()), WeightsPresence: rounded(compared.Weights.F1()),
			}
		}
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
	names := []string{"gold.json"}
	for _, c := range all {
		names = append(names, filepath.Join("txt", filepath.Base(c.Txt)))
	}
	return hashOfFiles(data, names)
}

// hashOfFiles returns the hash of the files of a folder with the names, in this order.
func hashOfFiles(dir string, names []string) (string, error) {
	h := sha256.New()
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, name))
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
