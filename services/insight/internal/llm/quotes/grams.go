package quotes

import (
	"cmp"
	"slices"
	"sort"
	"unicode"
)

// gram is the number of letters of the n-grams that are indexed.
const gram = 5

// index holds the letters and digits of a text in lower case, and where each n-gram of them
// occurs.
type index struct {
	letters []rune
	// at holds the offset of each letter in the text.
	at []int32
	// places holds the places of all n-grams, sorted by bucket and place. starts holds
	// where each bucket begins in it, and where the last one ends.
	places, starts []int32
}

// newIndex returns the index of a text.
func newIndex(f folded) *index {
	x := &index{}
	for i, r := range f.s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			x.letters, x.at = append(x.letters, r), append(x.at, f.at[i])
		}
	}
	buckets := 1 << 8
	for buckets < len(x.letters) && buckets < 1<<18 {
		buckets *= 2
	}
	x.starts = make([]int32, buckets+1)
	x.places = make([]int32, max(0, len(x.letters)-gram+1))
	for i := range x.places {
		x.starts[x.bucket(x.letters[i:])+1]++
	}
	for i := range buckets {
		x.starts[i+1] += x.starts[i]
	}
	next := slices.Clone(x.starts)
	for i := range x.places {
		b := x.bucket(x.letters[i:])
		x.places[next[b]] = int32(i)
		next[b]++
	}
	return x
}

// bucket returns the bucket of the n-gram at the beginning of letters. Several n-grams may
// share a bucket.
func (x *index) bucket(letters []rune) uint32 {
	h := uint32(2166136261)
	for _, r := range letters[:gram] {
		h = (h ^ uint32(r)) * 16777619
	}
	return (h ^ h>>15) & uint32(len(x.starts)-2)
}

// placesOf returns where the n-gram at the beginning of letters may occur between two
// places, in order.
func (x *index) placesOf(letters []rune, from, to int) []int32 {
	b := x.bucket(letters)
	all := x.places[x.starts[b]:x.starts[b+1]]
	first, _ := slices.BinarySearch(all, int32(from))
	last, _ := slices.BinarySearch(all, int32(to))
	return all[first:max(first, last)]
}

// rangeOf returns the range of letters that come from offsets of the text.
func (x *index) rangeOf(start, end int) (from, to int) {
	from = sort.Search(len(x.at), func(i int) bool { return int(x.at[i]) >= start })
	to = from + sort.Search(len(x.at)-from, func(i int) bool { return int(x.at[from+i]) >= end })
	return from, to
}

const (
	// maxHits is the maximum number of occurrences of n-grams that are looked at.
	maxHits = 1 << 15
	// maxWindows is the maximum number of windows that are compared with a quote.
	maxWindows = 24
)

// window is a range of letters that may contain a quote, which shares hits n-grams with it.
type window struct{ from, to, hits int }

// windows returns the ranges of letters between two places that may contain q with at most
// k differences, the most probable first. Only rare n-grams of q are looked up: k
// differences change at most k*gram of them, so that one of more than those remains.
func (x *index) windows(q []rune, k, from, to int, w *work) []window {
	if !w.spend(8 * len(q)) {
		return nil
	}
	type rare struct {
		at     int
		places []int32
	}
	var grams []rare
	for i := range len(q) - gram + 1 {
		if places := x.placesOf(q[i:], from, to); len(places) > 0 {
			grams = append(grams, rare{i, places})
		}
	}
	slices.SortStableFunc(grams, func(a, b rare) int { return cmp.Compare(len(a.places), len(b.places)) })
	var begins []int // where the quote would begin
	for _, g := range grams[:min(len(grams), k*gram+1)] {
		for _, p := range g.places[:min(len(g.places), maxHits-len(begins))] {
			begins = append(begins, int(p)-g.at)
		}
	}
	w.spend(16 * len(begins))
	return windowsAt(begins, len(q), k, from, to)
}

// windowsAt returns the windows of a quote of m letters that would begin at the places.
func windowsAt(begins []int, m, k, from, to int) []window {
	slices.Sort(begins)
	var all []window
	for i := 0; i < len(begins); {
		j := i
		for j < len(begins) && begins[j]-begins[i] <= k {
			j++
		}
		all = append(all, window{max(from, begins[i]-k), min(to, begins[j-1]+m+k), j - i})
		i = j
	}
	slices.SortStableFunc(all, func(a, b window) int { return cmp.Compare(b.hits, a.hits) })
	return all[:min(len(all), maxWindows)]
}
