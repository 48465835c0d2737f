package evaluation_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
)

// writtenFolder is the folder of the texts. It is made absolute before the object server changes
// the working directory.
var writtenFolder, _ = filepath.Abs("../../../../tests/bench/written")

// least are the F1 scores below which TestWritten fails, by set and row. They are a little lower
// than those that were measured, so that an improvement of one row may cost another a document.
var least = map[string]map[string]float64{
	"endings-fit": {"signers": 0.94, "signers with their parties": 0.77, "signers with their titles": 0.83},
	"agreements-fit": {
		"signers": 0.95, "signers with their parties": 0.84, "signers with their titles": 0.88, "parties": 0.98, "Agreement Date": 0.9, "Effective Date": 0.9, "Expiration Date": 0.9, "governing law of": 0.96, "title contained": 0.95,
	},
	"terms-fit": {
		"clauses": 0.94, "contract values": 0.94, "payments": 0.93, "limit cap": 0.92, "limit exclusion": 0.9, "limit uncapped": 0.93,
		"Agreement Date": 0.95, "Effective Date": 0.86, "Expiration Date": 0.94, "renewal term": 0.92, "notice period": 0.92,
		"governing law of": 0.96, "title contained": 0.93, "answers": 0.7, "values of answers": 0.76, "parties": 0.86,
	},
	"usual-fit": {
		"contract values": 0.96, "parties": 0.95, "Agreement Date": 0.88, "Effective Date": 0.85, "Expiration Date": 0.9, "renewal term": 0.82, "notice period": 0.95,
		"governing law of": 0.96, "title contained": 0.93, "limit cap": 0.88, "payments": 0.82, "answers": 0.71, "values of answers": 0.65,
	},
	"everyday-fit": {
		"contract values": 0.88, "parties": 0.95, "Agreement Date": 0.85, "Effective Date": 0.8, "Expiration Date": 0.83, "renewal term": 0.8, "notice period": 0.8,
		"governing law of": 0.93, "title contained": 0.91, "limit cap": 0.87, "limit exclusion": 0.87, "payments": 0.81,
		"answers": 0.35, "values of answers": 0.25,
	},
	"parties-fit":   {"parties": 0.69},
	"sections-fit":  {"clauses": 0.98, "payments": 0.9, "parties": 0.88},
	"filings-fit":   {"clauses": 0.97, "payments": 0.97},
	"questions-fit": {"answers": 0.88, "values of answers": 0.7},
	"private-fit":   {"answers": 0.75, "values of answers": 0.51, "parties": 0.82},
	"titles-fit":    {"title contained": 0.83},
	"clauses-fit":   {"clauses": 0.94, "parties": 0.93, "Agreement Date": 0.88, "governing law of": 0.95, "title contained": 0.86, "answers": 0.7, "values of answers": 0.73},
}

// TestWritten measures insights on texts that were written for it, which are in the repository:
// signature blocks, parties and dates as they are usual around the world.
func TestWritten(t *testing.T) {
	b := newBench(t)
	for _, set := range evaluation.WrittenSets {
		t.Run(set, func(t *testing.T) { b.measureWritten(t, set) })
	}
}

// measureWritten measures a set of texts.
func (b *bench) measureWritten(t *testing.T, set string) {
	all, err := evaluation.ReadWritten(writtenFolder, set)
	if err != nil || len(all) == 0 {
		t.Fatalf("got %d texts, error %v", len(all), err)
	}
	c := newContender("rules, weights", b.with(learn.Clauses()).WithPayments(learn.Payments()))
	seen := map[string]bool{}
	for _, w := range all {
		if seen[w.ID] && !strings.HasPrefix(set, "questions") { // these have the texts of several sets
			t.Errorf("two texts are called %s", w.ID)
		}
		seen[w.ID] = true
		for _, s := range w.Signers {
			if !strings.Contains(strings.ToLower(strings.Join(strings.Fields(w.Text), " ")), strings.ToLower(s.Name)) {
				t.Errorf("%s: the text does not contain the signer %q", w.ID, s.Name)
			}
		}
		_, answer := b.analyze(t, c, b.Text(w.Text), w.Requests())
		c.report.AddWritten(&answer, set, w)
	}
	finish(t, "insights-written-"+set, c)
	for row, want := range least[set] {
		if got := c.report.Scores[row]; got.F1() < want {
			t.Errorf("%s: F1 is %.3f, want at least %.3f", row, got.F1(), want)
		}
	}
}
