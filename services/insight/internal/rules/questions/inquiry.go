package questions

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
)

// inquiry looks for the sentence that answers a question in plain speech.
type inquiry struct {
	*Questions
	a     *asking
	clues []clue
	// at lists the clues that each word of the document matches, by its index in the
	// vocabulary.
	at [][]match
	// total is the weight of all clues, and matched that of those that the document has.
	total, matched float64
	// likely maps sentences to the confidence with which another rule gives them as the
	// answer.
	likely map[int]float64
	// affinity is how well each sentence suits the question by the words of both.
	affinity []float64
	// same and rooted are the clues that a word, and a word with a root, match.
	same, rooted map[string][]match
	// further reports that a better answer has been found.
	further bool
}

// maxCandidates is the maximum number of sentences that are compared in detail because they have
// words of a question, that of those that suit its words, and that of those that other rules give.
const maxCandidates = 24

// inquire returns the inquiry for a question.
func (q *Questions) inquire(question string, a *asking) *inquiry {
	q.readWords()
	n := &inquiry{Questions: q, a: a, clues: cluesOf(question), likely: map[int]float64{}}
	n.same, n.rooted = map[string][]match{}, map[string][]match{}
	for i, c := range n.clues {
		for w, worth := range c.alike {
			n.same[w] = append(n.same[w], match{i, worth})
			n.rooted[rootOf(w)] = append(n.rooted[rootOf(w)], match{i, worth * rootWorth})
		}
	}
	n.at = make([][]match, len(q.vocabulary))
	for id, w := range q.vocabulary {
		n.at[id] = n.cluesOn(w)
	}
	n.weigh()
	return n
}

// cluesOn returns the clues that a word matches, each once, in their order.
func (n *inquiry) cluesOn(word string) (all []match) {
	best := map[int]float64{}
	for _, m := range slices.Concat(n.same[word], n.rooted[rootOf(word)]) {
		best[m.term] = max(best[m.term], m.worth)
	}
	for t, worth := range best {
		all = append(all, match{t, worth})
	}
	slices.SortFunc(all, func(a, b match) int { return cmp.Compare(a.term, b.term) })
	return all
}

// weigh sets the weight of each clue by how rare it is in the document.
func (n *inquiry) weigh() {
	frequency, last := make([]float64, len(n.clues)), make([]int, len(n.clues))
	for i, words := range n.words {
		for _, w := range words {
			for _, m := range n.at[w] {
				if last[m.term] != i+1 {
					last[m.term] = i + 1
					frequency[m.term]++
				}
			}
		}
	}
	all := float64(len(n.words))
	for i, f := range frequency {
		c := &n.clues[i]
		c.weight = c.worth * math.Log(1+(all-f+0.5)/(f+0.5))
		n.total += c.weight
		if f > 0 {
			c.present = true
			n.matched += c.weight
		}
	}
}

// has notes how much of each clue is in the words.
func (n *inquiry) has(found []float64, words []word) {
	for _, w := range words {
		for _, m := range n.at[w] {
			found[m.term] = max(found[m.term], m.worth)
		}
	}
}

// sum returns the weight of what is found.
func (n *inquiry) sum(found []float64) float64 {
	s := 0.0
	for i, f := range found {
		s += f * n.clues[i].weight
	}
	return s
}

// candidate is a sentence that may answer the question.
type candidate struct {
	sentence int
	// rough is the weight of the clues that it and its surroundings have.
	rough    float64
	features features
	// odds is the probability that it answers the question.
	odds float64
}

// ranked returns the sentences that may answer the question, the most probable first. It returns none if that
// one misleads.
func (n *inquiry) ranked() []candidate {
	all := slices.DeleteFunc(n.compared(), func(c candidate) bool { return !n.supported(&c) })
	n.odds(all)
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.odds, a.odds) })
	if len(all) > 0 && n.misleads(&all[0]) {
		return nil
	}
	return n.ofParty(all)
}

// leastOwn is the minimum probability of an answer about the party of the question, as a fraction of the most
// probable one, to replace answers about another party.
const leastOwn = 0.2

// ofParty drops the first candidates for a yes-or-no question if they are about another party and a later one
// is about the party of the question: a right of the tenant does not answer a question about the landlord.
func (n *inquiry) ofParty(all []candidate) []candidate {
	if n.a.kind != verdict || len(all) == 0 || !n.aboutOther(&all[0]) {
		return all
	}
	for i := 1; i < len(all) && all[i].odds >= leastOwn*all[0].odds; i++ {
		if !n.aboutOther(&all[i]) {
			all[i].odds = max(all[i].odds, min(all[0].odds, LeastOdds))
			return all[i:]
		}
	}
	return all
}

// aboutOther reports whether a sentence is about another party than the question.
func (n *inquiry) aboutOther(c *candidate) bool {
	return n.otherParty(n.tokensAt(c.sentence, passage.Text(n.doc, n.doc.Sentences[c.sentence].Span)))
}

