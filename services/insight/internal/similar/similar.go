// Package similar decides how alike two texts are from short signatures of them. It owns
// what counts as a word, what counts as a value that was filled into a template, and what
// similarity means. It reads no documents and stores nothing.
//
// A text is the set of its shingles, which are five consecutive words. A signature holds
// MinHash sketches of two such sets: of the whole text, and of its fixed wording, which is
// the text without numbers, names and addresses. Two documents that were filled from one
// template have nearly the same fixed wording, but different values.
//
// A signature has a fixed size. Time and memory are linear in the text.
package similar

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Version is the version of the signatures. Those of different versions cannot be compared:
// they share no keys. It changes with whatever changes the signature of a text.
const Version = "1"

// minFixed is the least number of shingles in the fixed wording. The wording of forms that
// consist of values is too short to tell them apart.
const minFixed = 16

// Signature is the signature of a text.
type Signature struct {
	// digest is a hash of the sequence of words.
	digest uint64
	whole  sketch
	// fixed is the sketch of the fixed wording. It has the size 0 if that is too short.
	fixed sketch
}

// Of returns the signature of a text. ok is false if the text has no words.
func Of(text string) (s Signature, ok bool) {
	all := words(text)
	if len(all) == 0 {
		return s, false
	}
	s.digest = offset
	for _, w := range all {
		s.digest = mix(s.digest ^ w.hash)
	}
	s.whole = newSketch(all)
	if s.fixed = newSketch(fixed(all)); s.fixed.size < minFixed {
		s.fixed = sketch{}
	}
	return s, true
}

// Keys returns the keys under which texts of one organization that may be similar are
// found: they share a key with a probability that grows with their similarity. The first key
// is shared only by equal texts. The keys of two organizations differ, so that the documents
// of one do not slow down the search of another.
func (s *Signature) Keys(organization string) []int64 {
	seed := uint64(offset)
	for _, c := range []byte(Version + " " + organization) {
		seed = (seed ^ uint64(c)) * prime
	}
	keys := s.whole.bands([]int64{int64(mix(seed ^ s.digest))}, mix(seed))
	if s.fixed.size > 0 {
		keys = s.fixed.bands(keys, mix(seed+1))
	}
	return keys
}

// size is the length of an encoded signature.
const size = 8 + 2*(hashes+1)*4

// Encode returns the signature as bytes.
func (s *Signature) Encode() []byte {
	data := binary.BigEndian.AppendUint64(make([]byte, 0, size), s.digest)
	for _, k := range []*sketch{&s.whole, &s.fixed} {
		data = binary.BigEndian.AppendUint32(data, k.size)
		for _, v := range k.values {
			data = binary.BigEndian.AppendUint32(data, v)
		}
	}
	return data
}

// Decode is the inverse of Encode.
func Decode(data []byte) (s Signature, err error) {
	if len(data) != size {
		return s, fmt.Errorf("a signature has %d bytes, not %d", len(data), size)
	}
	s.digest, data = binary.BigEndian.Uint64(data), data[8:]
	for _, k := range []*sketch{&s.whole, &s.fixed} {
		k.size, data = binary.BigEndian.Uint32(data), data[4:]
		for i := range k.values {
			k.values[i], data = binary.BigEndian.Uint32(data), data[4:]
		}
	}
	return s, nil
}

// Relation is how two texts are related.
type Relation int

// The relations.
const (
	// Similar texts have passages in common.
	Similar Relation = iota
	// Template means that the fixed wording is nearly the same, but the values are not.
	Template
	// Same means that the words are the same.
	Same
)

// The limits of Template: fixedShare is the least similarity of the fixed wording, and
// valueShare how much less similar the whole text must be, which is more than two standard
// errors.
const (
	fixedShare = 0.8
	valueShare = 0.1
)

// Comparison says how alike two texts are.
type Comparison struct {
	Relation Relation
	// Similarity is from 0 to 1: the mean of the Jaccard similarity of the whole texts and of
	// that of their fixed wording, or that of the whole texts if one has too little fixed
	// wording. Deviation is its standard error, at most 0.05.
	Similarity, Deviation float64
	// Whole is the similarity of the whole texts, and Fixed that of their fixed wording. Fixed
	// is 0 if there is too little.
	Whole, Fixed float64
	// Contained is the share of the shorter text that is also in the longer one.
	Contained float64
}

// Compare compares two texts.
func Compare(a, b *Signature) Comparison {
	whole, deviation := jaccard(&a.whole, &b.whole)
	c := Comparison{Similarity: whole, Deviation: deviation, Whole: whole, Contained: contained(&a.whole, &b.whole, whole)}
	if a.fixed.size > 0 && b.fixed.size > 0 {
		var fixedDeviation float64
		c.Fixed, fixedDeviation = jaccard(&a.fixed, &b.fixed)
		// The estimates may err in the same direction, so their errors are averaged too.
		c.Similarity, c.Deviation = (whole+c.Fixed)/2, (deviation+fixedDeviation)/2
	}
	switch {
	case a.digest == b.digest:
		c = Comparison{Relation: Same, Similarity: 1, Deviation: c.Deviation, Whole: 1, Fixed: c.Fixed, Contained: 1}
	case c.Fixed >= fixedShare && c.Fixed-whole >= valueShare:
		c.Relation = Template
	}
	return c
}

// Reaches returns the probability that the similarity is at least the threshold, given the
// error of the estimate.
func (c Comparison) Reaches(threshold float64) float64 {
	return (1 + math.Erf((c.Similarity-threshold)/(c.Deviation*math.Sqrt2))) / 2
}
