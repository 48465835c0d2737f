package training_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/testkit/corpus"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/learn/training"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// insured are sentences of one kind. The contracts below differ in them.
var insured = []string{
	"The %s shall keep the cargo insured against fire and theft at its own expense.",
	"Throughout the term, the %s keeps insured all cargo that is stored.",
	"A policy by which the cargo is insured shall be shown by the %s on request.",
}

// plain are sentences of no kind.
var plain = []string{
	"The %s delivers the cargo to the north gate of the yard.",
	"Invoices of the %s are due within thirty days after they arrive.",
	"Every letter to the %s shall be sent to the address above.",
	"The %s shall name one person who answers questions about the yard.",
	"Weights are measured by the %s with a scale that was checked this year.",
	"The gate is opened by the %s at seven in the morning.",
}

// written returns contracts written for the test. Every second one has the kind.
func written(n int) []training.Document {
	var documents []training.Document
	for i := range n {
		party := []string{"Carrier", "Keeper", "Porter", "Agent"}[i%4]
		var text strings.Builder
		fmt.Fprintf(&text, "YARD AGREEMENT\n\n")
		d := training.Document{Fold: i % training.Folds, Has: map[string]bool{}, Gold: map[string][]layout.Span{}}
		for k := range 8 {
			fmt.Fprintf(&text, "%d. ", k+1)
			sentence := fmt.Sprintf(plain[(i+k)%len(plain)], party)
			if i%2 == 0 && k == i%8 {
				sentence = fmt.Sprintf(insured[i/2%len(insured)], party)
				d.Has[insurance] = true
				d.Gold[insurance] = append(d.Gold[insurance], layout.Span{Start: text.Len(), End: text.Len() + len(sentence)})
			}
			text.WriteString(sentence + "\n\n")
		}
		d.Document = structure.Read(&layout.Document{Text: text.String()})
		d.Votes = make([]learn.Votes, len(d.Sentences))
		documents = append(documents, d)
	}
	return documents
}

const insurance = "Insurance"

// TestTrain shows that the weights find passages in documents that they were not fitted
// to, without a vote of any rule, and that training twice gives the same bytes.
func TestTrain(t *testing.T) {
	documents := written(60)
	kinds := []training.Kind{{Name: insurance}, {Name: "Audit Rights"}}
	r, err := training.Train(documents, kinds, func(string) {}, false)
	if err != nil {
		t.Fatal(err)
	}
	figures := r.Measure(documents)
	if p, s := figures.Presence["insurance"], figures.Passages["insurance"]; p.Gold != 30 || p.F1() < 0.95 || s.F1() < 0.95 {
		t.Errorf("got presence %+v and passages %+v, want nearly all of 30", p, s)
	}
	if p := figures.Presence["audit rights"]; p.Found != 0 {
		t.Errorf("got %d documents with a kind that has no example, want none", p.Found)
	}
	again, err := training.Train(written(60), kinds, func(string) {}, false)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(r.File, again.File) {
		t.Error("training twice gave different bytes")
	}
	m, err := learn.Decode(r.File)
	if err != nil {
		t.Fatal(err)
	}
	d := written(1)[0]
	found := m.Find(learn.ReadWords(d.Document), d.Votes, 10)
	if len(found) != 1 || found[0].Kind != insurance || found[0].Probability < 0.5 {
		t.Fatalf("got %+v, want one insurance clause", found)
	}
	if !slices.ContainsFunc(found[0].Words, func(s layout.Span) bool { return strings.Contains(d.Text[s.Start:s.End], "insured") }) {
		t.Errorf("got reasons %v, want one with the word insured", found[0].Words)
	}
}