// compared returns the sentences that may answer the question with their features.
func (n *inquiry) compared() []candidate {
	all := n.candidates(maxCandidates)
	n.describe(all)
	return all
}

// candidates returns the sentences that have most of the clues, those that suit the words of the
// question best, at most a number of each, and those that other rules give.
func (n *inquiry) candidates(most int) []candidate {
	var all []candidate
	found := make([]float64, len(n.clues))
	for i := range n.words {
		if n.silent[i] && n.likely[i] == 0 {
			continue
		}
		clear(found)
		n.has(found, n.words[i])
		own := n.sum(found)
		n.around(found, i)
		rough := own + 0.5*(n.sum(found)-own)
		rough /= 1 + 0.15*float64(len(n.words[i]))/n.average
		all = append(all, candidate{sentence: i, rough: rough})
	}
	if len(all) <= most {
		return all
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.rough, a.rough) })
	kept, rest := all[:most:most], all[most:]
	if n.affinity != nil {
		slices.SortStableFunc(rest, func(a, b candidate) int { return cmp.Compare(n.affinity[b.sentence], n.affinity[a.sentence]) })
		kept, rest = append(kept, rest[:min(most, len(rest))]...), rest[min(most, len(rest)):]
	}
	for _, c := range rest {
		if n.likely[c.sentence] > 0 && len(kept) < 3*most {
			kept = append(kept, c)
		}
	}
	return kept
}

// around adds the clues in the title and the introduction of a sentence.
func (n *inquiry) around(found []float64, i int) {
	n.has(found, n.titles[i])
	if lead := n.leads[i]; lead >= 0 {
		n.has(found, n.words[lead])
	}
}

// Limits for the answers to questions in plain speech.
const (
	// LeastOdds is the minimum probability of the first answer, and leastNext that of further
	// ones.
	LeastOdds, leastNext = 0.35, 0.2
)

// odds sets the probability of each candidate: that it is the passage that answers the question,
// as opposed to the other ones and to none.
func (n *inquiry) odds(all []candidate) {
	none := n.none(all)
	ofSentence, ofNothing := weightsOf(n.model())
	z := weighed(none[:], ofNothing[:])
	top := z
	for i := range all {
		all[i].odds = weighed(all[i].features[:], ofSentence[:])
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

// weighed returns the sum of features by their weights.
func weighed(features, weights []float64) float64 {
	sum := 0.0
	for i, w := range weights {
		sum += w * features[i]
	}
	return sum
}

// reply returns the best answers to a question in plain speech. unsure is what
// other rules answer, which may be about something else.
func (q *Questions) reply(question string, a asking, unsure knowledge) []finding.Found[insightapi.PromptAnswer] {
	a.kind = plainKind(a.text)
	n := q.inquire(question, &a)
	n.consider(unsure.found)
	n.affinity = q.affinities(a.text)
	all := n.ranked()
	var found []finding.Found[insightapi.PromptAnswer]
	for _, c := range all {
		if len(found) == MaxAnswers || c.odds < leastNext || c.odds < minRelative*all[0].odds || all[0].odds < LeastOdds {
			break
		}
		n.further = len(found) > 0
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
}

// answer returns a candidate as an answer.
func (n *inquiry) answer(question string, c candidate, unsure knowledge) finding.Found[insightapi.PromptAnswer] {
	d, span := n.doc, n.doc.Sentences[c.sentence].Span
	f := finding.Found[insightapi.PromptAnswer]{
		Item: insightapi.PromptAnswer{Message: question},
		Span: span, Reasoning: "This sentence suits the words of the question and the kind of answer that it asks for better than others do.",
		Confidence: math.Round(100*c.odds) / 100,
	}
	if reasons := n.reasons(n.a.text, passage.Text(d, passage.Cut(d.Text, span))); len(reasons) > 0 {
		f.Reasoning += " In the question, " + strings.Join(reasons, ", ") + "."
	}
	if n.strong() < 2 {
		f.Confidence = min(f.Confidence, unsureMost)
	}
	if line := n.line(span); line.Len() < span.Len() {
		span, f.Span = line, line
	}
	text := passage.Text(d, span)
	for _, u := range unsure.found {
		if n.a.kind != measure && u.Span.Overlaps(span) && (unsure.whole && n.matched < wellKnown*n.total || 2*len(*u.Item.Value) < len(text)) {
			f.Span, f.Item.Value = u.Span, u.Item.Value
			return f
		}
	}
	value := ""
	if span.Len() <= passage.MaxSentence {
		var chance float64
		if value, chance = n.pick(text); chance > 0 {
			f.Reasoning += fmt.Sprintf(" With a probability of %.2f, the value is the part of it that the question asks for.", chance)
		}
	}
	if value == "" {
		value = text
	}
	n.a.set(&f, value)
	return f
}
