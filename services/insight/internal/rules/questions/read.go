package questions

import (
	"slices"
	"sort"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// word is a significant word of the document: its index in the vocabulary.
type word int32

// wordsIn returns the significant words of a text of the document, and adds new ones to the
// vocabulary.
func (q *Questions) wordsIn(text string) []word {
	terms := vocabulary.TermsBesideRoles(text)
	all := make([]word, 0, len(terms))
	for _, t := range terms {
		w, known := q.ids[t]
		if !known {
			w = word(len(q.vocabulary))
			q.ids[t] = w
			q.vocabulary = append(q.vocabulary, t)
		}
		all = append(all, w)
	}
	return all
}

// readWords splits the sentences into words, once. Sentences of one section share the
// words of its title, and those of one paragraph that of a heading at its beginning. A heading gets no title words in addition to its own.
func (q *Questions) readWords() {
	if q.words != nil {
		return
	}
	q.ids = map[string]word{}
	of, all := map[int][]word{-1: nil}, 0
	n := len(q.doc.Sentences)
	q.words, q.titles, q.silent = make([][]word, 0, n), make([][]word, 0, n), make([]bool, 0, n)
	var heading []word
	for i, s := range q.doc.Sentences {
		p := q.doc.Paragraphs[s.Paragraph]
		section := p.Section
		if p.Kind == structure.Heading {
			section = -1
		}
		title, read := of[section]
		if !read {
			title = q.wordsIn(passage.SectionTitle(q.doc, s.Paragraph))
			of[section] = title
		}
		words := q.wordsIn(q.doc.Quote(passage.Cut(q.doc.Text, s.Span)))
		first, runs := i == 0 || q.doc.Sentences[i-1].Paragraph != s.Paragraph, q.runsIn(i)
		switch {
		case runs:
			heading = words
		case first:
			heading = nil
		default:
			title = slices.Concat(heading, title)
		}
		q.words, q.titles = append(q.words, words), append(q.titles, title)
		q.silent = append(q.silent, runs || len(words) < q.least(s) || !answering(q.doc, s))
		all += len(words)
	}
	q.average = 1 + float64(all)/float64(max(n, 1))
	q.leads = leadsOf(q.doc)
}

// least returns the minimum number of significant words in a sentence that answers.
func (q *Questions) least(s structure.Sentence) int {
	if text := strings.TrimSpace(q.doc.Quote(s.Span)); strings.HasSuffix(text, ".") || strings.HasSuffix(text, ";") || row.MatchString(text) {
		return minWords
	}
	return minFragment
}

// row matches a row of key terms or of a table: a label, and what it stands for.
var row = regexp.MustCompile(`^[^\n]{2,80}?(?::[ \t]|[ \t]*\||\t|[ \t]{2,})[ \t|]*\S`)

// Patterns for a heading at the beginning of a paragraph, "Late delivery.", and for words that no
// such heading has.
var (
	runInHeading = regexp.MustCompile(`^[^\pL]{0,8}\p{Lu}[\pL’'-]*(?:[ ,/&]+[\pL’'-]+){0,5}\s?[.:]\s*$`)
	sentenceWord = regexp.MustCompile(`(?i)^\W*(?:the|an?|we|you|i|it|they|this|that|these|each|either|neither|all|no|if|any|both)\b|\b(?:is|are|was|were|be|shall|will|must|may|can|cannot|has|have|does|do|not|agrees?|appl(?:y|ies)|governs?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|sixty|ninety)\b`)
)

// runsIn reports whether the sentence with index i only names what follows in its paragraph.
func (q *Questions) runsIn(i int) bool {
	all := q.doc.Sentences
	if i > 0 && all[i-1].Paragraph == all[i].Paragraph || i+1 == len(all) || all[i+1].Paragraph != all[i].Paragraph {
		return false
	}
	text := q.doc.Quote(all[i].Span)
	return len(text) < maxHeading && runInHeading.MatchString(text) && !sentenceWord.MatchString(text)
}

// maxHeading is the maximum length of a heading at the beginning of a paragraph, in bytes.
const maxHeading = 80

// introduces matches the end of a sentence that introduces a list.
var introduces = regexp.MustCompile(`(?:[:：][\s–—-]*|\s[–—-]|\b(?:which|that))\s*$`)

// maxEnd is how many bytes at the end of a sentence are read to see whether it introduces
// a list.
const maxEnd = 16

// leadsOf returns for each sentence the index of the one that introduces it, -1 for none:
// the last one before a list that ends with a colon or a dash. The items of a list are at
// least as deep in the numbering as its first.
func leadsOf(d *structure.Document) []int {
	leads, lead, level := make([]int, len(d.Sentences)), -1, -1
	for i, s := range d.Sentences {
		p := d.Paragraphs[s.Paragraph]
		leads[i] = -1
		switch {
		case p.Kind == structure.Margin:
			continue
		case p.Kind != structure.Item || level >= 0 && p.Level < level:
			lead = -1
		case lead >= 0 && d.Sentences[lead].Paragraph != s.Paragraph:
			leads[i] = lead
			if level < 0 {
				level = p.Level
			}
		}
		if introduces.MatchString(d.Text[max(s.Start, s.End-maxEnd):s.End]) {
			lead, level = i, -1
		}
	}
	return leads
}

// token is a word of a sentence.
type token struct {
	layout.Span
	// lower is the word in lower case, and stem its stem.
	lower, stem string
	// apart reports that a full stop, a semicolon or a colon is before it, and listed that
	// a comma is.
	apart, listed bool
}

var wordPattern = regexp.MustCompile(`[\pL\pN]+(?:['’][\pL]+)?`)

// tokensOf returns the words of a sentence, at most maxTokens.
func tokensOf(text string) []token {
	var all []token
	end := 0
	for _, m := range wordPattern.FindAllStringIndex(text, maxTokens) {
		lower := strings.ToLower(strings.ReplaceAll(text[m[0]:m[1]], "’", "'"))
		between := text[end:m[0]]
		all = append(all, token{
			Span: layout.Span{Start: m[0], End: m[1]}, lower: lower, stem: vocabulary.Stem(strings.TrimSuffix(lower, "'s")),
			apart: strings.ContainsAny(between, ".;:"), listed: strings.Contains(between, ","),
		})
		end = m[1]
	}
	return all
}

// maxTokens is the maximum number of words that are read of a sentence.
const maxTokens = 800

// nearest returns the span that is nearest to the terms in a text, by the mean distance in
// words. It returns false if there is none, or if two are about as near.
func nearest(text string, spans []layout.Span, terms []string) (layout.Span, bool) {
	switch len(spans) {
	case 0:
		return layout.Span{}, false
	case 1:
		return spans[0], true
	}
	tokens := tokensOf(text)
	best, first, second := layout.Span{}, -1.0, -1.0
	for _, s := range spans {
		far := distance(tokens, s, terms)
		switch {
		case first < 0 || far < first:
			best, first, second = s, far, first
		case second < 0 || far < second:
			second = far
		}
	}
	return best, second >= clearly*first+0.5
}

// clearly is how many times farther the second nearest value must be.
const clearly = 1.25

// distance returns the mean distance in words between a span and the terms that the tokens
// contain.
func distance(tokens []token, s layout.Span, terms []string) float64 {
	sum, n := 0, 0
	for _, t := range terms {
		if far, ok := away(tokens, s, t); ok {
			sum, n = sum+far, n+1
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// away returns the distance in words between a span and the nearest token with a stem. It
// returns false if there is none.
func away(tokens []token, s layout.Span, stem string) (least int, ok bool) {
	before := sort.Search(len(tokens), func(i int) bool { return tokens[i].End > s.Start })
	after := sort.Search(len(tokens), func(i int) bool { return tokens[i].Start >= s.End })
	for i, w := range tokens {
		if far := max(before-i, i-after+1, 0); w.stem == stem && (!ok || far < least) {
			least, ok = far, true
		}
	}
	return least, ok
}
