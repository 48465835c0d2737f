package questions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
)

// number stands for all numbers, and clauseOf precedes the kind of a clause, in the features of a
// sentence.
const number, clauseOf = "0", "clause: "

// traits are the features by which pairs judge the sentences of a document: their words and the
// kinds of their clauses.
type traits struct {
	// all are the different features, and of their indexes for each sentence.
	all []pairs.Feature
	of  [][]int32
}

// features returns those of one sentence.
func (t *traits) features(sentence int) []pairs.Feature {
	all := make([]pairs.Feature, len(t.of[sentence]))
	for i, x := range t.of[sentence] {
		all[i] = t.all[x]
	}
	return all
}

// readTraits returns the features of the sentences. They are read once.
func (q *Questions) readTraits() *traits {
	if q.traits != nil {
		return q.traits
	}
	q.readWords()
	t, known := &traits{of: make([][]int32, len(q.words))}, map[pairs.Feature]int32{}
	index := func(text string) int32 {
		f := pairs.FeatureOf(text)
		i, found := known[f]
		if !found {
			i = int32(len(t.all))
			known[f] = i
			t.all = append(t.all, f)
		}
		return i
	}
	byWord := make([]int32, len(q.vocabulary))
	for i, w := range q.vocabulary {
		if unicode.IsDigit(rune(w[0])) {
			w = number
		}
		byWord[i] = index(w)
	}
	for i, words := range q.words {
		for _, w := range words {
			t.of[i] = append(t.of[i], byWord[w])
		}
	}
	for _, f := range q.clauses() {
		kind := index(clauseOf + f.Item.ClauseType)
		for i := max(0, passage.SentenceAt(q.doc, f.Span.Start)); i < len(t.of) && q.doc.Sentences[i].Start < f.Span.End; i++ {
			t.of[i] = append(t.of[i], kind)
		}
	}
	for i := range t.of {
		slices.Sort(t.of[i])
		t.of[i] = slices.Compact(t.of[i])
	}
	q.traits = t
	return t
}

// phrase is a part of a question by which pairs judge: a word or two.
type phrase struct {
	text    string
	feature pairs.Feature
}

// phrasesOf returns the significant words of a question, and every two adjacent words, as "get out"
// says more than "get".
func phrasesOf(question string) []phrase {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(question, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
	var all []phrase
	before, stemBefore := "", ""
	for _, w := range words[:min(len(words), maxTerms)] {
		if w = strings.TrimSuffix(strings.Trim(w, "'"), "'s"); w == "" {
			continue
		}
		stem := vocabulary.Stem(w)
		if len(w) > 1 && !vocabulary.Stops(w) {
			all = append(all, phrase{w, pairs.FeatureOf(stem)})
		}
		if before != "" {
			all = append(all, phrase{before + " " + w, pairs.FeatureOf(stemBefore + " " + stem)})
		}
		before, stemBefore = w, stem
	}
	slices.SortStableFunc(all, func(a, b phrase) int { return cmp.Compare(a.feature, b.feature) })
	return slices.CompactFunc(all, func(a, b phrase) bool { return a.feature == b.feature })
}

// featuresOf returns the features of a question.
func featuresOf(question string) []pairs.Feature {
	var all []pairs.Feature
	for _, p := range phrasesOf(question) {
		all = append(all, p.feature)
	}
	return all
}

// affinities returns how well each sentence suits a question by the words of both.
func (q *Questions) affinities(question string) []float64 {
	t, asked := q.readTraits(), featuresOf(question)
	weights := q.model().Weights(asked, t.all)
	all := make([]float64, len(t.of))
	for i, features := range t.of {
		sum := int32(0)
		for _, f := range features {
			sum += weights[f]
		}
		all[i] = q.model().Affinity(sum, len(asked), len(features))
	}
	return all
}

// mostReasons is the maximum number of pairs that explain an answer.
const mostReasons = 3

// because returns which words of a question suggest which of a sentence, the strongest first, such as
// "get out" and "terminate".
func (q *Questions) because(question, sentence string) []string {
	type reason struct {
		phrase, word string
		weight       int32
	}
	var all []reason
	for _, p := range phrasesOf(question) {
		if len(vocabulary.Terms(p.text)) == 0 {
			continue // "what will" weighs too, but explains nothing
		}
		best := reason{weight: suggested - 1}
		for _, t := range tokensOf(sentence) {
			if w := q.model().Weights([]pairs.Feature{p.feature}, []pairs.Feature{pairs.FeatureOf(t.stem)})[0]; w > best.weight && !strings.Contains(p.text, t.stem) {
				best = reason{p.text, sentence[t.Start:t.End], w}
			}
		}
		if best.word != "" {
			all = append(all, best)
		}
	}
	slices.SortStableFunc(all, func(a, b reason) int { return cmp.Compare(b.weight, a.weight) })
	var texts []string
	for _, r := range all[:min(len(all), mostReasons)] {
		texts = append(texts, fmt.Sprintf("%q suggests %q", r.phrase, r.word))
	}
	return texts
}

// Comparison is what is known about the sentences that may answer a question.
type Comparison struct {
	// Question are the features of the question by which pairs judge.
	Question []pairs.Feature
	// Sentences are the sentences.
	Sentences []Compared
	// Nothing are the features of the case that no sentence answers.
	Nothing []float64
}

// Compared is what is known about a sentence.
type Compared struct {
	// Sentence is its index in the document.
	Sentence int
	// Words are the features by which pairs judge it, and Features the others. The one at the index
	// ByPairs is left out.
	Words    []pairs.Feature
	Features []float64
}

// Compare returns what the weights of questions are fitted to: what is known about all sentences
// that may answer a question. It reports false if the question is answered otherwise.
func (q *Questions) Compare(question string) (Comparison, bool) {
	a := readQuestion(question)
	k := q.known(question, &a)
	if !q.compares(&a, k) {
		return Comparison{}, false
	}
	a.kind = plainKind(a.text)
	n := q.inquire(question, &a)
	n.consider(k.found)
	all := n.candidates(len(q.doc.Sentences))
	n.describe(all)
	none := n.none(all)
	c, t := Comparison{Question: featuresOf(a.text), Nothing: none[:]}, q.readTraits()
	for i := range all {
		c.Sentences = append(c.Sentences, Compared{all[i].sentence, t.features(all[i].sentence), all[i].features[:]})
	}
	return c, true
}
