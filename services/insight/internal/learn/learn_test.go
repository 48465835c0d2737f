package learn_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/learn/names"
	"github.com/rectohq/recto/services/insight/internal/rules/amounts"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// TestEmbedded shows that the embedded weights are those of the manifest, small enough,
// and fitted to the rules as they are.
func TestEmbedded(t *testing.T) {
	file := learn.WeightsFile()
	if len(file) == 0 || len(file) > 2<<20 {
		t.Errorf("got %d bytes of weights, want at most 2 MB", len(file))
	}
	m, err := learn.ClausesManifest()
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != m.WeightsSHA256 {
		t.Error("the manifest describes other weights: run make train")
	}
	if m.License != "CC BY 4.0" || !strings.Contains(m.Attribution, "Atticus") || m.Folds < 5 || m.Documents < 200 {
		t.Errorf("got manifest %+v", m)
	}
	if hash := hashOf(t, append(paths("gold", "tune"), paths("written", "terms-fit", "clauses-fit", "sections-fit", "filings-fit")...)); hash != m.LabelsSHA256 {
		t.Error("the weights were fitted to other labels: run make train")
	}
	for kind, figures := range m.Kinds {
		at := slices.IndexFunc(learn.Clauses().Decisions, func(d learn.Decision) bool { return d.Kind == kind })
		if at >= 0 && learn.Clauses().Decisions[at].ByRule != figures.ByRule || at < 0 && !slices.Contains(clauses.Kinds(), kind) {
			t.Errorf("%s: the manifest says %v about the rules, the weights say otherwise", kind, figures.ByRule)
		}
	}
	kinds := clauses.Learned()
	decisions := learn.Clauses().Decisions
	if len(decisions) <= len(kinds) {
		t.Fatalf("got %d decisions, want one for each of %d kinds, and more that add to them: run make train", len(decisions), len(kinds))
	}
	for i, d := range decisions {
		if added := d.Short.From > 0 || d.Long.From > 0; added != (i >= len(kinds)) || !added && d.Kind != kinds[i] || !slices.Contains(clauses.Kinds(), d.Kind) {
			t.Errorf("decision %d is about %s and adds %+v, %+v", i, d.Kind, d.Short, d.Long)
		}
		if d.Votes != clauses.VotesOf(d.Kind) {
			t.Errorf("%s: the weights were fitted to other rules: run make train", d.Kind)
		}
		if d.Presence.Slope <= 0 || d.Passage.Slope <= 0 {
			t.Errorf("%s: a higher score makes it less probable: %+v", d.Kind, d)
		}
	}
}

// TestEmbeddedPayments is TestEmbedded for the weights of payments.
func TestEmbeddedPayments(t *testing.T) {
	file := learn.PaymentsFile()
	if all := len(file) + len(learn.WeightsFile()); len(file) == 0 || all > 2<<20 {
		t.Errorf("got %d bytes of weights in all, want at most 2 MB", all)
	}
	m, err := learn.ManifestOfPayments()
	if err != nil {
		t.Fatal(err)
	}
	if hash := hashOf(t, append(paths("gold", "tune", "fit"), paths("written", "terms-fit", "sections-fit", "filings-fit")...)); hash != m.LabelsSHA256 {
		t.Error("the weights were fitted to other labels: run make train")
	}
	if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != m.WeightsSHA256 {
		t.Error("the manifest describes other weights: run make train")
	}
	if m.License != "CC BY 4.0" || !strings.Contains(m.Attribution, "Atticus") || m.Folds < 5 || m.Documents < 200 || m.Weights.F1 <= m.Rules.F1 || m.WrittenWeights.F1 <= m.WrittenRules.F1 {
		t.Errorf("got manifest %+v", m)
	}
	d := learn.Payments().Decisions
	if len(d) != 1 || d[0].Votes != amounts.VotesOfPayments || d[0].Passage.Slope <= 0 {
		t.Errorf("got decisions %+v: run make train", d)
	}
}

