package learn

import "math/bits"

// group is a group of features.
type group int

const (
	own     group = iota // n-grams of the sentence
	heading              // n-grams of the titles of its section, and of those that contain it
	before               // n-grams of the sentence before it
	after                // n-grams of the sentence after it
	opening              // the first words of the document
	facts                // votes of rules, position and length
	groups
)

// reach holds how many words of each group are read, and the longest n-gram.
var reach = [groups]struct{ words, n int }{
	own: {maxWords, 3}, heading: {24, 2}, before: {60, 2}, after: {40, 1}, opening: {16, 1},
}

// MaxFeatures is the maximum number of features of a sentence.
const MaxFeatures = 3*maxWords + 4*24*2 + 2*60 + 40 + 16 + 256

// keyBits is the number of bits of a feature's key.
const keyBits = 24

// feature is a feature of a sentence.
type feature struct {
	key uint32
	// at is the index of the first word of an n-gram of the sentence, and n the number of
	// its words. Other features have n 0.
	at int32
	n  uint8
}

// Features holds the distinct features of one sentence by group. It is reused for the next
// one, so that nothing is allocated.
type Features struct {
	scheme Scheme
	list   []feature
	ends   [groups]int
	seen   []uint32
	round  uint32
	// found and last are used while a model scores the sentence.
	found []place
	last  [groups]groupTotal
}

// groupTotal holds the sums of the weights of a group of features. model is nil if they are not kept for
// the next sentence.
type groupTotal struct {
	model *Model
	list  []feature
	total totals
}

// seenBits is the size of the table by which features are made distinct. It is only a
// filter: of two features in the same place, the second is kept too.
const seenBits = 13

// NewFeatures returns an empty Features of a scheme.
func NewFeatures(s Scheme) *Features {
	return &Features{scheme: s, list: make([]feature, 0, MaxFeatures), seen: make([]uint32, 1<<seenBits), found: make([]place, 0, MaxFeatures)}
}

// Votes holds one bit for each rule that recognizes a sentence.
type Votes uint64

// Of finds the features of a sentence. votes holds the votes for each sentence of the
// document.
func (f *Features) Of(w *Words, votes []Votes, i int) {
	f.list = f.list[:0]
	f.round++
	s := w.doc.Sentences[i]
	f.grams(own, w.sentence(i))
	f.ends[own] = len(f.list)
	depth := 0
	for section := w.doc.Paragraphs[s.Paragraph].Section; section >= 0 && depth < 4; section = w.doc.Sections[section].Parent {
		f.grams(heading, w.title(section))
		depth++
	}
	f.ends[heading] = len(f.list)
	if f.scheme == Shared {
		f.around(w, i)
	} else {
		f.ends[before], f.ends[after], f.ends[opening] = len(f.list), len(f.list), len(f.list)
	}
	f.facts(w, votes, i)
	f.ends[facts] = len(f.list)
}

// around adds what is around a sentence.
func (f *Features) around(w *Words, i int) {
	previous := w.sentence(i - 1)
	f.grams(before, previous[max(0, len(previous)-reach[before].words):])
	f.ends[before] = len(f.list)
	f.grams(after, w.sentence(i+1))
	f.ends[after] = len(f.list)
	f.grams(opening, w.all[:min(len(w.all), reach[opening].words)])
	f.ends[opening] = len(f.list)
}

// of returns the features of a group.
func (f *Features) of(g group) []feature {
	if g == 0 {
		return f.list[:f.ends[0]]
	}
	return f.list[f.ends[g-1]:f.ends[g]]
}

// grams adds the n-grams of words.
func (f *Features) grams(g group, words []word) {
	words = words[:min(len(words), reach[g].words)]
	for i := range words {
		h := uint32(g)*0x9E3779B1 + 0x85EBCA6B
		for n := 1; n <= reach[g].n && i+n <= len(words); n++ {
			h = bits.RotateLeft32(h, 5)*0xC2B2AE35 ^ words[i+n-1].hash*0x9E3779B1
			at, size := int32(i), uint8(n)
			if g != own {
				at, size = 0, 0
			}
			f.add(feature{mixed(h + uint32(n)), at, size})
		}
	}
}

// mixed returns the key of a hash.
func mixed(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x7FEB352D
	h ^= h >> 15
	h *= 0x846CA68B
	h ^= h >> 16
	return h >> (32 - keyBits)
}

// add adds a feature, unless it was added before.
func (f *Features) add(x feature) {
	place := x.key & (1<<seenBits - 1)
	stamp := f.round<<11 ^ x.key>>seenBits
	if f.seen[place] == stamp || len(f.list) == cap(f.list) {
		return
	}
	f.seen[place] = stamp
	f.list = append(f.list, x)
}

// The kinds of facts.
const (
	factVote = iota
	factVoteBefore
	factVoteAfter
	factNoVote
	factPosition
	factLength
	factKind
	factDepth
)

// facts adds what is known about a sentence besides its words.
func (f *Features) facts(w *Words, votes []Votes, i int) {
	fact := func(kind, value int) {
		f.add(feature{key: mixed(0x27220A95 + uint32(kind)<<16 + uint32(value)*0x85EBCA6B)})
	}
	vote := func(kind, at int) {
		if at < 0 || at >= len(votes) {
			return
		}
		for v := uint64(votes[at]); v != 0; v &= v - 1 {
			fact(kind, bits.TrailingZeros64(v))
		}
	}
	vote(factVote, i)
	vote(factVoteBefore, i-1)
	vote(factVoteAfter, i+1)
	if votes[i] == 0 {
		fact(factNoVote, 0)
	}
	p := w.doc.Paragraphs[w.doc.Sentences[i].Paragraph]
	fact(factPosition, 10*i/len(w.doc.Sentences))
	fact(factLength, bits.Len(uint(len(w.sentence(i)))))
	for _, c := range []byte(p.Kind) {
		fact(factKind, int(c))
		break
	}
	fact(factDepth, min(p.Level, 5))
}

// Each calls yield with the key and the value of each feature.
func (f *Features) Each(yield func(key uint32, value float64)) {
	for g := range groups {
		list := f.of(g)
		value := f.scheme.value(g, len(list))
		for _, x := range list {
			yield(x.key, value)
		}
	}
}
