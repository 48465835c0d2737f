package evaluation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
)

// twoNDAs is a file in the form of ContractNLI: the first agreement has two passages for a
// statement, and the second does not mention it.
const twoNDAs = `{"documents": [
	{"id": 1, "file_name": "a.pdf", "text": "Ünal shall return all. Or destroy it. The end.", "spans": [[0, 22], [23, 37], [38, 46]],
		"annotation_sets": [{"annotations": {"nda-2": {"choice": "Entailment", "spans": [0, 1]}, "nda-10": {"choice": "NotMentioned", "spans": []}}}]},
	{"id": 2, "file_name": "b.pdf", "text": "Nothing.", "spans": [[0, 8]],
		"annotation_sets": [{"annotations": {"nda-2": {"choice": "NotMentioned", "spans": []}, "nda-10": {"choice": "Contradiction", "spans": [0]}}}]}
], "labels": {
	"nda-10": {"short_description": "Copies", "hypothesis": "Ünal may copy."},
	"nda-2": {"short_description": "Return", "hypothesis": "Ünal shall return it."}
}}`

func parsed(t *testing.T) []evaluation.NDA {
	t.Helper()
	all, err := evaluation.ParseNDAs([]byte(twoNDAs))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestParseNDAs(t *testing.T) {
	all := parsed(t)
	if len(all) != 2 || all[0].Name != "a.pdf" || len(all[0].Hypotheses) != 2 {
		t.Fatalf("got %+v", all)
	}
	h := all[0].Hypotheses[0]
	if h.Label != "Return" || h.Statement != "Ünal shall return it." || !slices.Equal(h.Evidence, []insightapi.Position{{Start: 0, End: 22}, {Start: 23, End: 37}}) {
		t.Errorf("the first hypothesis is %+v", h)
	}
	want := []insightapi.Request{{Type: insightapi.CustomPrompt, Message: "Ünal shall return it."}, {Type: insightapi.CustomPrompt, Message: "Ünal may copy."}}
	if got := all[0].Requests(); !slices.Equal(got, want) {
		t.Errorf("the requests are %+v", got)
	}
}

func TestParseNDAsErrors(t *testing.T) {
	for name, change := range map[string][2]string{
		"not JSON":             {`{"documents"`, `{documents`},
		"two annotators":       {`"annotation_sets": [`, `"annotation_sets": [{}, `},
		"no such passage":      {`[0, 1]}`, `[0, 3]}`},
		"no evidence":          {`"spans": [0, 1]`, `"spans": []`},
		"evidence for nothing": {`"choice": "Entailment"`, `"choice": "NotMentioned"`},
		"no annotation":        {`"nda-10": {"choice": "NotMentioned"`, `"nda-11": {"choice": "NotMentioned"`},
	} {
		if all, err := evaluation.ParseNDAs([]byte(strings.Replace(twoNDAs, change[0], change[1], 1))); err == nil {
			t.Errorf("%s: got %+v, want an error", name, all)
		}
	}
}

// quoting returns an answer to a question with a quote on page 1.
func quoting(question, quote string, confidence float64) insightapi.PromptAnswer {
	return insightapi.PromptAnswer{
		Message: question, Value: new("Yes"), Quote: &quote,
		Place: insightapi.Place{PageNumber: new(1), Quote: quote, ConfidenceScore: confidence},
	}
}

// unanswered returns the item for a question without an answer.
func unanswered(question string) insightapi.PromptAnswer {
	return insightapi.PromptAnswer{Message: question}
}

// TestAddNDA shows how answers to questions are scored.
func TestAddNDA(t *testing.T) {
	all := parsed(t)
	first, second := all[0].Hypotheses[0].Statement, all[0].Hypotheses[1].Statement
	r := evaluation.NewReport()
	add := func(n evaluation.NDA, answers ...insightapi.PromptAnswer) {
		r.AddNDA(&layout.Document{Text: n.Text}, &insightapi.Answer{CustomPrompt: &answers}, n)
	}
	// Half of the first passage and the third, which is not evidence.
	add(all[0], quoting(first, "Ünal shall", 0.9), quoting(first, "The end.", 0.2), unanswered(second))
	add(all[1], quoting(first, "Nothing.", 0.2), unanswered(second))
	for name, want := range map[string]evaluation.Score{
		"answered if there is evidence": {Found: 2, RightFound: 1, Gold: 2, Recalled: 1},
		"unanswered if there is none":   {Found: 2, RightFound: 1, Gold: 2, Recalled: 1},
		"evidence, passages":            {Found: 3, RightFound: 1, Gold: 3, Recalled: 1},
		"evidence, characters":          {Found: 10 + 8 + 8, RightFound: 10, Gold: 22 + 14 + 8, Recalled: 10},
		"question return":               {Found: 3, RightFound: 1, Gold: 2, Recalled: 1},
		"question copies":               {Gold: 1},
	} {
		if got := r.Scores[name]; got == nil || *got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if got := r.Calibration.Bins(); len(got) != 2 || got[0].Items != 2 || got[0].Right != 0 || got[1].Right != 1 {
		t.Errorf("the calibration is %+v", got)
	}
	if r.Documents != 2 || r.Items != 3 || len(r.Ungrounded) != 0 {
		t.Errorf("%d documents, %d items, wrong places: %v", r.Documents, r.Items, r.Ungrounded)
	}
}

// TestUnlabeled shows that clauses of a kind that no contract is annotated with count
// neither as right nor as wrong.
func TestUnlabeled(t *testing.T) {
	r := evaluation.NewReport()
	r.AddContract(&layout.Document{Text: "All notices shall be in writing."}, &insightapi.Answer{DocumentClauses: &[]insightapi.Clause{
		{ClauseType: "Notices", Place: insightapi.Place{Quote: "All notices shall be in writing.", ConfidenceScore: 0.8}, InsertionPositions: &[]insightapi.Position{{End: 32}}},
	}}, evaluation.Contract{}, true)
	if r.Scores["clause notices"] != nil || r.Presence["notices"] != nil || r.Items != 1 {
		t.Errorf("got %+v and %+v of %d items, want no score", r.Scores["clause notices"], r.Presence["notices"], r.Items)
	}
}

// TestAddTerms shows how dates, renewals and notice periods are scored: by the value of the
// most probable item.
func TestAddTerms(t *testing.T) {
	const kind = "Notice Period To Terminate Renewal"
	sure, unsure := insightapi.Place{ConfidenceScore: 0.9}, insightapi.Place{ConfidenceScore: 0.4}
	a := insightapi.Answer{
		DocumentDates: &[]insightapi.Date{
			{DateType: insightapi.DateExecution, DateValue: "2020-05-01", DateEpochMS: new(int64), Place: sure},
			{DateType: insightapi.DateExecution, DateValue: "2020-05-02", DateEpochMS: new(int64), Place: unsure},
		},
		RenewalTermLength: &[]insightapi.Renewal{{TermValue: "12 months", Place: sure}},
		DocumentClauses: &[]insightapi.Clause{
			{ClauseType: kind, ClauseDescription: "Timely notice prevents a renewal.", Place: sure},
			{ClauseType: kind, ClauseDescription: "Notice of 60 days prevents a renewal.", Place: unsure},
			{ClauseType: "Renewal Term", ClauseDescription: "Renewed for 90 days.", Place: sure},
		},
	}
	r := evaluation.NewReport()
	r.AddTerms(&a, evaluation.Contract{Answers: map[string]string{
		"Agreement Date": "5/1/2020", "Effective Date": "5/2/2020", "Renewal Term": "successive 1 year", "Notice Period to Terminate Renewal": "60 days",
	}})
	r.AddTerms(&a, evaluation.Contract{Answers: map[string]string{"Agreement Date": "perpetual", "Notice Period to Terminate Renewal": "2 months"}})
	for name, want := range map[string]evaluation.Score{
		"Agreement Date": {Found: 1, RightFound: 1, Gold: 1, Recalled: 1},
		"Effective Date": {Gold: 1},
		"renewal term":   {Found: 2, RightFound: 1, Gold: 1, Recalled: 1},
		"notice period":  {Found: 2, RightFound: 1, Gold: 2, Recalled: 1},
	} {
		if got := r.Scores[name]; got == nil || *got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if r.Documents != 2 {
		t.Errorf("got %d documents, want 2", r.Documents)
	}
}

// TestCompanies shows that contracts belong together if the names of their files begin with
// the same company.
func TestCompanies(t *testing.T) {
	for want, c := range map[string]evaluation.Contract{
		"elminc":  {File: "ElmInc_20190826_10-K_EX-10.pdf", Txt: "c1.txt"},
		"oak":     {File: "OAK2 lease.pdf"},
		"c":       {Txt: "c17.txt"},
		"ash.pdf": {File: "Ash.pdf"},
	} {
		if got := c.Company(); got != want {
			t.Errorf("%+v: got %q, want %q", c, got, want)
		}
	}
}

// TestSharedCharacters shows that text quoted twice counts once.
func TestSharedCharacters(t *testing.T) {
	n := parsed(t)[0]
	question := n.Hypotheses[0].Statement
	r := evaluation.NewReport()
	r.AddNDA(&layout.Document{Text: n.Text}, &insightapi.Answer{CustomPrompt: &[]insightapi.PromptAnswer{
		quoting(question, "shall return all. Or", 0.5), quoting(question, "Ünal shall return", 0.5),
	}}, n)
	if got, want := *r.Scores["evidence, characters"], (evaluation.Score{Found: 25, RightFound: 24, Gold: 36, Recalled: 24}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestPlaces shows that items with a wrong place are reported, and never count as right.
func TestPlaces(t *testing.T) {
	const said = "Fees. The liability of Zoë is limited to USD 5. Governed by the laws of Sweden, says Zoë."
	clause := func(quote string, start, end int) insightapi.Clause {
		return insightapi.Clause{
			ClauseType: "Governing Law", InsertionPositions: &[]insightapi.Position{{Start: start, End: end}},
			Place: insightapi.Place{Quote: quote, PageNumber: new(1), ConfidenceScore: 0.9},
		}
	}
	gold := evaluation.Contract{Clauses: map[string][]evaluation.Marked{
		"Governing Law": {{Text: "Governed by the laws of Sweden, says Zoë.", Spans: [][2]int{{48, 89}}}},
	}}
	const quote = "the laws of Sweden"
	for name, c := range map[string]struct {
		clause insightapi.Clause
		right  bool
	}{
		"right":          {clause(quote, 60, 78), true},
		"moved":          {clause(quote, 61, 79), false},
		"invented":       {clause("the law of Sweden", 60, 78), false},
		"outside":        {clause(quote, 60, 200), false},
		"one too long":   {clause(quote, 60, 90), false},
		"with a space":   {clause(quote, 59, 78), false},
		"negative":       {clause(quote, -1, 78), false},
		"reversed":       {clause(quote, 78, 60), false},
		"empty":          {clause("", 60, 60), false},
		"two positions":  {insightapi.Clause{ClauseType: "Governing Law", Place: clause(quote, 0, 0).Place, InsertionPositions: &[]insightapi.Position{{Start: 60, End: 78}, {Start: 60, End: 78}}}, false},
		"no position":    {insightapi.Clause{ClauseType: "Governing Law", Place: clause(quote, 0, 0).Place}, false},
		"with wrong run": {insightapi.Clause{ClauseType: "Governing Law", Place: insightapi.Place{Quote: quote, XMLPath: "x"}, InsertionPositions: &[]insightapi.Position{{Start: 60, End: 78}}}, false},
	} {
		d := &layout.Document{Text: said, Runs: []layout.Run{{Span: layout.Span{End: len(said)}}}}
		r := evaluation.NewReport()
		r.AddContract(d, &insightapi.Answer{DocumentClauses: &[]insightapi.Clause{c.clause}}, gold, true)
		s := *r.Scores["clause governing law"]
		if wrong := len(r.Ungrounded); r.Items != 1 || (wrong == 0) != c.right || (s.RightFound == 1) != c.right || (s.Recalled == 1) != c.right || s.Found != 1 || s.Gold != 1 {
			t.Errorf("%s: %d items, wrong places: %v, the score is %+v", name, r.Items, r.Ungrounded, s)
		}
	}
}

// TestEveryKeyIsChecked shows that an invented quote is noticed in every kind of item.
func TestEveryKeyIsChecked(t *testing.T) {
	p := insightapi.Place{Quote: "never said", PageNumber: new(1)}
	at := []insightapi.Position{{Start: 0, End: 10}}
	r := evaluation.NewReport()
	r.AddContract(&layout.Document{Text: "Something else is said."}, &insightapi.Answer{
		DocumentTitle: &[]insightapi.Title{{Place: p}}, DocumentType: &[]insightapi.TypeName{{Place: p}},
		DocumentParties: &[]insightapi.Party{{Place: p, InsertionPositions: at}}, DocumentSigners: &[]insightapi.Signer{{Place: p}}, DocumentFields: &[]insightapi.Field{{Place: p}, {FieldID: "a widget without text"}},
		DocumentClauses: &[]insightapi.Clause{{Place: p, InsertionPositions: &at}}, CustomPrompt: &[]insightapi.PromptAnswer{{Place: p, Value: new("x")}, {}},
		ContractValues: &[]insightapi.ContractValue{{Place: p, InsertionPositions: at}}, DocumentDates: &[]insightapi.Date{{Place: p, InsertionPositions: at}},
		LimitOfLiability: &[]insightapi.Limit{{Place: p, InsertionPositions: at}}, RenewalTermLength: &[]insightapi.Renewal{{Place: p, InsertionPositions: at}},
		Payments: &[]insightapi.Payment{{Place: p}},
	}, evaluation.Contract{}, true)
	if r.Items != 12 || len(r.Ungrounded) != 12 {
		t.Errorf("%d of %d places are wrong, want 12 of 12: %v", len(r.Ungrounded), r.Items, r.Ungrounded)
	}
}

// TestPages shows that a text without pages has one for every 3,000 characters.
func TestPages(t *testing.T) {
	for characters, want := range map[int]int{0: 0, 1: 1, 3000: 1, 3001: 2, 6000: 2} {
		r := evaluation.NewReport()
		r.AddContract(&layout.Document{Text: strings.Repeat("é", characters)}, &insightapi.Answer{}, evaluation.Contract{}, true)
		if r.Pages != want {
			t.Errorf("%d characters have %d pages, want %d", characters, r.Pages, want)
		}
	}
}

// TestTable shows reports side by side.
func TestTable(t *testing.T) {
	n := parsed(t)[1]
	rules, both := evaluation.NewReport(), evaluation.NewReport()
	d := &layout.Document{Text: n.Text}
	rules.AddNDA(d, &insightapi.Answer{}, n)
	both.AddNDA(d, &insightapi.Answer{CustomPrompt: &[]insightapi.PromptAnswer{quoting(n.Hypotheses[1].Statement, "Nothing.", 0.9)}}, n)
	got := evaluation.Table([]evaluation.Column{{"rules", rules}, {"rules and model", both}})
	for _, want := range []string{
		"                                rules                         rules and model\n",
		"                                     P      R     F1  found        P      R     F1  found   gold\n",
		"evidence, passages               0.000  0.000  0.000      0    1.000  1.000  1.000      1      1\n",
		"rules and model:\ncalibration error 0.100\n  confidence 0.90: 1.00 right of 1\ngrounding: 1 of 1 items have the right place\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks\n%s\nit is\n%s", want, got)
		}
	}
	if one := both.String(); !strings.HasPrefix(one, "                                     P      R     F1  found   gold\nanswered") {
		t.Errorf("the table of one report is\n%s", one)
	}
}

// TestGoverningLaw shows which laws are the same as those that were annotated.
func TestGoverningLaw(t *testing.T) {
	for _, c := range []struct {
		law, gold string
		same      bool
	}{
		{"the State of Ohio", "Ohio", true},
		{"the Province of Ontario, Canada", "Ontario, Canada", true},
		{"United States of America", "United States", true},
		{"England and Wales", "England; Wales", true},
		{"England and Wales", "England, United Kingdom; Wales, United Kingdom", true},
		{"the People's Republic of China", "People's Republic of China; a treaty", true},
		{"the State of Ohio", "Iowa; Maine", false},
		{"Ohio", "", false},
	} {
		r := evaluation.NewReport()
		found := []insightapi.Clause{{ClauseType: "Governing Law", ClauseDescription: "Governed by the laws of " + c.law + ".", Place: insightapi.Place{ConfidenceScore: 0.9}}}
		r.AddContract(&layout.Document{Text: "Nothing."}, &insightapi.Answer{DocumentClauses: &found}, evaluation.Contract{Answers: map[string]string{"Governing Law": c.gold}}, true)
		if s := r.Scores["governing law of"]; s.Found != 1 || (s.RightFound == 1) != c.same {
			t.Errorf("%s for %q: got %+v", c.law, c.gold, *s)
		}
	}
}
