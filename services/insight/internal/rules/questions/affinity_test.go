package questions_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// kilned is a contract whose words the questions about it do not have.
const kilned = `KILN AGREEMENT

This Agreement is made on 3 March 2024 between Redclay Kilns Ltd (the "Lessor") and Ines Marlow (the "Lessee").

1. The Lessee shall remit the sum of £85 for each firing.

2. The Lessor shall furnish the shelves and the props.

3. Either party may terminate this Agreement on forty days' written notice.

4. Breakages shall be made good by the Lessee.
`

// TestSuggested shows that learned pairs of words answer a question that has no word of the answer, and
// explain the answer.
func TestSuggested(t *testing.T) {
	for _, tt := range []struct{ question, quote, because string }{
		{"How do we get out of this early?", "terminate", `suggests "`},
		{"What does it cost to use it?", "£85", ""},
		{"Tell me how we can walk away from it.", "terminate", ""},
		{"getting out of the deal", "terminate", ""},
	} {
		d := rulestest.Read(kilned)
		got := questions.New(d, "").Answers(tt.question)
		if len(got) == 0 || !strings.Contains(d.Quote(got[0].Span), tt.quote) || !strings.Contains(got[0].Reasoning, tt.because) {
			t.Errorf("%q: got %+v, want %q because %q", tt.question, got, tt.quote, tt.because)
		}
	}
}

// TestSetPairs shows that the pairs that are set decide which sentence suits a question.
func TestSetPairs(t *testing.T) {
	const question, shelves, breakages = "What about the glomming?", "shelv", "breakag"
	sentence := make([]float32, questions.Features)
	sentence[questions.ByPairs] = 10
	for _, word := range []string{shelves, breakages} {
		q, d := questions.New(rulestest.Read(kilned), ""), rulestest.Read(kilned)
		q.SetPairs(pairs.New(pairs.Weights{
			Sentence: sentence, Nothing: make([]float32, questions.FeaturesOfNothing), Step: 0.1,
			Pairs: []pairs.Pair{{Key: pairs.KeyOf(pairs.FeatureOf("glomm"), pairs.FeatureOf(word)), Weight: 100}},
		}))
		got := q.Answers(question)
		if len(got) == 0 || !strings.Contains(strings.ToLower(d.Quote(got[0].Span)), word) || !strings.Contains(got[0].Reasoning, `"glomming" suggests "`) {
			t.Errorf("got %+v, want the sentence with %q", got, word)
		}
	}
}

// TestCompare shows what the weights of questions are fitted to: all sentences that may answer, with
// their words and the kinds of their clauses.
func TestCompare(t *testing.T) {
	d := rulestest.Read(kilned)
	q := questions.New(d, "")
	at := strings.Index(d.Text, "Breakages")
	q.SetClauses(func() []finding.Found[insightapi.Clause] {
		return []finding.Found[insightapi.Clause]{{Item: insightapi.Clause{ClauseType: "Indemnification"}, Span: layout.Span{Start: at, End: at + 20}}}
	})
	c, compared := q.Compare("Who pays if something breaks?")
	if !compared || len(c.Sentences) < 4 || !slices.Contains(c.Question, pairs.FeatureOf("pays if")) && !slices.Contains(c.Question, pairs.FeatureOf("pay if")) {
		t.Fatalf("got %v, %+v", compared, c)
	}
	for _, s := range c.Sentences {
		breakages := strings.HasPrefix(d.Quote(d.Sentences[s.Sentence].Span), "Breakages")
		if got := slices.Contains(s.Words, pairs.FeatureOf("clause: Indemnification")); got != breakages {
			t.Errorf("%q: has the kind of the clause: %v", d.Quote(d.Sentences[s.Sentence].Span), got)
		}
		if len(s.Features) != questions.Features || s.Features[questions.ByPairs] != 0 {
			t.Errorf("got the features %v", s.Features)
		}
	}
	for _, statement := range []string{"The Lessee may keep the shelves.", "Which law governs?"} {
		if _, compared := q.Compare(statement); compared {
			t.Errorf("%q is compared", statement)
		}
	}
}

// TestRequests shows that a request is answered as the question in it.
func TestRequests(t *testing.T) {
	d := rulestest.Read(stabled)
	for _, tt := range []struct{ request, question string }{
		{"Please tell me how often the horses get out of the stable.", "How often do the horses get out of the stable?"},
		{"Find out who the head groom is.", "Who is the head groom?"},
		{"I'd like to know when we get the bond back.", "When do we get the bond back?"},
		{"Can you check what interest we owe if we are late", "What interest do we owe if we are late?"},
		{"Let me know if they can exercise the horses on public roads.", "Can they exercise the horses on public roads?"},
	} {
		got, want := questions.New(d, "").Answers(tt.request), questions.New(d, "").Answers(tt.question)
		if len(got) == 0 || len(want) == 0 || got[0].Span != want[0].Span {
			t.Errorf("%q: got %+v, want %+v", tt.request, got, want)
		}
	}
}

// TestYesOrNo shows that weights decide between yes and no where the words of the question are not those
// of the sentence, and leave open what no sentence decides.
func TestYesOrNo(t *testing.T) {
	const voyaged = "CHARTER PARTY\n\n1. The Charterer shall buy all provisions from the Owner and from nobody else.\n\n2. Smoking below deck is strictly prohibited.\n\n3. The Charterer is free to bring guests aboard at any time.\n\n4. The Owner shall answer letters within a week.\n"
	d := rulestest.Read(voyaged)
	for _, tt := range []struct{ question, value string }{
		{"Can we buy food from somebody else?", "No"},
		{"Can I bring my friends?", "Yes"},
	} {
		got := questions.New(d, "").Answers(tt.question)
		if len(got) == 0 || *got[0].Item.Value != tt.value || got[0].Confidence > 0.5 {
			t.Errorf("%q: got %+v, want %q", tt.question, got, tt.value)
		}
	}
	q := questions.New(d, "")
	if _, asks := q.YesOrNo("When do they answer letters?", 3); asks {
		t.Error("a question for a time asks for yes or no")
	}
	features, asks := q.YesOrNo("It is hot. May I take friends along?", 3)
	if !asks || len(features) < 20 {
		t.Errorf("got %d features of a yes-or-no question, %v", len(features), asks)
	}
}
