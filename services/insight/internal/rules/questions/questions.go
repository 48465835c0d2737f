// Package questions answers free-form questions: with the findings of another rule if one
// covers the question, or else with the sentences that share or suit its words.
package questions

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Limits for questions and answers.
const (
	// MaxAnswers is the maximum number of answers to a question.
	MaxAnswers = 3
	// maxTerms is the maximum number of different words of a question that count.
	maxTerms = 64
	// minCovered is the fraction of a question, by weight of its words, that a sentence and
	// its surroundings must contain to answer it.
	// minCoveredFew applies instead if the question has fewer than fewWords words.
	minCovered, minCoveredFew = 0.45, 0.6
	// genericWeight is the weight of a word that phrases a question, relative to one that
	// says what it is about.
	genericWeight = 0.4
	// nextBest is the minimum confidence of further findings, as a fraction of the best one.
	nextBest = 0.85
	// titleWeight is the weight of a word in the section title, relative to a word in the
	// sentence.
	titleWeight = 0.5
	// contextWeight is the weight of a word in the context, relative to a word of the
	// question.
	contextWeight = 0.2
	// minWords is the minimum number of significant words in a sentence that answers, and
	// minFragment that in one without a full stop or semicolon.
	minWords, minFragment = 2, 4
	// sureMost is the maximum confidence of an answer found by words alone. unsureMost
	// applies instead if the question has fewer than fewWords significant words, and to a
	// question in plain speech with one.
	sureMost, unsureMost, fewWords = 0.6, 0.45, 3
)

// Questions answers questions about one document. It reuses what it has computed for earlier
// questions. It is not safe for concurrent use.
type Questions struct {
	doc     *structure.Document
	context string
	// clauses returns the clauses of the document.
	clauses func() []finding.Found[insightapi.Clause]
	// evidence holds the findings of each subject that has been asked about, by its index.
	evidence map[int][]evidence
	// words are the significant words of each sentence, titles those of its section title,
	// and leads the index of the sentence that introduces it, as before a list, or -1. They
	// are nil until first needed. silent marks the sentences that cannot answer anything.
	// average is the mean number of words in a sentence.
	words, titles [][]word
	leads         []int
	silent        []bool
	average       float64
	// tokens are the words of the sentences that have been compared, by their index.
	tokens map[int][]token
	// vocabulary holds the different words, and ids their indexes.
	vocabulary []string
	ids        map[string]word
	// pairs judge which sentence suits the words of a question, and traits are the features of the
	// sentences for that. Both are nil until first needed.
	pairs  *pairs.Model
	traits *traits
	// weights find the passages of a confidentiality agreement, and passages holds what they
	// find by kind. passages is nil until first needed, and empty for other documents. secret
	// reports that the document is a confidentiality agreement.
	weights  *learn.Model
	passages map[string][]learn.Passage
	secret   bool
	// rows are the rows of tables, nil until first needed, and labels the terms of their cells.
	rows   []structure.Row
	labels map[layout.Span][]string
	// rough is the document as Rank reads it, nil until first needed.
	rough *Questions
}

// New returns a Questions for d. context is background from the caller; it affects only
// the ranking of sentences.
func New(d *structure.Document, context string) *Questions {
	return &Questions{doc: d, clauses: sync.OnceValue(func() []finding.Found[insightapi.Clause] { return clauses.Find(d) }), context: context[:min(len(context), passage.MaxSentence)], evidence: map[int][]evidence{}, tokens: map[int][]token{}}
}

// SetClauses sets the clauses of the document, which rules find otherwise. all is called when a
// question needs them.
func (q *Questions) SetClauses(all func() []finding.Found[insightapi.Clause]) { q.clauses = all }

// SetPairs sets the weights of pairs of words. They are the embedded ones otherwise.
func (q *Questions) SetPairs(weights *pairs.Model) { q.pairs = weights }

// model returns the weights of pairs of words. What is not compared with them needs none: they can be
// fitted before there are any.
func (q *Questions) model() *pairs.Model {
	if q.pairs == nil {
		q.pairs = learn.Questions()
	}
	return q.pairs
}

// source is a document with its clauses.
type source struct {
	*structure.Document
	all func() []finding.Found[insightapi.Clause]
}

// clauses returns the clauses of a kind.
func (s *source) clauses(kind string) (found []finding.Found[insightapi.Clause]) {
	for _, f := range s.all() {
		if f.Item.ClauseType == kind {
			found = append(found, f)
		}
	}
	return found
}

func (q *Questions) source() *source { return &source{q.doc, q.clauses} }

