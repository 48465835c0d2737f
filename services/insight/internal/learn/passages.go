package learn

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Passage is a sentence of a kind.
type Passage struct {
	// Kind is the kind, Sentence the index of the sentence.
	Kind     string
	Sentence int
	// Probability is the probability that the sentence is of the kind, 0 if the rules alone
	// decided that it is.
	Probability float64
	// Voted reports whether a rule recognized the sentence too.
	Voted bool
	// Words are the passages of the text that weighed most, strongest first.
	Words []layout.Span
	// ByRule reports whether the rules alone decide about the kind.
	ByRule bool
	// Alone reports whether the passage counts only if nothing else of the kind is found; see
	// Settle.
	Alone bool
}

// Settle returns the passages that count, and reuses the memory of found. A passage that is Alone
// counts unless its kind is among others, or has a passage that is not Alone.
func Settle(found []Passage, others map[string]bool) []Passage {
	has := maps.Clone(others)
	if has == nil {
		has = map[string]bool{}
	}
	for _, p := range found {
		if !p.Alone {
			has[p.Kind] = true
		}
	}
	return slices.DeleteFunc(found, func(p Passage) bool { return p.Alone && has[p.Kind] })
}

// The probabilities from which a kind counts as present in a document, and a sentence as
// a passage of a kind that is present. They make F1 highest: a model that is right about
// its probabilities needs less than 0.5 for that.
const (
	presentFrom = 0.4
	passageFrom = 0.4
	// minLength is the minimum length in bytes of a sentence that no rule recognizes.
	minLength = 25
	// maxReasons is the number of word groups that are named as reasons.
	maxReasons = 3
)

// unlikely is a logarithm of odds that is surely below passageFrom. Most sentences are below
// it, and need no probability.
var unlikely = math.Log(passageFrom/(1-passageFrom)) - 0.01

// Readable reports whether the model judges a sentence: margins and short texts are
// skipped.
func Readable(d *structure.Document, votes []Votes, i int) bool {
	s := d.Sentences[i]
	return (s.Len() >= minLength || votes[i] != 0) && d.Paragraphs[s.Paragraph].Kind != structure.Margin
}

// candidate is a sentence that may be of a kind.
type candidate struct {
	sentence int
	score    float32
	voted    bool
}

// Best holds the best scores of a document for one decision, and whether a rule voted for
// any sentence.
type Best struct {
	First, Second float32
	Voted         bool
}

// NoScore is lower than every score that counts.
const NoScore = -12

// Add counts the score of a sentence.
func (b *Best) Add(score float32, voted bool) {
	if score > b.First {
		b.First, b.Second = score, b.First
	} else if score > b.Second {
		b.Second = score
	}
	b.Voted = b.Voted || voted
}

// Score returns the score of the document.
func (b *Best) Score() float64 { return float64(0.8*float64(b.First)) + float64(0.2*float64(b.Second)) }

// Present reports whether a document with such scores has a passage of the kind.
func (d *Decision) Present(b *Best) bool {
	return d.Presence.Probability(b.Score(), b.Voted) >= presentFrom
}

// Chosen returns the probability that a sentence is a passage of the kind, in a document
// that has one, and whether it is probable enough. a is what the decision adds in the document.
func (d *Decision) Chosen(b *Best, a Addition, score float32, voted bool) (float64, bool) {
	p := d.Passage.Probability(float64(score), voted)
	if a.From > 0 {
		return p * float64(a.Trust), p >= float64(a.From)
	}
	return p, p >= passageFrom || score == b.First
}

// Find returns the passages of each decision, decision by decision, and at most limit of each.
// A sentence is returned once for each kind. votes holds the votes of the rules for each sentence.
// Settle says which of the passages count.
func (m *Model) Find(w *Words, votes []Votes, limit int) []Passage {
	f := m.Features()
	best := make([]Best, len(m.Decisions))
	for i := range best {
		best[i] = Best{NoScore, NoScore, false}
	}
	candidates := make([][]candidate, len(m.Decisions))
	for i, scores := range m.scored(f, w, votes) {
		for k := range m.Decisions {
			x := &m.Decisions[k]
			voted := votes[i]&x.Votes != 0
			if x.ByRule {
				if voted {
					candidates[k] = append(candidates[k], candidate{sentence: i})
				}
				continue
			}
			first := scores[k] > best[k].First
			best[k].Add(scores[k], voted)
			likely := x.Passage.odds(float64(scores[k]), voted) >= unlikely
			if first || likely && x.Passage.Probability(float64(scores[k]), voted) >= passageFrom {
				candidates[k] = append(candidates[k], candidate{i, scores[k], voted})
			}
		}
	}
	var found []Passage
	size := Size(w.doc)
	for k := range m.Decisions {
		switch d := &m.Decisions[k]; {
		case d.adds() && d.addition(size).From == 0:
		case d.ByRule:
			found = append(found, m.voted(k, candidates[k], limit)...)
		case d.Present(&best[k]):
			found = append(found, m.passages(w, votes, f, k, &best[k], candidates[k], limit, size)...)
		}
	}
	return distinct(found)
}

