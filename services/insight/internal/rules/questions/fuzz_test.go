package questions_test

import (
	"testing"

	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// FuzzAnswers checks that answers are in the document, that their confidence is possible,
// and that the same question gets the same answers again.
func FuzzAnswers(f *testing.F) {
	for _, question := range []string{
		"Which law governs this agreement?", "May the Buyer assign, or not?", "How much is the storage fee?", "Who pays?", "to whom are notices sent",
		"How many days", "Is the Buyer required to not be entitled to?", "When \xff", "Where is it?",
	} {
		f.Add(question, supply)
		f.Add(question, leased)
	}
	f.Add("May the recipient keep copies?", mutual)
	f.Add("The Receiving Party shall return everything.", "NDA\n\nEach party shall:\n\n(a) return all confidential information;\n\n(b) destroy it\n")
	f.Add("May it: do", "It shall not:\n\n(a) do;\n\n(b) be\n")
	f.Fuzz(func(t *testing.T, question, text string) {
		if len(question)+len(text) > 1<<14 {
			return
		}
		d := rulestest.Read(text)
		q := questions.New(d, question)
		q.SetSecrecy(learn.Secrecy())
		first, again := q.Answers(question), q.Answers(question)
		if len(first) != len(again) || len(first) > questions.MaxAnswers {
			t.Fatalf("%d answers, and then %d", len(first), len(again))
		}
		for i, a := range first {
			if a.Span.Start < 0 || a.Span.Len() <= 0 || a.Span.End > len(d.Text) || a.Item.Value == nil || a.Confidence <= 0 || a.Confidence > 1 || a.Reasoning == "" {
				t.Errorf("the answer is %+v", a)
			}
			if *a.Item.Value != *again[i].Item.Value || a.Span != again[i].Span {
				t.Errorf("got %q, and then %q", *a.Item.Value, *again[i].Item.Value)
			}
		}
	})
}