// Answers returns the best answers to a question, best first: the passages that weights find if it
// asks, or states, what reviewers of confidentiality agreements look for, the row of a table that the
// question names, the findings of another rule if one covers the question, or else the sentences that share or suit its words and
// contain the kind of thing asked for, such as a date. It returns none if no sentence
// probably answers.
func (q *Questions) Answers(question string) []finding.Found[insightapi.PromptAnswer] {
	a := readQuestion(question)
	if m, ok := q.matterOf(&a); ok {
		return settled(q.doc, q.passagesOn(m, question, &a))
	}
	if f, ok := q.inRow(question, a); ok {
		return []finding.Found[insightapi.PromptAnswer]{f}
	}
	k := q.known(question, &a)
	switch {
	case q.compares(&a, k):
		return settled(q.doc, q.reply(question, a, k))
	case k.only:
		return settled(q.doc, k.found)
	case plain(a.text):
		return nil
	}
	return settled(q.doc, q.found(question, &a))
}

// compares reports whether sentences are compared to answer a question, if other rules know k. They
// are not to look up a statement, and only a clause says which law governs.
func (q *Questions) compares(a *asking, k knowledge) bool {
	if statement(a.text) || k.only && (k.sure || len(k.found) == 0) {
		return false
	}
	return kindIn(a.text) != ruling || len(k.found) > 0
}

// mostSearched is the maximum number of words that people type to search for something.
const mostSearched = 12

// statement reports whether a text, in lower case, is a statement: no question, no request, and not
// just words to search for, such as "source code if the operator goes bankrupt".
func statement(text string) bool {
	return !question.MatchString(text) && (assertion.MatchString(text) || len(strings.Fields(text)) > mostSearched)
}

// plainQuestion matches a question, as opposed to words or a statement to look for, and to a
// request.
var plainQuestion = regexp.MustCompile(`\?\s*$|^(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|does|do|did|can|could|may|must|shall|should|will|would|has|have|whether|until when|by when|on what|on which|in (?:what|which)|to (?:what|whom)|for how|at what)\b`)

// plain reports whether a text, in lower case, asks something in plain speech. So do a few words
// that name a value, such as "late shipment penalty".
func plain(text string) bool {
	return plainQuestion.MatchString(text) || asked(text) && kindNamed(text) != anything
}

// found returns the sentences that share the words of a question.
func (q *Questions) found(question string, a *asking) []finding.Found[insightapi.PromptAnswer] {
	s := q.search(question)
	if len(s.terms) == 0 {
		return nil
	}
	d := q.doc
	most := sureMost
	if s.asked < fewWords {
		most = unsureMost
	}
	var found []finding.Found[insightapi.PromptAnswer]
	best := 0.0
	for _, h := range s.rank() {
		sentence := d.Sentences[h.sentence]
		if len(found) == MaxAnswers || h.probability < minRelative*best {
			break
		}
		if !a.holds(d.Quote(passage.Cut(d.Text, sentence.Span))) {
			continue
		}
		best = max(best, h.probability)
		if f := q.worded(question, a, h, most, found); !overlaps(found, f.Span) {
			found = append(found, f)
		}
	}
	return found
}

// worded returns a sentence as an answer with a confidence of at most most, after the better
// answers.
func (q *Questions) worded(question string, a *asking, h answer, most float64, better []finding.Found[insightapi.PromptAnswer]) finding.Found[insightapi.PromptAnswer] {
	sentence := q.doc.Sentences[h.sentence]
	f := finding.Found[insightapi.PromptAnswer]{
		Item: insightapi.PromptAnswer{Message: question},
		Span: sentence.Span, Reasoning: "This sentence is among the best matches for the words of the question.",
		Confidence: math.Round(100*math.Min(h.probability, most)) / 100,
	}
	a.fill(q.doc, &f, sentence.Span, false)
	q.introduce(a, &f, h.sentence, better)
	return f
}

// introduce completes an answer that is a sentence with the one that introduces it, if it is an item
// of a list.
func (q *Questions) introduce(a *asking, f *finding.Found[insightapi.PromptAnswer], sentence int, better []finding.Found[insightapi.PromptAnswer]) {
	if lead := q.leads[sentence]; lead >= 0 && q.doc.Sentences[sentence-1].Paragraph != q.doc.Sentences[sentence].Paragraph {
		a.introduce(q.doc, f, q.doc.Sentences[lead].Span, better)
	}
}

// overlaps reports whether a span shares text with any of the answers.
func overlaps(all []finding.Found[insightapi.PromptAnswer], s layout.Span) bool {
	return slices.ContainsFunc(all, func(f finding.Found[insightapi.PromptAnswer]) bool { return f.Span.Overlaps(s) })
}

// Unanswered returns the item for a question that the document does not answer.
func Unanswered(question string) insightapi.PromptAnswer {
	why := "The document does not say: no passage matches the question."
	if len(vocabulary.Terms(question)) == 0 {
		why = "The question has no words to search for. Say what it is about."
	}
	return insightapi.PromptAnswer{Message: question, Place: insightapi.Place{Reasoning: &why}}
}
