package training_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
	"github.com/rectohq/recto/services/insight/internal/learn/training"
)

// slang maps words of questions to what the sentences say that answer them, and to the values in these, ""
// for none.
var slang = []struct{ asks, says, value string }{
	{"How do we skedaddle?", "Each party may end the charter after notifying the other.", ""},
	{"What is the damage for a brew?", "A kettle of tea is charged at nine crowns.", "nine crowns"},
	{"Who minds the moggy?", "The cat is fed by the purser.", "the purser"},
	{"When do we knock off?", "Work on deck stops at sunset.", "at sunset"},
	{"Where do we doss?", "Berths are in the forward cabin.", "in the forward cabin"},
	{"Who coughs up for grub?", "Provisions are bought by the charterer.", "the charterer"},
}

// asked returns contracts of writers a to e, each with questions in slang, one of them without an answer.
func asked() (all []evaluation.Written) {
	for i := range 40 {
		w := evaluation.Written{ID: fmt.Sprintf("%c%d", 'a'+i%5, i), Text: "CHARTER\n\nThe vessel lies at berth " + fmt.Sprint(i+3) + " of the old harbour.\n\n"}
		for k, s := range slang {
			question := evaluation.WrittenQuestion{Question: s.asks}
			if k != i%len(slang) {
				w.Text += s.says + "\n\n"
				question.Quote = new(s.says)
				if s.value != "" {
					question.Value = new(s.value)
				}
			}
			w.Questions = append(w.Questions, question)
		}
		all = append(all, w)
	}
	return all
}

// writeSets writes the sets of questions to a folder: some about contracts of another set.
func writeSets(t *testing.T, dir string) {
	t.Helper()
	lines := map[string]*bytes.Buffer{}
	for _, set := range []string{"questions-fit", "private-fit", "terms-fit", "clauses-fit", "usual-fit", "agreements-fit", "sections-fit", "filings-fit"} {
		lines[set] = &bytes.Buffer{}
	}
	write := func(set string, member any) {
		line, err := json.Marshal(member)
		if err != nil {
			t.Fatal(err)
		}
		lines[set].Write(append(line, '\n'))
	}
	for i, w := range asked() {
		if i%2 == 0 {
			write("private-fit", w)
			continue
		}
		write("questions-fit", map[string]any{"set": "sections-fit", "id": w.ID, "questions": w.Questions})
		w.Questions = nil
		write("sections-fit", w)
	}
	for set, content := range lines {
		if err := os.WriteFile(filepath.Join(dir, set+".jsonl"), content.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWriteQuestions shows that the trainer learns which words of questions mean which of contracts, for
// contracts of other writers, and writes the same weights with their manifest twice.
func TestWriteQuestions(t *testing.T) {
	s, out := training.Sources{Written: t.TempDir()}, t.TempDir()
	writeSets(t, s.Written)
	if err := os.WriteFile(filepath.Join(out, learn.WeightsName), learn.WeightsFile(), 0o600); err != nil {
		t.Fatal(err)
	}
	var files [2][]byte
	for i := range files {
		files[i] = fitted(t, training.WriteQuestions, s, out, learn.QuestionsWeightsName)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("fitting twice gave different bytes")
	}
	content, err := os.ReadFile(filepath.Join(out, learn.QuestionsManifestName))
	if err != nil {
		t.Fatal(err)
	}
	var m learn.QuestionsManifest
	if err := json.Unmarshal(content, &m); err != nil || m.Documents != 40 || m.Questions != 240 || m.Pairs == 0 || m.WeightsSHA256 != fmt.Sprintf("%x", sha256.Sum256(files[0])) || m.LabelsSHA256 == "" {
		t.Errorf("got manifest %+v, error %v", m, err)
	}
	if m.Answers.F1 < 0.9 || m.Silent < 0.8 {
		t.Errorf("got %+v right by folds, and silent about %v of the others, want nearly all", m.Answers, m.Silent)
	}
	if m.Values.F1 < 0.85 {
		t.Errorf("got %+v of the values right by folds, want nearly all", m.Values)
	}
	model, err := pairs.Decode(files[0])
	if err != nil {
		t.Fatal(err)
	}
	weights := model.Weights([]pairs.Feature{pairs.FeatureOf("mogg")}, []pairs.Feature{pairs.FeatureOf("cat"), pairs.FeatureOf("vessel")})
	if weights[0] <= 0 || weights[1] > 0 {
		t.Errorf("got the weights %v of a word that means the same and of another one", weights)
	}
}

// TestWriteQuestionsErrors shows what the trainer needs.
func TestWriteQuestionsErrors(t *testing.T) {
	written, out := t.TempDir(), t.TempDir()
	writeSets(t, written)
	run := func() error { return training.WriteQuestions(training.Sources{Written: written}, out, func(string) {}) }
	if err := run(); err == nil {
		t.Error("got no error without weights of clauses")
	}
	weights := filepath.Join(out, learn.WeightsName)
	if err := os.WriteFile(weights, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(); err == nil {
		t.Error("got no error for damaged weights of clauses")
	}
	if err := os.WriteFile(weights, learn.WeightsFile(), 0o600); err != nil {
		t.Fatal(err)
	}
	for set, content := range map[string]string{
		"private-fit":   `{"id":"a1","text":"CHARTER","questions":[{"question":"Where?","quote":null,"value":null}]}`,
		"questions-fit": `{"set":"sections-fit","id":"unknown","questions":[]}`,
		"usual-fit":     `{"unknown":1}`,
	} {
		path := filepath.Join(written, set+".jsonl")
		right, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		wrong := []byte(content)
		if set == "private-fit" { // only one fold has questions
			if err := os.WriteFile(filepath.Join(written, "questions-fit.jsonl"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, wrong, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run(); err == nil || strings.Contains(err.Error(), "no such file") {
			t.Errorf("got the error %v for a wrong %s", err, set)
		}
		if err := os.WriteFile(path, right, 0o600); err != nil {
			t.Fatal(err)
		}
		writeSets(t, written)
	}
}
