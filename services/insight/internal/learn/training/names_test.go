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
	"github.com/rectohq/recto/services/insight/internal/learn/names"
	"github.com/rectohq/recto/services/insight/internal/learn/training"
	"github.com/rectohq/recto/services/insight/internal/rules/naming"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// voyage returns a contract in which a verb that no rule knows says who the parties are.
func voyage(id, person, ship, firm string) evaluation.Written {
	return evaluation.Written{
		ID: id, Text: "VOYAGE\n\nIn the spring " + person + " skippers the boat " + ship + " at the behest of " + firm + ".\n",
		Parties: []evaluation.WrittenParty{{Name: person, Kind: "person"}, {Name: firm, Kind: "organization"}},
	}
}

// voyages writes sets with voyages of writers a to e, and returns their folder.
func voyages(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	lines := map[string]*bytes.Buffer{}
	for _, set := range []string{"parties-fit", "private-fit", "agreements-fit", "usual-fit", "everyday-fit", "terms-fit", "clauses-fit", "sections-fit"} {
		lines[set] = &bytes.Buffer{}
	}
	write := func(set string, member any) {
		line, err := json.Marshal(member)
		if err != nil {
			t.Fatal(err)
		}
		lines[set].Write(append(line, '\n'))
	}
	for i := range 40 {
		letters := func(n int) string { return string([]byte{byte('a' + i%26), 'o', byte('a' + n%26)}) }
		w := voyage(fmt.Sprintf("%c%d", 'a'+i%5, i), "Ky"+letters(i)+" Mo"+letters(i+7), "Za"+letters(i+3), "Ru"+letters(i+11)+" Wharf")
		write("parties-fit", w)
		write("sections-fit", map[string]string{"id": w.ID, "text": w.Text}) // not labelled
	}
	for set, content := range lines {
		if err := os.WriteFile(filepath.Join(dir, set+".jsonl"), content.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestWriteNames shows that the trainer learns how contracts use the names of parties, for contracts of other
// writers, and writes the same weights with their manifest twice.
func TestWriteNames(t *testing.T) {
	s, out := training.Sources{Written: voyages(t)}, t.TempDir()
	var files [2][]byte
	for i := range files {
		files[i] = fitted(t, training.WriteNames, s, out, learn.PartiesWeightsName)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("fitting twice gave different bytes")
	}
	content, err := os.ReadFile(filepath.Join(out, learn.PartiesManifestName))
	if err != nil {
		t.Fatal(err)
	}
	var m learn.PartiesManifest
	if err := json.Unmarshal(content, &m); err != nil || m.Documents != 40 || m.Parties != 80 || m.Features == 0 || m.WeightsSHA256 != fmt.Sprintf("%x", sha256.Sum256(files[0])) || m.LabelsSHA256 == "" {
		t.Errorf("got manifest %+v, error %v", m, err)
	}
	if m.Weights.F1 < 0.95 || m.Rules.F1 > 0.5 || m.Kinds < 0.95 {
		t.Errorf("got %+v by folds, %+v by rules alone and %v kinds, want nearly all of what rules do not find", m.Weights, m.Rules, m.Kinds)
	}
	model, err := names.Decode(files[0])
	if err != nil {
		t.Fatal(err)
	}
	w := voyage("x", "Ada Kern", "Birch", "Elm Wharf")
	var found []string
	for _, j := range naming.Read(rulestest.Read(w.Text)).Judge(model, nil) {
		if j.Party {
			found = append(found, fmt.Sprintf("%s %v", w.Text[j.Start:j.End], j.Person))
		}
	}
	if fmt.Sprint(found) != "[Ada Kern true Elm Wharf false]" {
		t.Errorf("got the parties %q of another voyage", found)
	}
}

// TestWriteNamesErrors shows what the trainer needs.
func TestWriteNamesErrors(t *testing.T) {
	dir := voyages(t)
	if err := os.WriteFile(filepath.Join(dir, "usual-fit.jsonl"), []byte(`{"unknown":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := training.WriteNames(training.Sources{Written: dir}, t.TempDir(), func(string) {}); err == nil {
		t.Error("got no error for a damaged set")
	}
	for set := range strings.FieldsSeq("parties-fit sections-fit usual-fit") {
		if err := os.WriteFile(filepath.Join(dir, set+".jsonl"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := training.WriteNames(training.Sources{Written: dir}, t.TempDir(), func(string) {}); err == nil || !strings.Contains(err.Error(), "parties-fit") {
		t.Errorf("got the error %v for sets without contracts, want one that names them", err)
	}
	if err := training.WriteNames(training.Sources{Written: t.TempDir()}, t.TempDir(), func(string) {}); err == nil {
		t.Error("got no error without sets")
	}
	if err := training.WriteNames(training.Sources{Written: voyages(t)}, filepath.Join(dir, "missing"), func(string) {}); err == nil {
		t.Error("got no error without a folder to write to")
	}
}
