package evaluation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
)

// The names of the scores for questions. A question is right to be answered if the
// agreement has evidence. A quote is right if it overlaps evidence; quotes for questions
// without evidence are wrong.
const (
	scoreAnswered   = "answered if there is evidence"
	scoreUnanswered = "unanswered if there is none"
	scoreEvidence   = "evidence, passages"
	scoreCharacters = "evidence, characters"
	// prefixQuestion precedes the label of a hypothesis, whose score is that of
	// scoreEvidence for it alone.
	prefixQuestion = "question "
)

// AddNDA measures an answer to n.Requests about the document d, which has the text of n.
func (r *Report) AddNDA(d *layout.Document, a *insightapi.Answer, n NDA) {
	t := r.begin(d, a)
	for _, h := range n.Hypotheses {
		var gold, quoted []layout.Span
		for _, p := range h.Evidence {
			if s, ok := t.bytes(p); ok {
				gold = append(gold, s)
			}
		}
		each(a.CustomPrompt, func(i insightapi.PromptAnswer) {
			if i.Message != h.Statement || !answered(i) {
				return
			}
			// An item whose place is wrong is reported as such, and counts as wrong here: its
			// span is empty, which overlaps nothing.
			s, _ := t.search(i.Place)
			r.Calibration.Add(i.ConfidenceScore, slices.ContainsFunc(gold, s.Overlaps))
			quoted = append(quoted, s)
		})
		r.question(t, h.Label, gold, quoted)
	}
}

// question scores the quotes of one question.
func (r *Report) question(t *text, label string, gold, quoted []layout.Span) {
	is, due := len(quoted) > 0, len(gold) > 0
	r.score(scoreAnswered).Add(is, due, true)
	r.score(scoreUnanswered).Add(!is, !due, true)
	for _, s := range []*Score{r.score(scoreEvidence), r.score(prefixQuestion + strings.ToLower(label))} {
		for _, q := range quoted {
			s.addFound(slices.ContainsFunc(gold, q.Overlaps))
		}
		for _, g := range gold {
			s.addGold(slices.ContainsFunc(quoted, g.Overlaps))
		}
	}
	s := r.score(scoreCharacters)
	s.Found += t.length(quoted)
	s.Gold += t.length(gold)
	both := t.length(common(quoted, gold))
	s.RightFound, s.Recalled = s.RightFound+both, s.Recalled+both
}

// common returns the parts of the spans of a that are in spans of b.
func common(a, b []layout.Span) []layout.Span {
	var parts []layout.Span
	for _, x := range a {
		for _, y := range b {
			if x.Overlaps(y) {
				parts = append(parts, layout.Span{Start: max(x.Start, y.Start), End: min(x.End, y.End)})
			}
		}
	}
	return parts
}

// length returns the number of characters in any of the spans.
func (t *text) length(spans []layout.Span) int {
	spans = slices.SortedFunc(slices.Values(spans), func(x, y layout.Span) int { return cmp.Compare(x.Start, y.Start) })
	total, end := 0, 0
	for _, s := range spans {
		s.Start = max(s.Start, end)
		if s.Len() > 0 {
			total += t.characters(s)
			end = s.End
		}
	}
	return total
}