// TestEmbeddedSecrecy shows that the embedded weights for confidentiality agreements are those of
// their manifest, and that they decide about the matters that rules know.
func TestEmbeddedSecrecy(t *testing.T) {
	file := learn.SecrecyFile()
	if all := len(file) + len(learn.WeightsFile()) + len(learn.PaymentsFile()); len(file) == 0 || all > 2<<20 {
		t.Errorf("got %d bytes of weights in all, want at most 2 MB", all)
	}
	m, err := learn.ManifestOfSecrecy()
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != m.WeightsSHA256 {
		t.Error("the manifest describes other weights: run make train")
	}
	if m.License != "CC BY 4.0" || !strings.Contains(m.Attribution, "ContractNLI") || m.Folds < 5 || m.Documents < 60 || m.Passages.F1 < 0.6 {
		t.Errorf("got manifest %+v", m)
	}
	decisions := learn.Secrecy().Decisions
	if len(decisions) != 17 {
		t.Errorf("got %d decisions, want 17", len(decisions))
	}
	for _, d := range decisions {
		if d.Votes == 0 || d.Votes != questions.VotesOf(d.Kind) || d.Passage.Slope <= 0 {
			t.Errorf("got decision %+v: run make train", d)
		}
	}
}

// TestEmbeddedQuestions shows that the embedded weights of questions are those of their manifest, and
// fitted to the questions and features as they are.
func TestEmbeddedQuestions(t *testing.T) {
	file := learn.QuestionsFile()
	if all := len(file) + len(learn.WeightsFile()) + len(learn.PaymentsFile()) + len(learn.SecrecyFile()) + len(learn.PartiesFile()); len(file) == 0 || all > 2<<20 {
		t.Errorf("got %d bytes of weights in all, want at most 2 MB", all)
	}
	m, err := learn.ManifestOfQuestions()
	if err != nil {
		t.Fatal(err)
	}
	sets := []string{"questions-fit", "private-fit", "terms-fit", "clauses-fit", "usual-fit", "agreements-fit", "sections-fit", "filings-fit"}
	if hash := hashOf(t, paths("written", sets...)); hash != m.LabelsSHA256 {
		t.Error("the weights were fitted to other questions: run make train")
	}
	if sum := sha256.Sum256(file); hex.EncodeToString(sum[:]) != m.WeightsSHA256 {
		t.Error("the manifest describes other weights: run make train")
	}
	if m.Folds < 5 || m.Documents < 900 || m.Questions < 18_000 || m.Answers.F1 < 0.6 || m.Silent < 0.7 || m.YesOrNo.Precision < 0.6 || m.Values.Precision < 0.7 {
		t.Errorf("got manifest %+v", m)
	}
	w := learn.Questions()
	if len(w.Sentence) != questions.Features || len(w.Nothing) != questions.FeaturesOfNothing || w.Sentence[questions.ByPairs] <= 0 {
		t.Errorf("got weights %v and %v: run make train", w.Sentence, w.Nothing)
	}
}

// TestEmbeddedParties shows that the embedded weights of names are those of their manifest, and fitted to the
// contracts as they are.
func TestEmbeddedParties(t *testing.T) {
	m, err := learn.ManifestOfParties()
	if err != nil {
		t.Fatal(err)
	}
	sets := []string{"parties-fit", "private-fit", "agreements-fit", "usual-fit", "everyday-fit", "terms-fit", "clauses-fit", "sections-fit"}
	if hash := hashOf(t, paths("written", sets...)); hash != m.LabelsSHA256 {
		t.Error("the weights were fitted to other contracts: run make train")
	}
	if sum := sha256.Sum256(learn.PartiesFile()); hex.EncodeToString(sum[:]) != m.WeightsSHA256 {
		t.Error("the manifest describes other weights: run make train")
	}
	if m.Folds < 5 || m.Documents < 1000 || m.Parties < 2000 || m.Features < 1000 || m.Weights.F1 < 0.75 || m.Weights.F1 < m.Rules.F1+0.1 || m.Kinds < 0.9 {
		t.Errorf("got manifest %+v", m)
	}
	if odds := learn.Parties().Odds(names.Features{}); odds != 0 {
		t.Errorf("got the odds %v of a name without features", odds)
	}
}

