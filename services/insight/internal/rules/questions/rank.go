package questions

import (
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/services/insight/internal/space"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

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
