// Package questions owns answers to questions in words: by what the other rules find
// where the question is one for them, or else by the sentences that share its words.
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

// Bounds of questions and answers.
const (
	// maxAnswers is how many sentences answer a question.
	maxAnswers = 3
	// maxTerms is how many different words of a question count.
	maxTerms = 64
	// minCovered is the part of a question, by the weight of its words, that a
	// sentence has to have to answer it.
	minCovered = 0.45
	// nextBest is how good further answers are, as a part of the best one.
	nextBest = 0.85
	// titleWeight is what a word in the title of a section counts, as a part of one
	// in the sentence.
	titleWeight = 0.5
	// contextWeight is what a word of the context counts, as a part of one of the
	// question.
	contextWeight = 0.2
	// minWords is how many words that count a sentence has at least that answers.
	minWords = 4
	// sureMost is how sure an answer is at most that rests on words alone, and
	// unsureMost where the question has less than fewWords of them.
	sureMost, unsureMost, fewWords = 0.6, 0.45, 3
)

// Questions are those that are asked of one document, one after the other. What has
// been found for one of them is there for the others.
type Questions struct {
	doc     *structure.Document
	context string
	// evidence is what each of subjects finds, as far as somebody has asked.
	evidence map[int][]evidence
	// words are those of each sentence that count, and titles those of the title of
	// its section; nil until somebody asks for them. silent are the sentences that can
	// answer nothing, and average is how many words a sentence has.
	words, titles [][]string
	silent        []bool
	average       float64
}

// New returns questions for d. context is background that only ranks
// sentences.
func New(d *structure.Document, context string) *Questions {
	return &Questions{doc: d, context: context[:min(len(context), passage.MaxSentence)], evidence: map[int][]evidence{}}
}

// Answers returns what answers a question best, the best first: what other rules
// find where the question is one for them, or else the sentences that share its rare
// words and hold what is asked for, as a date. There is none where no sentence has
// enough of them.
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
		if len(found) == maxAnswers || h.score < nextBest*best {
			break
		}
		if !holds(d.Quote(passage.Cut(d.Text, sentence.Span))) {
			continue
		}
		best = max(best, h.score)
		found = append(found, finding.Found[insightapi.PromptAnswer]{
			Item: insightapi.PromptAnswer{Message: question, Value: new(passage.Text(d, sentence.Span))},
			Span: sentence.Span, Reasoning: "Of all sentences this one shares most of the rare words of the question.",
			Confidence: math.Round(100*math.Min(0.25+0.5*h.covered, most)) / 100,
		})
	}
	return found
}

// Unanswered is the item for a question that the document does not answer.
func Unanswered(question string) insightapi.PromptAnswer {
	why := "The document does not say: no passage speaks of what the question asks for."
	if len(termsOf(question)) == 0 {
		why = "The question has no words to look for in the document. Name what it is about."
	}
	return insightapi.PromptAnswer{Message: question, Place: insightapi.Place{Reasoning: &why}}
}

// readWords reads the words of the sentences, once. Sentences of one section share
// those of its title; a heading has none beside its own.
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
			title = termsOf(passage.SectionTitle(q.doc, s.Paragraph))
			of[section] = title
		}
		words := termsOf(q.doc.Quote(passage.Cut(q.doc.Text, s.Span)))
		q.words, q.titles = append(q.words, words), append(q.titles, title)
		q.silent = append(q.silent, len(words) < minWords || !answering(q.doc, s))
		all += len(words)
	}
	q.average = 1 + float64(all)/float64(max(n, 1))
}

// stopWords are those of questions and sentences that say nothing of what is asked
// for.
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

// termsOf returns the words of s that count, without their endings.
func termsOf(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var terms []string
	for _, w := range words {
		if len(w) > 1 && !stopWords[w] {
			terms = append(terms, stem(w))
		}
	}
	return terms
}

// stem returns w without the endings that nouns and verbs take, so that
// "terminated" is found by "termination". What is left is at least four letters, or
// three of a plural.
func stem(w string) string {
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
