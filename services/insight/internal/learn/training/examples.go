package training

import (
	"errors"
	"math"
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// Document is an annotated document.
type Document struct {
	*structure.Document
	// Votes are the votes of the rules for each sentence.
	Votes []learn.Votes
	// Fold is the fold it belongs to. All documents of a company have the same.
	Fold int
	// Has tells which kinds are annotated in it, and Gold holds their passages. Known lists the
	// kinds for which it was searched, nil for all.
	Has   map[string]bool
	Gold  map[string][]layout.Span
	Known []string
	// Ruled holds the passages that rules find without weights, of kinds about which weights do
	// not decide.
	Ruled map[string][]layout.Span
	// written means that the document was written to learn from.
	written bool
}

// knows reports whether the document was searched for a kind.
func (d *Document) knows(kind string) bool { return d.Known == nil || slices.Contains(d.Known, kind) }

// example is a sentence with its features.
type example struct {
	document, sentence int
	features           []int32
	values             []float32
	votes              learn.Votes
	// is tells by bit which kinds the sentence is of, and touches which annotated passages
	// it overlaps.
	is, touches uint64
}

// set holds all examples.
type set struct {
	parameters
	documents []Document
	// known holds for each document a bit for each kind for which it was searched.
	known    []uint64
	kinds    []Kind
	examples []example
	// keys holds the key of each feature, rarity how rare it is.
	keys   []uint32
	rarity []float64
}

// Kind is a kind of passage that is learned.
type Kind struct {
	Name string
	// Votes are the votes of the rules for the kind.
	Votes learn.Votes
}

// maxKinds is the maximum number of kinds of a set: an example has one bit for each.
const maxKinds = 64

// minDocuments is the number of documents that a feature must be in.
const minDocuments = 2

// newSet finds the features of all sentences that are judged.
func newSet(documents []Document, kinds []Kind, p parameters, judged func(d *Document, sentence int) bool) (*set, error) {
	if len(kinds) > maxKinds {
		return nil, errors.New("training: too many kinds")
	}
	s := &set{parameters: p, documents: documents, known: make([]uint64, len(documents)), kinds: kinds}
	counted, f := newCounted(), learn.NewFeatures(p.scheme)
	for i := range documents {
		d := &documents[i]
		for k := range kinds {
			if d.knows(kinds[k].Name) {
				s.known[i] |= 1 << k
			}
		}
		words := learn.ReadWords(d.Document)
		for at := range d.Sentences {
			if !judged(d, at) {
				continue
			}
			x := example{document: i, sentence: at, votes: d.Votes[at]}
			f.Of(words, d.Votes, at)
			f.Each(func(key uint32, value float64) {
				x.features, x.values = append(x.features, counted.add(key, i)), append(x.values, float32(value))
			})
			s.label(&x)
			s.examples = append(s.examples, x)
		}
	}
	s.drop(counted)
	return s, nil
}

// label compares a sentence with the annotated passages. A sentence is of a kind if one
// half of it is in a passage, or one half of the passage is in the sentence.
func (s *set) label(x *example) {
	d := &s.documents[x.document]
	sentence := d.Sentences[x.sentence].Span
	for k, kind := range s.kinds {
		for _, g := range d.Gold[kind.Name] {
			both := min(sentence.End, g.End) - max(sentence.Start, g.Start)
			if both <= 0 {
				continue
			}
			x.touches |= 1 << k
			if 2*both >= sentence.Len() || 2*both >= g.Len() {
				x.is |= 1 << k
			}
		}
	}
}

// counted numbers features, and counts the documents that have them.
type counted struct {
	numbers         map[uint32]int32
	keys            []uint32
	documents, last []int32
}

func newCounted() *counted { return &counted{numbers: map[uint32]int32{}} }

func (c *counted) add(key uint32, document int) int32 {
	n, ok := c.numbers[key]
	if !ok {
		n = int32(len(c.keys))
		c.numbers[key] = n
		c.keys, c.documents, c.last = append(c.keys, key), append(c.documents, 0), append(c.last, -1)
	}
	if c.last[n] != int32(document) {
		c.last[n] = int32(document)
		c.documents[n]++
	}
	return n
}

// drop leaves out rare features and renumbers the others. Feature 0 is always present: its
// weight is the bias.
func (s *set) drop(c *counted) {
	renumbered := make([]int32, len(c.keys))
	s.keys, s.rarity = []uint32{math.MaxUint32}, []float64{1}
	for i, n := range c.documents {
		if n < minDocuments {
			continue
		}
		renumbered[i] = int32(len(s.keys))
		s.keys = append(s.keys, c.keys[i])
		s.rarity = append(s.rarity, 1+math.Log(float64(len(s.documents)+1)/float64(n+1))/2)
	}
	for i := range s.examples {
		x := &s.examples[i]
		features, values := []int32{0}, []float32{1}
		for k, f := range x.features {
			if n := renumbered[f]; n > 0 {
				features, values = append(features, n), append(values, float32(float64(x.values[k])*s.rarity[n]))
			}
		}
		x.features, x.values = slices.Clip(features), slices.Clip(values)
	}
}