// TestLikeliest shows that the most probable sentences of a kind are found, in the order of their
// probability, and that the words that weighed most are theirs.
func TestLikeliest(t *testing.T) {
	text := "CONFIDENTIALITY AGREEMENT\n\n1. The yard is closed on Sundays and on public holidays.\n\n" +
		strings.Repeat("2. The Receiving Party may disclose Confidential Information to its employees, officers and directors who need to know it.\n\n", 5)
	d := structure.Read(&layout.Document{Text: text})
	found := learn.Secrecy().Likeliest(learn.ReadWords(d), make([]learn.Votes, len(d.Sentences)))["Sharing with employees"]
	if len(found) != 3 {
		t.Fatalf("got %+v, want three of five sentences", found)
	}
	for i, p := range found {
		quote := d.Quote(d.Sentences[p.Sentence].Span)
		if !strings.Contains(quote, "employees") || p.Probability < 0.3 || p.Probability > 1 || i > 0 && p.Probability > found[i-1].Probability || len(p.Words) == 0 {
			t.Errorf("got %+v: %s", p, quote)
		}
		for _, s := range p.Words {
			if !strings.Contains(quote, d.Quote(s)) {
				t.Errorf("the words %q are not in the sentence", d.Quote(s))
			}
		}
	}
}

// paths returns the paths of sets in a folder of tests/bench.
func paths(folder string, sets ...string) (all []string) {
	for _, set := range sets {
		all = append(all, filepath.Join("../../../../tests/bench", folder, set+".jsonl"))
	}
	return all
}

// hashOf returns the hash of files, as manifests have it.
func hashOf(t *testing.T, files []string) string {
	t.Helper()
	all := sha256.New()
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(content)
		all.Write(sum[:])
	}
	return hex.EncodeToString(all.Sum(nil))
}

// TestAdded shows that a decision with a least probability adds only sentences that have it, and
// that a sentence which two decisions find is returned once.
func TestAdded(t *testing.T) {
	const insured = "Elm keeps the cargo insured against fire and theft at all times."
	d, _ := read(insured + "\n\nOak keeps the cargo dry at all times of the year.\n")
	votes := make([]learn.Votes, len(d.Sentences))
	certain := learn.Calibration{Slope: 1, Offset: 10}
	for name, c := range map[string]struct {
		own, from float32
		want      int
	}{
		"sure":         {9, 0.9, 1},
		"unsure":       {1, 0.9, 0},
		"sure enough":  {1, 0.6, 1},
		"with a first": {1, 0, 1},
	} {
		var weights []learn.Weight
		for _, key := range keysIn(learn.Shared, "insured") {
			weights = append(weights, learn.Weight{Key: key, Value: 100}, learn.Weight{Key: key, Decision: 1, Value: 100})
		}
		decision := learn.Decision{Kind: "Insurance", Scale: 1e-6, Bias: c.own, Presence: certain, Passage: learn.Calibration{Slope: 1}, Short: learn.Addition{From: c.from}}
		quiet := learn.Decision{Kind: "Audit Rights", Presence: learn.Calibration{Offset: -10}}
		for _, all := range [][]learn.Decision{{quiet, decision}, {decision, decision}} {
			file, err := learn.Encode(learn.Shared, all, slices.Clone(weights))
			if err != nil {
				t.Fatal(err)
			}
			m, err := learn.Decode(file)
			if err != nil {
				t.Fatal(err)
			}
			found := m.Find(learn.ReadWords(d), votes, 10)
			of := map[int]int{}
			for _, p := range found {
				of[p.Sentence]++
			}
			if c.want == 0 && len(found) != 0 || c.want > 0 && of[0] != 1 {
				t.Errorf("%s: got %+v", name, found)
			}
			if kinds := m.Kinds(); len(kinds) > 2 || all[0].Kind == all[1].Kind && len(kinds) != 1 {
				t.Errorf("got the kinds %v", kinds)
			}
		}
	}
}

