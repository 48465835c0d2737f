package questions

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
	"github.com/rectohq/recto/services/insight/internal/rules/questions/vocabulary"
	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
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
		first := sort.Search(len(t.of), func(i int) bool { return q.doc.Sentences[i].End > f.Span.Start })
		for i := first; i < len(t.of) && q.doc.Sentences[i].Start < f.Span.End; i++ {
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

// maxPassage is the maximum length of a ranked passage in bytes. Longer sentences are
// ranked in pieces.
const maxPassage = 1000

// Passage is a sentence, or a piece of a long one, with its relevance to a question.
type Passage struct {
	structure.Sentence
	// Score is 0 if the passage shares no word with the question, and none of its words suits
	// those of the question. Scores for different questions cannot be compared.
	Score float64
}

// affinityWorth is what a passage that suits the words of a question counts in its score, beside the
// words that it shares, and leastAffinity is what many passages have that have nothing to do with it.
// They were chosen with the questions of everyday-fit.
const affinityWorth, leastAffinity = 2, 0.5

// Rank returns all sentences of the document in text order, each with its relevance to a
// question. In contrast to Answers, it includes those that share few words with the
// question, or only the title of their section.
func (q *Questions) Rank(question string) []Passage {
	if q.rough == nil {
		d := *q.doc
		d.Sentences = pieces(q.doc)
		q.rough = &Questions{doc: &d, context: q.context, pairs: q.model(), clauses: q.clauses}
	}
	out := make([]Passage, len(q.rough.doc.Sentences))
	s, affinities := q.rough.search(question), q.rough.affinities(readQuestion(question).text)
	f := s.finder()
	for i, sentence := range q.rough.doc.Sentences {
		out[i].Sentence = sentence
		if len(s.terms) > 0 {
			h, _ := f.hit(i)
			out[i].Score = h.score + affinityWorth*max(0, affinities[i]-leastAffinity)
		}
	}
	return out
}

// pieces returns the sentences of a document, long ones cut at white space where possible.
func pieces(d *structure.Document) []structure.Sentence {
	out := make([]structure.Sentence, 0, len(d.Sentences))
	for _, s := range d.Sentences {
		for s.Len() > maxPassage {
			piece := s
			piece.End = s.Start + cutAt(d.Text[s.Start:s.Start+maxPassage])
			out = append(out, piece)
			s.Start = piece.End
		}
		out = append(out, s)
	}
	return out
}

// cutAt returns where to end a piece of a longer text, given its longest possible piece.
func cutAt(s string) int {
	if i := strings.LastIndexFunc(s, space.Is); i > len(s)/2 {
		return i
	}
	for i := len(s) - 1; i > len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return len(s)
}

// mostReasons is the maximum number of pairs that explain an answer.
const mostReasons = 3

// reasons returns which words of a question suggest which of a sentence, the strongest first: "get out"
// suggests "terminate".
func (q *Questions) reasons(question, sentence string) []string {
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

// Comparison holds the features of a question and of the sentences that may answer it. The weights of
// questions are fitted to comparisons.
type Comparison struct {
	// Question holds the features of the question for pairs.
	Question []pairs.Feature
	// Sentences holds the sentences that may answer, in text order.
	Sentences []Compared
	// Nothing holds the features of the case that no sentence answers.
	Nothing []float64
}

// Compared holds the features of a sentence.
type Compared struct {
	// Sentence is its index in the document.
	Sentence int
	// Words holds its features for pairs, and Features the others. The feature ByPairs is 0.
	Words    []pairs.Feature
	Features []float64
}

// Compare returns the features of a question and of all sentences that may answer it. It reports false
// if Answers does not compare sentences to answer the question.
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
