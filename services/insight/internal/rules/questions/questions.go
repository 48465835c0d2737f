// Package questions answers free-form questions: with the findings of another rule if one
// covers the question, or else with the sentences that share its words.
package questions

import (
	"math"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Limits for questions and answers.
const (
	// MaxAnswers is the maximum number of answers to a question.
	MaxAnswers = 3
	// maxTerms is the maximum number of different words of a question that count.
	maxTerms = 64
	// minCovered is the fraction of a question, by weight of its words, that a sentence
	// must contain to answer it.
	minCovered = 0.45
	// nextBest is the minimum score of further answers, as a fraction of the best one.
	nextBest = 0.85
	// titleWeight is the weight of a word in the section title, relative to a word in the
	// sentence.
	titleWeight = 0.5
	// contextWeight is the weight of a word in the context, relative to a word of the
	// question.
	contextWeight = 0.2
	// minWords is the minimum number of significant words in a sentence that answers.
	minWords = 4
	// sureMost is the maximum confidence of an answer found by words alone. unsureMost
	// applies instead if the question has fewer than fewWords significant words.
	sureMost, unsureMost, fewWords = 0.6, 0.45, 3
)

// Questions answers questions about one document. It reuses what it has computed for earlier
// questions. It is not safe for concurrent use.
type Questions struct {
	doc     *structure.Document
	context string
	// evidence holds the findings of each subject that has been asked about, by its
	// index.
	evidence map[int][]evidence
	// words are the significant words of each sentence and titles those of its section
	// title; both are nil until first needed. silent marks the sentences that cannot
	// answer anything. average is the mean number of words in a sentence.
	words, titles [][]string
	silent        []bool
	average       float64
	// root is the maximum length of the words in bytes, 0 for no maximum.
	root int
	// rough is the document as Rank reads it, nil until first needed.
	rough *Questions
}

// New returns a Questions for d. context is background from the caller; it affects only
// the ranking of sentences.
func New(d *structure.Document, context string) *Questions {
	return &Questions{doc: d, context: context[:min(len(context), passage.MaxSentence)], evidence: map[int][]evidence{}}
}

// Answers returns the best answers to a question, best first: the findings of another
// rule if one covers the question, or else the sentences that share its rare words and
// contain the kind of thing asked for, such as a date. It returns none if no sentence
// shares enough of the words.
func (q *Questions) Answers(question string) []finding.Found[insightapi.PromptAnswer] {
	if found := q.known(question); len(found) > 0 {
		return found
	}
	s := q.search(question)
	if len(s.terms) == 0 {
		return nil
	}
	d := q.doc
	holds := holding(passage.Lower(question))
	most := sureMost
	if s.asked < fewWords {
		most = unsureMost
	}
	var found []finding.Found[insightapi.PromptAnswer]
	best := 0.0
	for _, h := range s.rank() {
		sentence := d.Sentences[h.sentence]
		if len(found) == MaxAnswers || h.score < nextBest*best {
			break
		}
		if !holds(d.Quote(passage.Cut(d.Text, sentence.Span))) {
			continue
		}
		best = max(best, h.score)
		found = append(found, finding.Found[insightapi.PromptAnswer]{
			Item: insightapi.PromptAnswer{Message: question, Value: new(passage.Text(d, sentence.Span))},
			Span: sentence.Span, Reasoning: "This sentence is among the best matches for the rare words of the question.",
			Confidence: math.Round(100*math.Min(0.25+0.5*h.covered, most)) / 100,
		})
	}
	return found
}

// Unanswered returns the item for a question that the document does not answer.
func Unanswered(question string) insightapi.PromptAnswer {
	why := "The document does not say: no passage matches the question."
	if len(Terms(question)) == 0 {
		why = "The question has no words to search for. Say what it is about."
	}
	return insightapi.PromptAnswer{Message: question, Place: insightapi.Place{Reasoning: &why}}
}

// readWords splits the sentences into words, once. Sentences of one section share the
// words of its title. A heading gets no title words in addition to its own.
func (q *Questions) readWords() {
	if q.words != nil {
		return
	}
	of, all := map[int][]string{-1: nil}, 0
	n := len(q.doc.Sentences)
	q.words, q.titles, q.silent = make([][]string, 0, n), make([][]string, 0, n), make([]bool, 0, n)
	for _, s := range q.doc.Sentences {
		p := q.doc.Paragraphs[s.Paragraph]
		section := p.Section
		if p.Kind == structure.Heading {
			section = -1
		}
		title, read := of[section]
		if !read {
			title = q.terms(passage.SectionTitle(q.doc, s.Paragraph))
			of[section] = title
		}
		words := q.terms(q.doc.Quote(passage.Cut(q.doc.Text, s.Span)))
		q.words, q.titles = append(q.words, words), append(q.titles, title)
		q.silent = append(q.silent, len(words) < minWords || !answering(q.doc, s))
		all += len(words)
	}
	q.average = 1 + float64(all)/float64(max(n, 1))
}

// stopWords are words that do not help to find an answer.
var stopWords = map[string]bool{
	"a": true, "about": true, "after": true, "all": true, "also": true, "an": true, "and": true, "any": true,
	"are": true, "as": true, "at": true, "be": true, "been": true, "before": true, "being": true, "between": true,
	"but": true, "by": true, "can": true, "could": true, "did": true, "do": true, "does": true, "each": true,
	"for": true, "from": true, "had": true, "has": true, "have": true, "he": true, "her": true, "here": true,
	"his": true, "how": true, "i": true, "if": true, "in": true, "into": true, "is": true, "it": true, "its": true,
	"may": true, "me": true, "more": true, "most": true, "must": true, "my": true, "no": true, "not": true, "of": true,
	"on": true, "or": true, "other": true, "our": true, "out": true, "over": true, "shall": true, "she": true,
	"should": true, "so": true, "some": true, "such": true, "than": true, "that": true, "the": true, "their": true,
	"them": true, "then": true, "there": true, "these": true, "they": true, "this": true, "those": true, "to": true,
	"under": true, "until": true, "up": true, "us": true, "was": true, "we": true, "were": true, "what": true,
	"when": true, "where": true, "which": true, "who": true, "whom": true, "whose": true, "why": true, "will": true,
	"with": true, "would": true, "you": true, "your": true, "please": true, "tell": true, "list": true, "give": true,
	"say": true, "says": true, "document": true, "agreement": true, "contract": true, "describe": true, "explain": true,
	"provide": true, "find": true, "party": true, "parties": true,
}

// Terms returns the significant words of s, stemmed: all but stop words and single
// letters or digits.
func Terms(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var terms []string
	for _, w := range words {
		if len(w) > 1 && !stopWords[w] {
			terms = append(terms, Stem(w))
		}
	}
	return terms
}

// Stem returns w, in lower case, without common noun and verb endings, so that "terminated" matches
// "termination". It leaves at least four letters, or three for a plural.
func Stem(w string) string {
	for _, end := range []string{"ations", "ation", "ments", "ment", "ings", "ing", "ions", "ion", "ates", "ated", "ate", "ies", "ied", "ers", "er", "als", "al", "es", "ed", "s", "e", "y"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) >= 4 {
			return base
		}
	}
	if base, ok := strings.CutSuffix(w, "s"); ok && len(base) == 3 && base[2] != 's' {
		return base
	}
	return w
}
