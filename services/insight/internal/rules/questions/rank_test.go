package questions_test

import (
	"strings"
	"testing"

	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/rules/rulestest"
)

// TestRank shows that every sentence is ranked, and which is best.
func TestRank(t *testing.T) {
	d := rulestest.Read(leased)
	q := questions.New(d, "")
	for question, want := range map[string]string{
		"Who has insurance against fires?":     "insured against fire",
		"cleaning of stairs, and nothing else": "common stairs",
		"What about insurers or elephants?":    "reputable insurer",
	} {
		before := len(q.Answers("Must the tenant keep the common stairs clean?"))
		all := q.Rank(question)
		if len(all) != len(d.Sentences) {
			t.Errorf("%q: %d passages, want %d", question, len(all), len(d.Sentences))
		}
		best := all[0]
		for i, p := range all {
			if p.Score > best.Score {
				best = p
			}
			if p.Sentence != d.Sentences[i] {
				t.Errorf("%q: passage %d is %v, want %v", question, i, p.Sentence, d.Sentences[i])
			}
		}
		if !strings.Contains(d.Quote(best.Span), want) {
			t.Errorf("%q: the best is %q, want %q", question, d.Quote(best.Span), want)
		}
		if after := len(q.Answers("Must the tenant keep the common stairs clean?")); after != before {
			t.Errorf("there are %d answers after ranking, and %d before", after, before)
		}
	}
	for _, p := range q.Rank("of the?") {
		if p.Score != 0 {
			t.Errorf("%q has the score %v for a question without words", d.Quote(p.Span), p.Score)
		}
	}
}

// TestRankLongSentences shows that long sentences are ranked in pieces, which have all of
// their text.
func TestRankLongSentences(t *testing.T) {
	for name, text := range map[string]string{
		"words":      strings.Repeat("nothing here ", 800) + "but ferrets " + strings.Repeat("and more ", 800),
		"characters": strings.Repeat("契約", 3000),
		"bytes":      strings.Repeat("\xa9", 5000),
	} {
		d := rulestest.Read(text)
		var all strings.Builder
		best := questions.Passage{}
		for _, p := range questions.New(d, "").Rank("Are there ferrets?") {
			all.WriteString(d.Quote(p.Span))
			if p.Len() > 1000 || strings.ToValidUTF8(text, "") == text && strings.ToValidUTF8(d.Quote(p.Span), "") != d.Quote(p.Span) {
				t.Errorf("%s: the piece %v is too long, or cuts a character", name, p.Span)
			}
			if p.Score > best.Score {
				best = p
			}
		}
		var want strings.Builder
		for _, s := range d.Sentences {
			want.WriteString(d.Quote(s.Span))
		}
		if all.String() != want.String() {
			t.Errorf("%s: the pieces do not have all of the text", name)
		}
		if strings.Contains(text, "ferrets") && !strings.Contains(d.Quote(best.Span), "ferrets") {
			t.Errorf("%s: the best piece is %q", name, d.Quote(best.Span))
		}
	}
}
