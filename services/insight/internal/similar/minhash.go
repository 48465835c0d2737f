package similar

import (
	"math"
	"slices"
)

const (
	// shingleWords is the number of consecutive words in a shingle.
	shingleWords = 5
	// hashes is the number of hash functions, and so of values in a sketch.
	hashes = 128
	// bandRows is how many values of a sketch make one band. With 32 bands of 4 values, two
	// sets of similarity s share a band with the probability 1-(1-s^4)^32: 0.88 for s=0.5,
	// 0.99 for s=0.6, and 0.003 for s=0.1 (Leskovec, Rajaraman and Ullman, "Mining of Massive
	// Datasets", section 3.4).
	bandRows = 4
)

// sketch is the MinHash of a set of shingles: for each of the hash functions, the smallest
// value of any shingle. Two sets have the same value with a probability that is their
// Jaccard similarity, the size of their intersection divided by that of their union
// (Broder, "On the resemblance and containment of documents", 1997).
type sketch struct {
	values [hashes]uint32
	// size is the number of different shingles.
	size uint32
}

// newSketch returns the sketch of a text. A text of fewer words than a shingle is one
// shingle.
func newSketch(text []word) sketch {
	set := shingles(text)
	s := sketch{size: uint32(len(set))}
	for i := range s.values {
		s.values[i] = math.MaxUint32
	}
	// The hash functions are multiply-shift (Dietzfelbinger et al., "A reliable randomized
	// algorithm for the closest-pair problem", 1997), over hashes that are already mixed.
	for _, shingle := range set {
		for i := range s.values {
			if v := uint32((shingle*multipliers[i] + addends[i]) >> 32); v < s.values[i] {
				s.values[i] = v
			}
		}
	}
	return s
}

// shingles returns the hashes of the different shingles of a text, sorted.
func shingles(text []word) []uint64 {
	if len(text) == 0 {
		return nil
	}
	n := min(len(text), shingleWords)
	set := make([]uint64, 0, len(text)-n+1)
	for end := n; end <= len(text); end++ {
		h := uint64(n)
		for _, w := range text[end-n : end] {
			h = mix(h ^ w.hash)
		}
		set = append(set, h)
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", 2014).
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// multipliers, which are odd, and addends are those of the hash functions.
var multipliers, addends = parameters()

func parameters() (multipliers, addends [hashes]uint64) {
	for i := range hashes {
		multipliers[i], addends[i] = mix(uint64(2*i))|1, mix(uint64(2*i+1))
	}
	return multipliers, addends
}

// jaccard estimates the similarity of two sets from 0 to 1, and its standard error. The
// error is that of a smoothed estimate, so that it is not 0 for equal sketches.
func jaccard(a, b *sketch) (similarity, deviation float64) {
	same := 0
	for i := range a.values {
		if a.values[i] == b.values[i] {
			same++
		}
	}
	smooth := float64(same+1) / (hashes + 2)
	return float64(same) / hashes, math.Sqrt(smooth * (1 - smooth) / hashes)
}

// contained estimates which share of the smaller set is in the larger one, given their
// similarity.
func contained(a, b *sketch, similarity float64) float64 {
	smaller := min(a.size, b.size)
	if smaller == 0 {
		return 0
	}
	common := similarity / (1 + similarity) * float64(a.size+b.size)
	return min(1, common/float64(smaller))
}

// bands appends a hash of each band of the sketch, which begins with seed.
func (s *sketch) bands(keys []int64, seed uint64) []int64 {
	for at := 0; at < hashes; at += bandRows {
		h := mix(seed ^ uint64(at+1))
		for _, v := range s.values[at : at+bandRows] {
			h = mix(h ^ uint64(v))
		}
		keys = append(keys, int64(h))
	}
	return keys
}
