package evaluation_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/rules"
)

// testdata is the folder with a few annotated documents. They are in the form of the data
// sets. It is absolute, since the object server changes the working directory.
var testdata, _ = filepath.Abs("testdata")

// measured is what a contender did with the documents in testdata.
type measured struct {
	*modelled
	// facts is the number of annotations that its model was asked for. checked is the
	// number of those whose values are compared with their quotes: a title is its quote,
	// and a question is answered by its quote if the answer is wrong.
	facts, checked int
	// said holds the answers as JSON.
	said string
}

// measure has the documents read by a contender.
func measure(t *testing.T, b *bench, m *modelled) measured {
	t.Helper()
	result := measured{modelled: m}
	keep := func(facts []fact, a insightapi.Answer) {
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		result.said += string(data)
		result.facts += len(facts)
		for _, f := range facts {
			if f.key != insightapi.DocumentTitle && f.key != insightapi.CustomPrompt {
				result.checked++
			}
		}
	}
	for _, c := range contracts(t, filepath.Join(testdata, "contracts")) {
		text := string(read(t, testdata, "contracts", "txt", c.Txt))
		keep(factsOf(text, c), b.contract(t, text, c, m))
	}
	for _, n := range ndas(t, filepath.Join(testdata, "contract-nli")) {
		keep(answersOf(n), b.nda(t, n, m))
	}
	m.settle(t)
	return result
}

// TestScriptedModel shows that a model improves the answers if it is right, and that none
// of its mistakes gets into them. The scripted models answer from the annotations, through
// the protocol of OpenAI.
func TestScriptedModel(t *testing.T) {
	b := newBench(t)
	alone := measure(t, b, &modelled{contender: b.rules()})
	t.Logf("the rules miss %q", missed(alone.report))
	for mistake, check := range map[mistake]func(t *testing.T, alone, m measured){
		none: everythingFound, misquoted: everythingFound, wrongValue: valuesChecked,
		reworded: nothingBelieved, invented: nothingBelieved, translated: nothingBelieved,
	} {
		t.Run(string(mistake), func(t *testing.T) {
			m := measure(t, b, b.oracle(t, "rules and model", mistake))
			for _, u := range m.report.Ungrounded {
				t.Errorf("the place is wrong: %s", u)
			}
			for _, false := range []string{"unicorn", "1871", "77 years", "Marine", "Vertrag"} {
				if strings.Contains(m.said, false) {
					t.Errorf("the answers contain %q, which only the model says", false)
				}
			}
			e := m.report.Effort
			if q := e.Quotes; q.Exact+q.Normalized+q.Fuzzy+q.Ungrounded != m.facts {
				t.Errorf("the quotes are %+v, want %d", q, m.facts)
			}
			if e.Prompts != 4 || e.Tokens.Requests != 4 || e.Tokens.InputTokens == 0 || e.Alone != 0 || m.report.Documents != 4 {
				t.Errorf("the effort is %+v for %d documents, want one prompt for each of four", e, m.report.Documents)
			}
			noWorse(t, alone.report, m.report)
			check(t, alone, m)
			t.Logf("\n%s", evaluation.Table([]evaluation.Column{{Name: alone.name, Report: alone.report}, {Name: m.name, Report: m.report}}))
		})
	}
}

// TestFailingModel shows that documents are counted that the rules read alone.
func TestFailingModel(t *testing.T) {
	b := newBench(t)
	alone := measure(t, b, &modelled{contender: b.rules()})
	failing := b.oracle(t, "rules and model")
	failing.server.Script(func(modelserver.Request) modelserver.Reply { return modelserver.Reply{Status: 401} })
	m := measure(t, b, failing)
	if e := m.report.Effort; e.Alone != 4 || e.Tokens.InputTokens != 0 {
		t.Errorf("the effort is %+v, want four documents for the rules alone", e)
	}
	sameScores(t, alone.report, m.report)
	if table := m.report.String(); !strings.Contains(table, "4 of 4 documents were read by the rules alone") {
		t.Errorf("the report does not say who read the documents:\n%s", table)
	}
}

// missed returns the names of the scores whose recall is not 1, among those that a model is
// asked for.
func missed(r *evaluation.Report) []string {
	var names []string
	for name, s := range r.Scores {
		kind, clause := strings.CutPrefix(name, "clause ")
		known := !clause || slices.ContainsFunc(rules.ClauseKinds(), func(k string) bool { return strings.EqualFold(k, kind) })
		if s.Recalled < s.Gold && known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// everythingFound checks the answers with a model whose quotes are found.
func everythingFound(t *testing.T, alone, m measured) {
	t.Helper()
	if lacks := missed(alone.report); len(lacks) < 10 {
		t.Errorf("the rules only miss %q: the documents are too easy", lacks)
	}
	if q := m.report.Effort.Quotes; q.Ungrounded+q.Unverified > 0 {
		t.Errorf("the quotes are %+v, want all to be found and to state their values", q)
	}
	if q := m.report.Effort.Quotes; (q.Fuzzy > 0) != (m.oracle.mistakes[0] == misquoted) {
		t.Errorf("the quotes are %+v, and the mistake is %q", q, m.oracle.mistakes[0])
	}
	if lacks := missed(m.report); len(lacks) > 0 {
		t.Errorf("the answers lack some of %q", lacks)
	}
}

// valuesChecked checks the answers with a model whose quotes do not state its values.
// Questions are answered by what the quotes say instead.
func valuesChecked(t *testing.T, alone, m measured) {
	t.Helper()
	if q := m.report.Effort.Quotes; q.Exact != m.facts || q.Unverified != m.checked {
		t.Errorf("the quotes are %+v, want %d, of which %d do not state their values", q, m.facts, m.checked)
	}
	for name, s := range m.report.Scores {
		// The model adds answers to the questions that the rules answer incompletely.
		a := alone.report.Scores[name]
		if adds := ofQuestions(name) && a.Recalled < a.Gold; adds != (s.Found > a.Found) {
			t.Errorf("%s: the rules have %+v, with the model it is %+v", name, a, s)
		}
	}
}

// ofQuestions reports whether a score is one of answers to questions.
func ofQuestions(name string) bool {
	return strings.HasPrefix(name, "question ") || strings.HasPrefix(name, "evidence") || strings.HasPrefix(name, "answered")
}

// nothingBelieved checks the answers with a model whose quotes are not in the document: all
// items are those of the rules.
func nothingBelieved(t *testing.T, alone, m measured) {
	t.Helper()
	if q := m.report.Effort.Quotes; q.Ungrounded != m.facts {
		t.Errorf("the quotes are %+v, want none of %d to be found", q, m.facts)
	}
	sameScores(t, alone.report, m.report)
}

// sameScores checks that a model has added no item and removed none.
func sameScores(t *testing.T, alone, model *evaluation.Report) {
	t.Helper()
	for name, want := range alone.Scores {
		if got := model.Scores[name]; got == nil || *got != *want {
			t.Errorf("%s: got %+v, want %+v as without a model", name, got, want)
		}
	}
}

// noWorse checks that no score is worse than that of the rules.
func noWorse(t *testing.T, alone, model *evaluation.Report) {
	t.Helper()
	for name := range alone.Scores {
		if r, m := alone.Scores[name], model.Scores[name]; m == nil || m.Recalled < r.Recalled || m.Found-m.RightFound > r.Found-r.RightFound && name != "unanswered if there is none" {
			t.Errorf("%s: the rules have %+v, with the model it is %+v", name, r, m)
		}
	}
}