// TestByRule shows that a rule decides about a kind for which it is right more often than
// the weights: here, a kind that the documents of one fold alone have.
func TestByRule(t *testing.T) {
	documents := written(60)
	for i := range documents {
		d := &documents[i]
		d.Has, d.Gold = map[string]bool{}, map[string][]layout.Span{}
		if i%20 == 0 {
			d.Has[insurance], d.Gold[insurance] = true, []layout.Span{d.Sentences[3].Span}
			d.Votes[3] = 1
		}
	}
	r, err := training.Train(documents, []training.Kind{{Name: insurance, Votes: 1}, {Name: "Audit Rights", Votes: 2}}, func(string) {}, false)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Compared[0].ByRule() || r.Compared[0].Rule.F1() != 1 || r.Compared[1].ByRule() {
		t.Errorf("got %+v, want the rule for the first kind", r.Compared)
	}
	if r.Folds[0].Decisions[0].ByRule || !r.Folds[1].Decisions[0].ByRule {
		t.Error("the documents of a fold took part in what was decided for it, or the others did not")
	}
	m, err := learn.Decode(r.File)
	if err != nil {
		t.Fatal(err)
	}
	found := m.Find(learn.ReadWords(documents[20].Document), documents[20].Votes, 10)
	if len(found) != 1 || !found[0].ByRule || found[0].Sentence != 3 {
		t.Errorf("got %+v, want the sentence with a vote", found)
	}
}

// TestFewerWrong shows that a rule with a higher F1 does not decide if it is wrong about as
// many documents as the weights.
func TestFewerWrong(t *testing.T) {
	weights := evaluation.Score{Found: 3, RightFound: 2, Gold: 10, Recalled: 2}
	for right, want := range map[int]bool{4: false, 5: true} {
		c := training.Comparison{Weights: weights, Rule: evaluation.Score{Found: 7, RightFound: right, Gold: 10, Recalled: right}}
		if c.Rule.F1() < weights.F1()+0.1 {
			t.Fatalf("the rule that is right %d times is not clearly better by F1", right)
		}
		if c.ByRule() != want {
			t.Errorf("right %d times: got %v, want %v", right, c.ByRule(), want)
		}
	}
}

func TestTooManyKinds(t *testing.T) {
	if _, err := training.Train(nil, make([]training.Kind, 65), func(string) {}, true); err == nil {
		t.Error("got no error for too many kinds")
	}
}