// scored yields the sentences that the model judges with their scores, which are valid until the
// next one.
func (m *Model) scored(f *Features, w *Words, votes []Votes) iter.Seq2[int, *Scores] {
	return func(yield func(int, *Scores) bool) {
		var scores Scores
		for i := range w.doc.Sentences {
			if !Readable(w.doc, votes, i) {
				continue
			}
			f.Of(w, votes, i)
			m.Score(f, &scores)
			if !yield(i, &scores) {
				return
			}
		}
	}
}

// distinct returns the first of the passages that have the same kind and sentence.
func distinct(all []Passage) []Passage {
	type place struct {
		kind     string
		sentence int
	}
	seen := make(map[place]bool, len(all))
	return slices.DeleteFunc(all, func(p Passage) bool {
		at := place{p.Kind, p.Sentence}
		if seen[at] {
			return true
		}
		seen[at] = true
		return false
	})
}

// Judge returns the probability that a sentence is of the only kind of the model, whatever
// else the document has.
func (m *Model) Judge(f *Features, w *Words, votes []Votes, i int) float64 {
	var scores Scores
	f.Of(w, votes, i)
	m.Score(f, &scores)
	x := &m.Decisions[0]
	return x.Passage.Probability(float64(scores[0]), votes[i]&x.Votes != 0)
}

// The bounds of Likeliest: the least probability of a passage, and how many there are of a kind.
// People mark two on average. A threshold of half the best F1 gives the best F1 (Lipton, Elkan and
// Naryanaswamy, 2014).
const (
	likelyFrom = 0.3
	maxLikely  = 3
)

// Likeliest returns the most probable passages of each kind, most probable first, whatever else the
// document has.
func (m *Model) Likeliest(w *Words, votes []Votes) map[string][]Passage {
	f, found := m.Features(), map[string][]Passage{}
	for i, scores := range m.scored(f, w, votes) {
		for k := range m.Decisions {
			x := &m.Decisions[k]
			voted := votes[i]&x.Votes != 0
			p := x.Passage.Probability(float64(scores[k]), voted)
			best := found[x.Kind]
			if p < likelyFrom || len(best) == maxLikely && p <= best[maxLikely-1].Probability {
				continue
			}
			best = append(best, Passage{Kind: x.Kind, Sentence: i, Probability: p, Voted: voted, Words: m.weighty(f, w, k, i)})
			slices.SortStableFunc(best, func(a, b Passage) int { return cmp.Compare(b.Probability, a.Probability) })
			found[x.Kind] = best[:min(len(best), maxLikely)]
		}
	}
	return found
}

// Explained returns a sentence that Judge has just judged as a passage of the only kind of the
// model, with the words that weighed most.
func (m *Model) Explained(f *Features, w *Words, votes []Votes, i int, probability float64) Passage {
	x := &m.Decisions[0]
	return Passage{Kind: x.Kind, Sentence: i, Probability: probability, Voted: votes[i]&x.Votes != 0, Words: m.weighty(f, w, 0, i)}
}

// weighty returns the words of a sentence that weigh most for a decision. f must hold the
// features of the sentence.
func (m *Model) weighty(f *Features, w *Words, decision, sentence int) (spans []layout.Span) {
	words := w.sentence(sentence)
	for _, x := range m.reasons(f, decision, maxReasons) {
		spans = append(spans, layout.Span{Start: int(words[x.at].start), End: int(words[x.at+int32(x.n)-1].end)})
	}
	return spans
}

// voted returns the sentences that the rules recognize, at most limit.
func (m *Model) voted(k int, all []candidate, limit int) []Passage {
	var found []Passage
	for _, c := range all[:min(limit, len(all))] {
		found = append(found, Passage{Kind: m.Decisions[k].Kind, Sentence: c.sentence, Voted: true, ByRule: true})
	}
	return found
}

// passages returns the candidates that are passages of a kind in a document of a size, at most limit.
func (m *Model) passages(w *Words, votes []Votes, f *Features, k int, best *Best, all []candidate, limit, size int) []Passage {
	var found []Passage
	a := m.Decisions[k].addition(size)
	for _, c := range all {
		p, ok := m.Decisions[k].Chosen(best, a, c.score, c.voted)
		if !ok || len(found) >= limit {
			continue
		}
		f.Of(w, votes, c.sentence)
		x := &m.Decisions[k]
		found = append(found, Passage{Kind: x.Kind, Sentence: c.sentence, Probability: p, Voted: c.voted, Words: m.weighty(f, w, k, c.sentence), Alone: a.Alone})
	}
	return slices.Clip(found)
}