// TestAddedByLength shows that a decision adds different passages in short and in long documents, and
// that their probability is reduced.
func TestAddedByLength(t *testing.T) {
	certain := learn.Calibration{Slope: 1, Offset: 10}
	sure := learn.Addition{From: 0.9, Trust: 0.5}
	for _, c := range []struct {
		short, long     learn.Addition
		inShort, inLong int
	}{
		{sure, learn.Addition{}, 1, 0}, {learn.Addition{}, sure, 0, 1}, {sure, sure, 1, 1},
	} {
		decision := learn.Decision{Kind: "Insurance", Bias: 3, Presence: certain, Passage: learn.Calibration{Slope: 1}, Short: c.short, Long: c.long}
		file, err := learn.Encode(learn.Shared, []learn.Decision{decision}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := learn.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		for sentences, want := range map[int]int{learn.ShortDocument: c.inShort, 8 * learn.ShortDocument / 5: c.inLong} {
			var text strings.Builder
			for i := range sentences {
				fmt.Fprintf(&text, "Elm keeps the cargo of gate %s insured at all times.\n\n", strings.Repeat("x", i+1))
			}
			d, _ := read(text.String())
			found := m.Find(learn.ReadWords(d), make([]learn.Votes, len(d.Sentences)), 1)
			if len(found) != want || want > 0 && (found[0].Probability < 0.45 || found[0].Probability > 0.5) {
				t.Errorf("%+v, %+v: got %+v in %d sentences, want %d passages, half as probable as they seem", c.short, c.long, found, len(d.Sentences), want)
			}
		}
	}
}

// TestSettle shows that a passage which only counts alone does not count beside others of its kind.
func TestSettle(t *testing.T) {
	own := func(kind string) learn.Passage { return learn.Passage{Kind: kind} }
	alone := func(kind string) learn.Passage { return learn.Passage{Kind: kind, Alone: true} }
	others := map[string]bool{"Notices": true, "Term": false}
	got := learn.Settle([]learn.Passage{own("Insurance"), alone("Insurance"), alone("Notices"), alone("Term"), alone("Term"), own("Notices")}, others)
	want := []learn.Passage{own("Insurance"), alone("Term"), alone("Term"), own("Notices")}
	if !reflect.DeepEqual(got, want) || len(others) != 2 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := learn.Settle([]learn.Passage{alone("Term")}, nil); len(got) != 1 {
		t.Errorf("got %+v, want the only passage", got)
	}
}

// TestPlain shows that the words of the neighbours do not count in the plain scheme.
func TestPlain(t *testing.T) {
	const insured = "Elm keeps the cargo insured against fire and theft at all times."
	weights := []learn.Weight{}
	for _, key := range keysIn(learn.Plain, "insured") {
		weights = append(weights, learn.Weight{Key: key, Value: 1})
	}
	file, err := learn.Encode(learn.Plain, []learn.Decision{{Kind: "Insurance", Scale: 1, Passage: learn.Calibration{Slope: 1}}}, weights)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	judge := func(text string, i int) float64 {
		d, _ := read(text)
		return m.Judge(m.Features(), learn.ReadWords(d), make([]learn.Votes, len(d.Sentences)), i)
	}
	alone := judge(insured+"\n", 0)
	if after := judge("Oak sails on Monday with the tide of the morning.\n\n"+insured+"\n", 1); alone <= 0.5 || after < alone-0.3 {
		t.Errorf("got %v alone and %v after another sentence", alone, after)
	}
	if other := judge("Oak sails on Monday with the tide.\n\n"+insured+"\n", 0); other >= alone {
		t.Errorf("the sentence before it gets %v, and it gets %v", other, alone)
	}
	d, _ := read(insured + "\n")
	f, words, votes := m.Features(), learn.ReadWords(d), make([]learn.Votes, len(d.Sentences))
	p := m.Explained(f, words, votes, 0, m.Judge(f, words, votes, 0))
	if p.Kind != "Insurance" || p.Probability != alone || len(p.Words) != 1 || d.Text[p.Words[0].Start:p.Words[0].End] != "insured" {
		t.Errorf("got %+v, want the word insured", p)
	}
}

// keysIn returns the keys of the features of a sentence in a scheme.
func keysIn(scheme learn.Scheme, sentence string) (keys []uint32) {
	d, votes := read(sentence + "\n")
	f := learn.NewFeatures(scheme)
	f.Of(learn.ReadWords(d), make([]learn.Votes, len(votes)), 0)
	f.Each(func(key uint32, _ float64) { keys = append(keys, key) })
	return keys
}

// read returns a document with the votes of the rules.
func read(text string) (*structure.Document, []learn.Votes) {
	d := structure.Read(&layout.Document{Text: text})
	return d, clauses.Votes(d)
}

// long is a contract with many clauses, on several lines.
func long(sections int) string {
	var b strings.Builder
	b.WriteString("SUPPLY AGREEMENT\n\nThis Supply Agreement is made between Elm Ltd and Oak Ltd.\n\n")
	for i := range sections {
		fmt.Fprintf(&b, "%d. Insurance. Elm shall maintain liability insurance of at least $%d per claim, and name Oak as additional insured.\n\n", 2*i+1, i)
		fmt.Fprintf(&b, "%d. Deliveries. Oak collects the boxes at gate %d on every Monday, “as is”, naïvely.\n\n", 2*i+2, i)
	}
	return b.String()
}

// keysOf returns the keys of the features of a sentence.
func keysOf(sentence string) []uint32 { return keysIn(learn.Shared, sentence) }

// TestStems shows that long words with the same beginning are the same features, and that
// other words are not.
func TestStems(t *testing.T) {
	if got, want := keysOf("The lease is terminated by Elm."), keysOf("The lease is terminating by Elm."); len(got) == 0 || !slices.Equal(got, want) {
		t.Errorf("got %v and %v, want the same features", got, want)
	}
	if slices.Equal(keysOf("The lease is renewed by Elm."), keysOf("The lease is renewal by Elm.")) {
		t.Error("words that differ early are the same features")
	}
}

// TestFind shows that the same document gives the same passages, each within its sentence,
// and no more than asked for.
func TestFind(t *testing.T) {
	d, votes := read(long(200))
	m := learn.Clauses()
	found := m.Find(learn.ReadWords(d), votes, 7)
	count := map[string]int{}
	for _, p := range found {
		count[p.Kind]++
		s := d.Sentences[p.Sentence].Span
		if p.Probability < 0 || p.Probability > 1 {
			t.Errorf("got probability %v", p.Probability)
		}
		for _, w := range p.Words {
			if w.Start < s.Start || w.End > s.End || w.Len() <= 0 {
				t.Errorf("got words %v outside of the sentence %v", w, s)
			}
		}
	}
	if count["Insurance"] != 7 {
		t.Errorf("got %v, want 7 insurance clauses", count)
	}
	if again := m.Find(learn.ReadWords(d), votes, 7); !reflect.DeepEqual(found, again) {
		t.Error("the same document gave other passages")
	}
	empty, none := read("")
	if found := m.Find(learn.ReadWords(empty), none, 7); len(found) != 0 {
		t.Errorf("got %+v in an empty document", found)
	}
}

// TestByRule shows that the votes of the rules decide about a kind for which they are
// better than the weights, whatever these say.
func TestByRule(t *testing.T) {
	file, err := learn.Encode(learn.Shared, []learn.Decision{{Kind: "Insurance", Votes: clauses.VotesOf("Insurance"), Bias: -50, ByRule: true}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	d, votes := read(long(5))
	for limit, want := range map[int]int{3: 3, 9: 5} {
		found := m.Find(learn.ReadWords(d), votes, limit)
		if len(found) != want {
			t.Errorf("got %d passages, want %d of at most %d", len(found), want, limit)
		}
		for _, p := range found {
			if !p.ByRule || !p.Voted || votes[p.Sentence]&clauses.VotesOf("Insurance") == 0 {
				t.Errorf("got %+v, want a sentence with a vote", p)
			}
		}
	}
}

// TestBounds shows that a sentence has a limited number of features, and that scoring it
// allocates nothing.
func TestBounds(t *testing.T) {
	words := make([]string, 100_000)
	for i := range words {
		words[i] = fmt.Sprintf("w%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26)
	}
	d, votes := read(strings.Join(words, " ") + ".")
	w, f, m := learn.ReadWords(d), learn.Clauses().Features(), learn.Clauses()
	f.Of(w, votes, 0)
	n := 0
	f.Each(func(uint32, float64) { n++ })
	if n == 0 || n > learn.MaxFeatures {
		t.Errorf("got %d features, want at most %d", n, learn.MaxFeatures)
	}
	var scores learn.Scores
	if n := testing.AllocsPerRun(10, func() {
		f.Of(w, votes, 0)
		m.Score(f, &scores)
	}); n != 0 {
		t.Errorf("got %v allocations for a sentence, want none", n)
	}
}

// featuresOf returns the sum of the values by key, of the first sentence of a text.
func featuresOf(text string) map[uint32]float64 {
	d, votes := read(text)
	f := learn.NewFeatures(learn.Shared)
	f.Of(learn.ReadWords(d), votes, 0)
	sums := map[uint32]float64{}
	f.Each(func(key uint32, value float64) { sums[key] += value })
	return sums
}

// TestWords shows that case, numbers and invisible characters make no difference.
func TestWords(t *testing.T) {
	const plain = "The agreement of Élan pays 500 dollars for the boxes in the yard."
	for _, text := range []string{
		strings.ToUpper(plain[:len(plain)-1]) + ".",
		strings.ReplaceAll(plain, "agreement", "agree\u00adment"), strings.ReplaceAll(plain, "500", "731"), strings.ReplaceAll(plain, "boxes", "bo\u200bxes"),
	} {
		if !reflect.DeepEqual(featuresOf(plain), featuresOf(text)) {
			t.Errorf("%q: got other features than for %q", text, plain)
		}
	}
	if reflect.DeepEqual(featuresOf(plain), featuresOf(strings.ReplaceAll(plain, "yard", "shed"))) {
		t.Error("another word made no difference")
	}
}

// TestNumbersAndGaps shows that a number is one word, whatever its size, and that left-out text
// is a word, whatever stands for it.
func TestNumbersAndGaps(t *testing.T) {
	same := func(a, b string) bool { return reflect.DeepEqual(featuresOf(a), featuresOf(b)) }
	const sum, secret = "Oak pays $5 in May at 7 percent of sales.", "Oak pays $[***] in May for the boxes."
	for _, text := range []string{"Oak pays $1,500 in May at 7 percent of sales.", "Oak pays $12,500.75 in May at 7.25 percent of sales."} {
		if !same(sum, text) {
			t.Errorf("%q: got other features than for %q", text, sum)
		}
	}
	for _, text := range []string{"Oak pays $*** in May for the boxes.", "Oak pays $[ * * ] in May for the boxes.", "Oak pays $[●] in May for the boxes.", "Oak pays $[*] in May for the boxes."} {
		if !same(secret, text) {
			t.Errorf("%q: got other features than for %q", text, secret)
		}
	}
	const nothing = "Oak pays $ in May for the boxes."
	for _, text := range []string{secret, "Oak pays $____ in May for the boxes."} {
		if same(text, nothing) {
			t.Errorf("%q: what is left out made no difference", text)
		}
	}
	for _, text := range []string{"Oak pays $[ ] in May for the boxes.", "Oak pays $* in May for the boxes.", "Oak pays $[to be agreed] in May for the boxes."} {
		if same(text, secret) {
			t.Errorf("%q: got the features of left-out text", text)
		}
	}
	if same("Oak pays 1,500 in May.", "Oak pays 1, 500 in May.") {
		t.Error("two numbers after each other are one")
	}
}

// TestDamaged shows that a file that is cut or changed is refused, or read without a
// panic.
func TestDamaged(t *testing.T) {
	for _, scheme := range []learn.Scheme{learn.Shared, learn.Plain} {
		testDamaged(t, scheme)
	}
	none, err := learn.Encode(learn.Plain, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := learn.Decode(none); err == nil {
		t.Error("got no error for a file without decisions")
	}
}

func testDamaged(t *testing.T, scheme learn.Scheme) {
	file, err := learn.Encode(scheme, []learn.Decision{{Kind: "Insurance"}, {Kind: "Audit Rights"}}, []learn.Weight{
		{Key: 9, Decision: 1, Value: -3}, {Key: 9, Decision: 0, Value: 5}, {Key: 70000, Decision: 0, Value: 7},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := learn.Decode(file); err != nil {
		t.Fatal(err)
	}
	for n := range file {
		changed := append([]byte{}, file...)
		changed[n] ^= 0xFF
		if m, err := learn.Decode(changed); err == nil {
			d, votes := read(long(2))
			m.Find(learn.ReadWords(d), votes, 10)
		}
	}
	for _, bad := range [][]byte{nil, file[:10], file[:17], file[:40], file[:len(file)-1], append([]byte("other"), file...)} {
		if _, err := learn.Decode(bad); err == nil {
			t.Errorf("got no error for %d bytes of a file", len(bad))
		}
	}
}

// BenchmarkFind prints how many pages of 3000 characters are judged per second, and apart
// from that how many the rules vote on.
func BenchmarkFind(b *testing.B) {
	text := long(500)
	d, votes := read(text)
	pages := float64(len(text)) / 3000
	b.Run("weights", func(b *testing.B) {
		for b.Loop() {
			learn.Clauses().Find(learn.ReadWords(d), votes, 1000)
		}
		b.ReportMetric(pages*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
	})
	b.Run("votes", func(b *testing.B) {
		for b.Loop() {
			clauses.Votes(d)
		}
		b.ReportMetric(pages*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
	})
}
