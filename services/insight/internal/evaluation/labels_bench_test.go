package evaluation_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/learn/training"
)

// labelFolder is the folder of the labels. It is made absolute before the object server
// changes the working directory.
var labelFolder, _ = filepath.Abs("../../../../tests/bench/gold")

// TestBenchLabels measures the rules on the labels in tests/bench/gold, each set by itself. The
// weights take part only where they were not fitted to these labels.
func TestBenchLabels(t *testing.T) {
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("SKIPPED: set RECTO_BENCH=1 to measure the labels")
	}
	dir := corpus.Folder(t, "contracts")
	b := newBench(t)
	for _, set := range evaluation.Sets {
		t.Run(set, func(t *testing.T) { b.measureLabels(t, dir, set) })
	}
}

// measureLabels measures the rules on a set of labels.
func (b *bench) measureLabels(t *testing.T, dir, set string) {
	labels, err := evaluation.ReadLabels(labelFolder, set)
	if err != nil {
		t.Fatal(err)
	}
	rules := b.rules()
	if !slices.Contains(training.PaymentSets, set) {
		rules = newContender("rules and weights", b.with(learn.Clauses()))
	}
	for _, l := range limited(t, labels) {
		data := read(t, dir, "txt", l.File)
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != l.SHA256 {
			t.Fatalf("%s is not the text that was labelled", l.File)
		}
		d, answer := b.analyze(t, rules, b.Text(string(data)), evaluation.LabelRequests())
		rules.report.AddLabels(d, &answer, l)
	}
	finish(t, "insights-labels-"+set, rules)
}

// TestBenchNDALabels measures the rules and the weights, which were fitted to no such agreement,
// on the labels of non-disclosure agreements.
func TestBenchNDALabels(t *testing.T) {
	if os.Getenv("RECTO_BENCH") == "" {
		t.Skip("SKIPPED: set RECTO_BENCH=1 to measure the labels")
	}
	dir := corpus.Folder(t, "contract-nli")
	texts := map[string]string{}
	for _, n := range ndas(t, dir) {
		texts[n.Name] = n.Text
	}
	b := newBench(t)
	for _, set := range evaluation.NDASets {
		labels, err := evaluation.ReadNDALabels(labelFolder, set)
		if err != nil {
			t.Fatal(err)
		}
		c := newContender("rules and weights", b.with(learn.Clauses()))
		for _, l := range limited(t, labels) {
			if sum := sha256.Sum256([]byte(texts[l.File])); hex.EncodeToString(sum[:]) != l.SHA256 {
				t.Fatalf("%s is not the text that was labelled", l.File)
			}
			d, answer := b.analyze(t, c, b.Text(texts[l.File]), evaluation.NDARequests())
			c.report.AddNDALabels(d, &answer, l)
		}
		finish(t, "insights-"+set, c)
	}
}
