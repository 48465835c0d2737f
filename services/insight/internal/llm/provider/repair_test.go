package provider_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/testkit/modelserver"
	"github.com/rectohq/recto/services/insight/internal/llm/provider"
)

// unusable are answers that cannot be used, and what the model is told about them.
var unusable = map[string]string{
	wrong:                                  `at /clauses/0/kind: value must be one of 'a', 'b'`,
	`{"clauses":[{"kind":"a"}]}`:           `at /clauses/0: missing property 'quote'`,
	`{"clauses":[],"more":1}`:              `at /: additional properties 'more' not allowed`,
	`{"clauses":[`:                         "It is not valid JSON: ",
	`{"clauses":[],"clauses":[]}`:          "It is not valid JSON: duplicate object member name",
	`[]`:                                   "It is not a JSON object.",
	`I found no clauses.`:                  "It is not a JSON object.",
	`{"clauses":[]} That is all.`:          "There is text after the JSON object.",
	`{"clauses":[]}{"clauses":[]}`:         "There is text after the JSON object.",
	"Here it is: " + good:                  "It is not a JSON object.",
	"```json\n" + good:                     "It is not a JSON object.",
	"```python\n" + good + "\n```":         "It is not a JSON object.",
	`{"clauses":` + deep(40) + `}`:         "It is nested deeper than 32 levels.",
	`{"clauses":[{"quote":5,"kind":"a"}]}`: `at /clauses/0/quote: got number, want string`,
}

// deep returns nested arrays.
func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// script lets a server give one reply after the other, the last one again and again.
func script(s *modelserver.Server, replies ...modelserver.Reply) {
	s.Script(func(r modelserver.Request) modelserver.Reply { return replies[min(r.Count, len(replies)-1)] })
}

func TestTheModelIsToldOnceWhatIsWrong(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		for answer, violation := range unusable {
			s, c := start(t, w, modelserver.Reply{})
			script(s, modelserver.Reply{JSON: answer, Usage: modelserver.Usage{Input: 10, Output: 3}},
				modelserver.Reply{JSON: good, Usage: modelserver.Usage{Input: 15, Output: 4}})
			got, err := c.Complete(t.Context(), prompt)
			if want := (insightapi.Tokens{Requests: 2, InputTokens: 25, OutputTokens: 7}); err != nil || string(got.JSON) != good || got.Tokens != want {
				t.Fatalf("%s: %s, %+v, %v", answer, got.JSON, got.Tokens, err)
			}
			all := s.Requests()
			if len(all) != 2 {
				t.Fatalf("%s: %d requests", answer, len(all))
			}
			said, about := all[1].Answers, strings.TrimPrefix(all[1].Text, all[0].Text)
			if all[1].System != system || said != answer || about == all[1].Text || !strings.Contains(about, violation) || strings.Contains(about, document) {
				t.Errorf("%s: the model said %q and was told %q", answer, said, about)
			}
		}
	})
}

func TestAnUnusableAnswerTwiceIsInvalid(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		for answer := range unusable {
			s, c := start(t, w, modelserver.Reply{JSON: answer, Usage: modelserver.Usage{Input: 10, Output: 3}})
			_, err := c.Complete(t.Context(), prompt)
			e := failed(t, err)
			leak(t, err)
			if want := (insightapi.Tokens{Requests: 2, InputTokens: 20, OutputTokens: 6}); e.Kind != provider.Invalid || e.Tokens != want || len(s.Requests()) != 2 {
				t.Errorf("%s: %v, %+v after %d requests", answer, err, e, len(s.Requests()))
			}
		}
	})
}

func TestTheErrorOfARepairHasTheTokensOfBothRequests(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		s, c := start(t, w, modelserver.Reply{})
		script(s, modelserver.Reply{JSON: wrong, Usage: modelserver.Usage{Input: 10, Output: 3}}, modelserver.Reply{Status: 500})
		_, err := c.Complete(t.Context(), prompt)
		e := failed(t, err)
		if want := (insightapi.Tokens{Requests: 2, InputTokens: 10, OutputTokens: 3}); e.Kind != provider.Unavailable || e.Tokens != want || len(s.Requests()) != 2 {
			t.Errorf("%v: %+v after %d requests", err, e, len(s.Requests()))
		}
	})
}

func TestALongUnusableAnswerIsNotRepeatedWhole(t *testing.T) {
	s, c := start(t, ways[0], modelserver.Reply{})
	script(s, modelserver.Reply{JSON: strings.Repeat("é", 20_000)}, modelserver.Reply{JSON: good})
	if _, err := c.Complete(t.Context(), prompt); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests()[1].Answers; len(got) > 8<<10+len("…") || !strings.HasPrefix(got, "éé") {
		t.Errorf("%d bytes were repeated", len(got))
	}
}

func FuzzReadAnswer(f *testing.F) {
	for answer := range unusable {
		f.Add(answer)
	}
	for _, text := range []string{good, "```json\n" + good + "\n```", "<think>a</think>" + good, "x</think>\n```\n" + good + "```", "```", "``````", "</think>", "\x00{}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, violation := provider.ReadAnswer(prompt.Schema, text)
		if (found == "") == (violation == "") {
			t.Fatalf("%q, %q", found, violation)
		}
		if len(violation) > 2000 {
			t.Errorf("%d bytes about what is wrong", len(violation))
		}
		if !strings.Contains(text, found) {
			t.Errorf("%q is not what the model said", found)
		}
		if again, _ := provider.ReadAnswer(prompt.Schema, found); again != found {
			t.Errorf("%q is read as %q", found, again)
		}
	})
}
