package questions

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// subject is what questions ask that other rules know: what they find answers.
type subject struct {
	// asks tells the question, on one line in lower case.
	asks *regexp.Regexp
	// own are the words in which the question is put, as termsOf gives them: any
	// other word says which of several is meant.
	own map[string]bool
	// find returns what may answer.
	find func(*structure.Document) []evidence
	// exact says that the question is of no use where none of its other words is
	// there: of the amounts of a contract only one is the rent.
	exact bool
}

// evidence is what a rule found, as an answer.
type evidence struct {
	layout.Span
	// value is the answer where that is not the sentence, label what else is known
	// of it.
	value, label string
	why          string
	confidence   float64
}

// question tells a question from a statement that is only looked for.
var question = regexp.MustCompile(`\?\s*$|^(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|does|do|did|can|could|may|must|shall|should|will|has|have|until|by when|on what|on which|under (?:what|which)|in (?:what|which)|to (?:what|whom)|for how|at what|list|find|give|tell|name|state|identify|extract|show|return|get|provide|highlight|please|summari[sz]e|describe)\b`)

// assertion tells a statement, which no rule answers but by its words.
var assertion = regexp.MustCompile(`\b(?:shall|must|may|will|should|can|is|are|survives?|has|have)\b`)

// asked reports whether s, on one line and in lower case, asks something: as a
// question, as a request, or as a few words, as "governing law".
func asked(s string) bool {
	return question.MatchString(s) || !assertion.MatchString(s) && len(strings.Fields(s)) <= 6
}

// baseWorth is what the answer of a subject is worth that has none of the words that
// say which one is meant.
const baseWorth = 0.6

// known returns the answers that other rules give, the best first. There are none
// where the question is none for them.
func (q *Questions) known(message string) []finding.Found[insightapi.PromptAnswer] {
	text := passage.Lower(message)
	if !asked(text) {
		return nil
	}
	role := subject{own: wordsOf(text)}
	if found := role.answers(q.doc, message, roles(q.doc, text)); len(found) > 0 {
		return found
	}
	for i, s := range subjects {
		if !s.asks.MatchString(text) {
			continue
		}
		if found := s.answers(q.doc, message, q.evidenceOf(i)); len(found) > 0 {
			return found
		}
	}
	return nil
}

// evidenceOf returns what the subject of that index finds.
func (q *Questions) evidenceOf(i int) []evidence {
	all, found := q.evidence[i]
	if !found {
		all = subjects[i].find(q.doc)
		q.evidence[i] = all
	}
	return all
}

// answers returns what of the evidence fits the other words of a question.
func (s *subject) answers(d *structure.Document, message string, all []evidence) []finding.Found[insightapi.PromptAnswer] {
	var narrow []string
	for _, t := range termsOf(message) {
		if !s.own[t] && !generic[t] && len(narrow) < maxTerms {
			narrow = append(narrow, t)
		}
	}
	var found []finding.Found[insightapi.PromptAnswer]
	most := 0.0
	for _, e := range all {
		span := sentenceOf(d, e.Span)
		part := shareOf(narrow, passage.Text(d, span)+" "+e.label)
		if part < most || s.exact && part == 0 {
			continue
		}
		if part > most {
			// Those before have less of the words that say which one is meant.
			most, found = part, nil
		}
		f := finding.Found[insightapi.PromptAnswer]{
			Item: insightapi.PromptAnswer{Message: message, Value: &e.value}, Span: span, Reasoning: e.why,
			Confidence: e.confidence * (baseWorth + (1-baseWorth)*part),
		}
		if e.value == "" {
			f.Item.Value = new(passage.Text(d, span))
		} else {
			f.Span = e.Span
		}
		found = append(found, f)
	}
	return bestOf(found)
}

// bestOf returns the best few answers, each place once, the best first.
func bestOf(found []finding.Found[insightapi.PromptAnswer]) []finding.Found[insightapi.PromptAnswer] {
	slices.SortStableFunc(found, func(a, b finding.Found[insightapi.PromptAnswer]) int { return cmp.Compare(b.Confidence, a.Confidence) })
	var best []finding.Found[insightapi.PromptAnswer]
	for _, f := range found {
		if len(best) == maxAnswers || f.Confidence < nextBest*found[0].Confidence {
			break
		}
		if !slices.ContainsFunc(best, func(b finding.Found[insightapi.PromptAnswer]) bool { return b.Span.Overlaps(f.Span) }) {
			f.Confidence = math.Round(f.Confidence*100) / 100
			best = append(best, f)
		}
	}
	return best
}

// sentenceOf returns the sentence that a span stands in, or the span where it is
// in none.
func sentenceOf(d *structure.Document, s layout.Span) layout.Span {
	if i := passage.SentenceAt(d, s.Start); i >= 0 && d.Sentences[i].Len() <= passage.MaxSentence {
		return d.Sentences[i].Span
	}
	return s
}

// shareOf returns which part of the terms text has, 1 where there are none.
func shareOf(terms []string, text string) float64 {
	if len(terms) == 0 {
		return 1
	}
	has := map[string]bool{}
	for _, t := range termsOf(text) {
		has[t] = true
	}
	n := 0
	for _, t := range terms {
		if has[t] {
			n++
		}
	}
	return float64(n) / float64(len(terms))
}

// generic are the words of questions that say nothing of which one is meant.
var generic = wordsOf(`need needed needs require required exist exists apply applies applied current currently clause clauses provision
	provisions section sections possible allowed allow mentioned mention contain contains include includes included specified stated
	deal long far much many date dates day days amount amounts value there name full exact exactly specify defined details related
	parts part reviewed lawyer highlight any happen happens automatically without consent permitted written`)

// wordsOf returns the terms of s.
func wordsOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, t := range termsOf(s) {
		set[t] = true
	}
	return set
}