// sources returns the annotated contracts of testdata, labels of them, and the first texts of
// each set of written contracts.
func sources(t *testing.T) training.Sources {
	t.Helper()
	const data = "../../evaluation/testdata/contracts"
	s := training.Sources{Contracts: data, Labels: labelled(t, data), Written: t.TempDir()}
	for _, set := range training.WrittenSets {
		content, err := os.ReadFile(filepath.Join(writtenFolder, set+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfterN(content, []byte("\n"), 11)
		if err := os.WriteFile(filepath.Join(s.Written, set+".jsonl"), bytes.Join(lines[:10], nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// without returns sources that lack one folder, by the name of what is missing.
func without(t *testing.T, s training.Sources) map[string]training.Sources {
	t.Helper()
	return map[string]training.Sources{
		"contracts":         {Contracts: t.TempDir(), Labels: s.Labels, Written: s.Written},
		"labels":            {Contracts: s.Contracts, Labels: t.TempDir(), Written: s.Written},
		"written contracts": {Contracts: s.Contracts, Labels: s.Labels, Written: t.TempDir()},
	}
}

// The folders of labels and of written contracts.
const (
	goldFolder    = "../../../../../tests/bench/gold"
	writtenFolder = "../../../../../tests/bench/written"
)

// TestWrite shows that the trainer writes the same files for the same contracts.
func TestWrite(t *testing.T) {
	s := sources(t)
	var files [2][2][]byte
	for i := range files {
		dir := t.TempDir()
		if err := training.Write(s, dir, func(text string) { t.Log(text) }); err != nil {
			t.Fatal(err)
		}
		for k, name := range []string{learn.WeightsName, learn.ManifestName} {
			content, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			files[i][k] = content
		}
	}
	for k := range files[0] {
		if len(files[0][k]) == 0 || !bytes.Equal(files[0][k], files[1][k]) {
			t.Errorf("file %d: got %d and %d bytes that differ", k, len(files[0][k]), len(files[1][k]))
		}
	}
	for name, missing := range without(t, s) {
		if err := training.Write(missing, t.TempDir(), func(string) {}); err == nil {
			t.Errorf("got no error for a folder without %s", name)
		}
	}
	if err := training.Write(s, filepath.Join(t.TempDir(), "none"), func(string) {}); err == nil {
		t.Error("got no error for a folder that does not exist")
	}
	m, err := learn.Decode(files[0][0])
	if err != nil {
		t.Fatal(err)
	}
	base := slices.IndexFunc(m.Decisions, func(d learn.Decision) bool { return d.Short.From > 0 })
	if base <= 0 || !slices.ContainsFunc(m.Decisions[base:], func(d learn.Decision) bool { return d.Kind == "Term" || d.Kind == "Amendment" || d.Kind == "Notices" }) {
		t.Errorf("the last %d of %d decisions add passages, want some of kinds without annotations", len(m.Decisions)-base, len(m.Decisions))
	}
}

// labelled writes labels of the contracts of a folder, each with a passage as a payment, and
// returns the folder of the labels.
func labelled(t *testing.T, data string) string {
	t.Helper()
	dir := t.TempDir()
	var lines strings.Builder
	for _, name := range []string{"consulting.txt", "supply.txt"} {
		text, err := os.ReadFile(filepath.Join(data, "txt", name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, `{"file":%q,"sha256":"%x","payments":[{"amount":1,"percentage":null,"currency":"USD","due":null,"span":[100,160]}],"clauses":[{"kind":"Term","span":[100,160]}]}`+"\n", name, sha256.Sum256(text))
	}
	for _, set := range training.PaymentSets {
		if err := os.WriteFile(filepath.Join(dir, set+".jsonl"), []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestWritePayments shows that the trainer writes the same weights of payments for the same
// labels, and that it refuses a text that was not labelled.
func TestWritePayments(t *testing.T) {
	s := sources(t)
	var files [2][]byte
	for i := range files {
		dir := t.TempDir()
		if err := training.WritePayments(s, dir, func(text string) { t.Log(text) }); err != nil {
			t.Fatal(err)
		}
		weights, err := os.ReadFile(filepath.Join(dir, learn.PaymentsWeightsName))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = weights
		manifest, err := os.ReadFile(filepath.Join(dir, learn.PaymentsManifestName))
		if err != nil {
			t.Fatal(err)
		}
		var m learn.PaymentsManifest
		if err := json.Unmarshal(manifest, &m); err != nil || m.Documents != 34 || m.Payments < 20 || m.WrittenRules.F1 == 0 || m.WeightsSHA256 != fmt.Sprintf("%x", sha256.Sum256(weights)) {
			t.Errorf("got %+v, %v", m, err)
		}
	}
	if len(files[0]) == 0 || !bytes.Equal(files[0], files[1]) {
		t.Errorf("got %d and %d bytes that differ", len(files[0]), len(files[1]))
	}
	if err := training.WritePayments(s, filepath.Join(t.TempDir(), "none"), func(string) {}); err == nil {
		t.Error("got no error for a folder that does not exist")
	}
	for name, missing := range without(t, s) {
		if err := training.WritePayments(missing, t.TempDir(), func(string) {}); err == nil {
			t.Errorf("got no error for a folder without %s", name)
		}
	}
	tune := filepath.Join(s.Labels, "tune.jsonl")
	right, err := os.ReadFile(tune)
	if err != nil {
		t.Fatal(err)
	}
	digest := bytes.Index(right, []byte(`"sha256":"`)) + len(`"sha256":"`)
	other := slices.Clone(right)
	other[digest] = '0' + (other[digest]+1)%2 // another digit
	for name, wrong := range map[string][]byte{
		"another digest":         other,
		"a missing text":         bytes.Replace(right, []byte("consulting.txt"), []byte("other.txt"), 1),
		"a passage past the end": bytes.Replace(right, []byte("[100,160]"), []byte("[100,9999999]"), 1),
	} {
		if err := os.WriteFile(tune, wrong, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := training.WritePayments(s, t.TempDir(), func(string) {}); err == nil {
			t.Errorf("got no error for labels with %s", name)
		}
	}
}

// TestSecrecy shows that weights find passages in agreements of other folds, and that fitting them
// twice gives the same bytes.
func TestSecrecy(t *testing.T) {
	file, folds, byFolds, err := training.Secrecy(written(60))
	if err != nil {
		t.Fatal(err)
	}
	if byFolds.Gold != 30 || byFolds.F1() < 0.95 {
		t.Errorf("got %+v, want nearly all of 30", byFolds)
	}
	for fold, m := range folds {
		if kinds := m.Kinds(); !slices.Equal(kinds, []string{insurance}) {
			t.Errorf("fold %d decides about %q", fold, kinds)
		}
	}
	again, _, _, err := training.Secrecy(written(60))
	if err != nil || !bytes.Equal(file, again) {
		t.Errorf("fitting twice gave different bytes, error %v", err)
	}
}

// TestWriteSecrecy shows that the trainer writes weights for confidentiality agreements with their
// manifest, and fails without agreements, or without a folder to write to.
func TestWriteSecrecy(t *testing.T) {
	s, dir := training.Sources{Statements: "../../evaluation/testdata/contract-nli"}, t.TempDir()
	if err := training.WriteSecrecy(s, dir, func(text string) { t.Log(text) }); err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(filepath.Join(dir, learn.SecrecyWeightsName))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, learn.SecrecyManifestName))
	if err != nil {
		t.Fatal(err)
	}
	var m learn.SecrecyManifest
	if err := json.Unmarshal(manifest, &m); err != nil || m.Documents != 2 || m.WeightsSHA256 != fmt.Sprintf("%x", sha256.Sum256(weights)) || m.DataSHA256 == "" {
		t.Errorf("got %+v, %v", m, err)
	}
	if err := training.WriteSecrecy(s, filepath.Join(dir, "none"), func(string) {}); err == nil {
		t.Error("got no error for a folder that does not exist")
	}
	if err := training.WriteSecrecy(training.Sources{Statements: dir}, dir, func(string) {}); err == nil {
		t.Error("got no error for a folder without agreements")
	}
}

// TestPaymentsOfUnknownCompany shows that the trainer refuses a contract whose company is unknown:
// its fold would be arbitrary.
func TestPaymentsOfUnknownCompany(t *testing.T) {
	const data = "../../evaluation/testdata/contracts"
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "gold.json"), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (training.Sources{Contracts: copied, Labels: labelled(t, data)}).PaymentDocuments(); err == nil || !strings.Contains(err.Error(), "company") {
		t.Errorf("got %v, want that the company is unknown", err)
	}
}

// TestPayments shows that weights find payments in contracts of other folds that the rules
// miss.
func TestPayments(t *testing.T) {
	documents := written(60)
	for i := range documents {
		d := &documents[i]
		d.Gold = map[string][]layout.Span{}
		for k, s := range d.Sentences {
			d.Votes[k] = 1 << 6 // judged
			if strings.Contains(d.Text[s.Start:s.End], "insured") {
				d.Gold["Payment"] = append(d.Gold["Payment"], s.Span)
			}
		}
	}
	file, _, err := training.Payments(documents)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	f, right := m.Features(), 0
	for i := range documents {
		d := &documents[i]
		words := learn.ReadWords(d.Document)
		for k, s := range d.Sentences {
			if p := m.Judge(f, words, d.Votes, k); (p > 0.5) == strings.Contains(d.Text[s.Start:s.End], "insured") {
				right++
			} else {
				t.Logf("%.2f: %s", p, d.Text[s.Start:s.End])
			}
		}
	}
	if n := len(documents) * len(documents[0].Sentences); right < n*95/100 {
		t.Errorf("the weights are right about %d of %d sentences", right, n)
	}
}

// TestPaymentsInPassages shows that a labelled passage need not require a payment in every
// sentence: the weights learn which one does.
func TestPaymentsInPassages(t *testing.T) {
	const title = "The terms of the cargo follow."
	var documents []training.Document
	for _, d := range written(60) {
		text := strings.Replace(d.Text, "The", title+" The", 2)
		passage := layout.Span{}
		for _, g := range d.Gold[insurance] {
			text = d.Text[:g.Start] + title + " " + d.Text[g.Start:]
			passage = layout.Span{Start: g.Start, End: g.End + len(title) + 1}
		}
		d = training.Document{Document: structure.Read(&layout.Document{Text: text}), Fold: d.Fold, Has: map[string]bool{"Payment": true}, Gold: map[string][]layout.Span{}}
		if passage.Len() > 0 {
			d.Gold["Payment"] = []layout.Span{passage}
		}
		d.Votes = slices.Repeat([]learn.Votes{1 << 6}, len(d.Sentences)) // judged
		documents = append(documents, d)
	}
	file, _, err := training.Payments(documents)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	f, titles, insured := m.Features(), 0, 0
	for i := range documents {
		d := &documents[i]
		words := learn.ReadWords(d.Document)
		for k, s := range d.Sentences {
			switch p, text := m.Judge(f, words, d.Votes, k), d.Text[s.Start:s.End]; {
			case text == title:
				titles++
				if p > 0.2 {
					t.Errorf("%.2f: %s", p, text)
				}
			case strings.Contains(text, "insured"):
				insured++
				if p < 0.5 {
					t.Errorf("%.2f: %s", p, text)
				}
			}
		}
	}
	if titles < 60 || insured != 30 {
		t.Errorf("got %d titles and %d sentences about insurance, want 60 and 30", titles, insured)
	}
}

// TestRetrain fits the weights to the annotated contracts again, and compares them with the
// embedded ones. It takes minutes.
func TestRetrain(t *testing.T) {
	data := corpus.Folder(t, "contracts")
	if os.Getenv("RECTO_RETRAIN") == "" {
		t.Skip("SKIPPED: set RECTO_RETRAIN=1 to fit the weights again")
	}
	dir := t.TempDir()
	sources := training.Sources{Contracts: data, Labels: goldFolder, Statements: corpus.Folder(t, "contract-nli"), Written: writtenFolder}
	for _, w := range []struct {
		write    func(training.Sources, string, func(string)) error
		name     string
		embedded []byte
	}{
		{training.Write, learn.WeightsName, learn.WeightsFile()}, {training.WritePayments, learn.PaymentsWeightsName, learn.PaymentsFile()},
		{training.WriteSecrecy, learn.SecrecyWeightsName, learn.SecrecyFile()}, {training.WriteQuestions, learn.QuestionsWeightsName, learn.QuestionsFile()},
		{training.WriteNames, learn.PartiesWeightsName, learn.PartiesFile()},
	} {
		if weights := fitted(t, w.write, sources, dir, w.name); runtime.GOARCH == "amd64" && !bytes.Equal(weights, w.embedded) {
			t.Errorf("%s is not the embedded file: run make train", w.name)
		}
	}
	content, err := os.ReadFile(filepath.Join(dir, learn.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	var got learn.Manifest
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	want, err := learn.ClausesManifest()
	if err != nil {
		t.Fatal(err)
	}
	if got.DataSHA256 != want.DataSHA256 || got.LabelsSHA256 != want.LabelsSHA256 {
		t.Fatalf("the weights were fitted to other contracts, %s %s instead of %s %s", want.DataSHA256, want.LabelsSHA256, got.DataSHA256, got.LabelsSHA256)
	}
	for name, f := range map[string][2]float64{
		"presence": {got.Presence, want.Presence}, "presence of older kinds": {got.PresenceOlder, want.PresenceOlder}, "passages": {got.Passages, want.Passages},
		"presence in written contracts": {got.WrittenPresence, want.WrittenPresence}, "their passages": {got.WrittenPassages, want.WrittenPassages},
	} {
		if math.Abs(f[0]-f[1]) > 0.01 {
			t.Errorf("%s: got %.3f, and the manifest says %.3f", name, f[0], f[1])
		}
	}
}

// fitted fits weights into a folder, and returns the file with a name there.
func fitted(t *testing.T, write func(training.Sources, string, func(string)) error, s training.Sources, dir, name string) []byte {
	t.Helper()
	if err := write(s, dir, func(text string) { t.Log(text) }); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestFolds shows that all contracts of a company are in one fold.
func TestFolds(t *testing.T) {
	for _, name := range []string{"ElmInc_2001-EX-10", "ElmInc_2019_8-K", "ELMINC_10_12_2005"} {
		if got, want := training.FoldOf(evaluation.Contract{File: name}), training.FoldOf(evaluation.Contract{File: "elminc_"}); got != want {
			t.Errorf("%s: got fold %d, want %d", name, got, want)
		}
	}
}
