package questions

import (
	"math"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// Limits for the answers to questions in plain speech.
const (
	// leastOdds is the minimum probability of the first answer, and leastNext that of further
	// ones.
	leastOdds, leastNext = 0.4, 0.2
)

// odds sets the probability of each candidate: that it is the passage that answers the question,
// as opposed to the other ones and to none.
func (n *inquiry) odds(all []candidate) {
	z := weightsOfNothing.times(n.none(all))
	top := z
	for i := range all {
		all[i].odds = weightsOfFeatures.times(all[i].features)
		top = max(top, all[i].odds)
	}
	sum := math.Exp(z - top)
	for i := range all {
		all[i].odds = math.Exp(all[i].odds - top)
		sum += all[i].odds
	}
	for i := range all {
		all[i].odds /= sum
	}
}

// times returns the sum of the features by their weights.
func (f features) times(x features) float64 {
	sum := 0.0
	for i, w := range f {
		sum += w * x[i]
	}
	return sum
}

// times returns the sum of the features by their weights.
func (f nothing) times(x nothing) float64 {
	sum := 0.0
	for i, w := range f {
		sum += w * x[i]
	}
	return sum
}

// reply returns the best answers to a question in plain speech. unsure is what
// other rules answer, which may be about something else.
func (q *Questions) reply(question string, a asking, unsure knowledge) []finding.Found[insightapi.PromptAnswer] {
	a.kind = plainKind(a.text)
	n := q.inquire(question, &a)
	n.consider(unsure.found)
	all := n.ranked()
	var found []finding.Found[insightapi.PromptAnswer]
	for _, c := range all {
		if len(found) == MaxAnswers || c.odds < leastNext || c.odds < minRelative*all[0].odds || all[0].odds < leastOdds {
			break
		}
		f := n.answer(question, c, unsure)
		if lead := q.leads[c.sentence]; lead >= 0 && q.doc.Sentences[c.sentence-1].Paragraph != q.doc.Sentences[c.sentence].Paragraph {
			a.introduce(q.doc, &f, q.doc.Sentences[lead].Span, found)
		}
		if !overlaps(found, f.Span) {
			found = append(found, f)
		}
	}
	return found
}

// consider notes the sentences that other rules give.
func (n *inquiry) consider(unsure []finding.Found[insightapi.PromptAnswer]) {
	for _, f := range unsure {
		if i := passage.SentenceAt(n.doc, f.Span.Start); i >= 0 {
			n.likely[i] = max(n.likely[i], f.Confidence)
		}
	}
	for i, t := range topics {
		if !t.asks.MatchString(n.a.text) {
			continue
		}
		for _, e := range n.evidenceOn(i) {
			for j := max(0, passage.SentenceAt(n.doc, e.Start)); j < len(n.doc.Sentences) && n.doc.Sentences[j].Start < e.End; j++ {
				n.topical[j] = max(n.topical[j], e.confidence)
			}
		}
	}
}

// answer returns a candidate as an answer.
func (n *inquiry) answer(question string, c candidate, unsure knowledge) finding.Found[insightapi.PromptAnswer] {
	d, span := n.doc, n.doc.Sentences[c.sentence].Span
	f := finding.Found[insightapi.PromptAnswer]{
		Item: insightapi.PromptAnswer{Message: question},
		Span: span, Reasoning: "This sentence suits the words of the question and the kind of answer that it asks for better than others do.",
		Confidence: math.Round(100*c.odds) / 100,
	}
	if n.strong() < 2 {
		f.Confidence = min(f.Confidence, unsureMost)
	}
	text := passage.Text(d, span)
	for _, u := range unsure.found {
		if u.Span.Overlaps(span) && (unsure.whole && n.matched < wellKnown*n.total || 2*len(*u.Item.Value) < len(text)) {
			f.Span, f.Item.Value = u.Span, u.Item.Value
			return f
		}
	}
	value := ""
	if span.Len() <= passage.MaxSentence {
		value = n.pick(text)
	}
	if value == "" {
		value = text
	}
	n.a.set(&f, value)
	return f
}
