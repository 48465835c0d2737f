package spans

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/learn/hashed"
)

// Read returns the candidates of a sentence for a question, with their features.
func Read(a Asked) Choice {
	r := newReader(a)
	c := Choice{Begins: make([][]hashed.Key, len(r.words)), Ends: make([][]hashed.Key, len(r.words))}
	for i := range r.words {
		c.Begins[i], c.Ends[i] = r.begin(i), r.end(i)
	}
	for first := range r.words {
		for last := first; last < len(r.words) && last < first+maxLong; last++ {
			if last > first && r.stops(last-1) {
				break
			}
			if r.repeats(first, last) {
				continue
			}
			s := layout.Span{Start: r.words[first].Start, End: r.words[last].End}
			c.Candidates = append(c.Candidates, Candidate{s, first, last, r.whole(first, last)})
		}
	}
	c.Nothing = r.nothing(len(a.Typed))
	return c
}

// reader reads the features of one question and sentence.
type reader struct {
	words []word
	// kind is a hash of the kind of the question, and terms are the stems of its words.
	kind  uint64
	terms []string
	// voted are the indexes of the first and the last word of the vote, which are -1 for none.
	voted [2]int
	// begins, ends and exact hold the types of the values that begin or end with a word, or have a first
	// and a last one.
	begins, ends map[int][]string
	exact        map[[2]int][]string
}

func newReader(a Asked) *reader {
	r := &reader{words: wordsOf(a.Text), kind: hash(a.Kind), begins: map[int][]string{}, ends: map[int][]string{}, exact: map[[2]int][]string{}, voted: [2]int{-1, -1}}
	has := map[string]bool{}
	for _, w := range a.Words[:min(len(a.Words), maxTerms)] {
		stem := stemOf(w)
		r.terms = append(r.terms, stem)
		has[stem] = true
	}
	for i := range r.words {
		w := &r.words[i]
		w.repeated = has[w.stem]
		w.asked = w.repeated && len(w.stem) >= leastAsked
	}
	if first, last := within(r.words, a.Vote); a.Vote.Len() > 0 && first <= last {
		r.voted = [2]int{first, last}
	}
	for _, t := range a.Typed {
		if first, last := within(r.words, t.Span); first <= last {
			r.begins[first] = append(r.begins[first], t.Type)
			r.ends[last] = append(r.ends[last], t.Type)
			r.exact[[2]int{first, last}] = append(r.exact[[2]int{first, last}], t.Type)
		}
	}
	return r
}

// stops reports whether no value goes on after a word. A full stop after a short word may be that of an
// abbreviation: "Rs. 500".
func (r *reader) stops(i int) bool {
	w := r.words[i]
	return strings.Contains(w.after, ",") && asides[r.stem(i+1)] || strings.ContainsAny(w.after, ";:!?") || strings.Contains(w.after, ".") && (len(w.stem) > longestAbbreviation || w.form[0] == '9')
}

// asides are the stems of words that, after a comma, begin what is not part of a value.
var asides = map[string]bool{"which": true, "who": true, "whos": true, "unles": true, "provid": true, "but": true, "except": true, "if": true}

// longestAbbreviation is the maximum length of an abbreviation in a value.
const longestAbbreviation = 3

// repeats reports whether a part only repeats the question: its other words are as short as "the" and "at".
func (r *reader) repeats(first, last int) bool {
	part := r.words[first : last+1]
	return slices.ContainsFunc(part, func(w word) bool { return w.repeated }) &&
		!slices.ContainsFunc(part, func(w word) bool { return !w.repeated && (len(w.stem) > longestArticle || w.form != "a") })
}

// longestArticle is the maximum length of a word that says nothing on its own.
const longestArticle = 3

// stem returns the stem of a word, or a sign for the beginning or the end of the sentence.
func (r *reader) stem(i int) string {
	switch {
	case i < 0:
		return "^"
	case i >= len(r.words):
		return "$"
	}
	return r.words[i].stem
}

// opening returns the first word of the question.
func (r *reader) opening() string {
	if len(r.terms) == 0 {
		return ""
	}
	return r.terms[0]
}

// keys collects features. Each counts on its own, and for the kind of the question.
type keys struct {
	all  []hashed.Key
	kind uint64
}

func (k *keys) add(parts ...string) {
	h := hash(parts...)
	k.all = append(k.all, keyOf(h), keyOf(h^k.kind))
}

// only adds a feature that does not depend on the kind of the question.
func (k *keys) only(parts ...string) { k.all = append(k.all, keyOf(hash(parts...))) }

// begin returns the features of a candidate that begins with a word.
func (r *reader) begin(i int) []hashed.Key {
	k, w, before := keys{kind: r.kind}, r.words[i], r.stem(i-1)
	marks := mark(w.before)
	if i > 0 {
		marks = mark(r.words[i-1].after) + marks
	}
	k.add("begin", w.stem)
	k.add("before", before)
	k.add("before 2", r.stem(i-2), before)
	k.add("begin form", w.form)
	k.add("before form", before, w.form)
	k.add("before mark", marks, w.form)
	k.add("before far", r.far(i-1, -1))
	if w.asked {
		k.add("begin asked")
	}
	for _, t := range r.begins[i] {
		k.add("begin type", t)
		k.add("before type", t, before)
	}
	k.only("opening form", r.opening(), w.form)
	k.only("opening before", r.opening(), before)
	for _, t := range r.terms {
		k.only("term before", t, before)
	}
	return k.all
}

// end returns the features of a candidate that ends with a word.
func (r *reader) end(i int) []hashed.Key {
	k, w, after := keys{kind: r.kind}, r.words[i], r.stem(i+1)
	k.add("end", w.stem)
	k.add("after", after)
	k.add("end after", w.stem, after)
	k.add("end form", w.form)
	k.add("after mark", mark(w.after))
	k.add("after mark word", mark(w.after), after)
	k.add("after far", r.far(i+1, 1))
	if w.asked {
		k.add("end asked")
	}
	for _, t := range r.ends[i] {
		k.add("end type", t)
		k.add("after type", t, after)
	}
	for _, t := range r.terms {
		k.only("term end", t, w.stem)
	}
	return k.all
}

// whole returns the features of a candidate as a whole.
func (r *reader) whole(first, last int) []hashed.Key {
	k, long := keys{kind: r.kind}, last-first+1
	commas, typed, asked := 0, 0, 0
	for i := first; i <= last; i++ {
		if i < last && strings.Contains(r.words[i].after, ",") {
			commas++
		}
		if r.words[i].asked {
			asked++
		}
		typed += len(r.ends[i])
	}
	k.add("long", size(long))
	k.add("commas", size(commas))
	k.add("forms", r.words[first].form, r.words[last].form, size(long))
	k.add("asked", size(asked), size(long))
	types := r.exact[[2]int{first, last}]
	for _, t := range types {
		k.add("is", t)
		k.add("is of", t, size(len(r.exact)))
		for _, term := range r.terms {
			k.only("is term", t, term)
		}
	}
	if len(types) == 0 {
		k.add("has", size(typed))
	}
	switch v := r.voted; {
	case v[0] < 0:
	case v == [2]int{first, last}:
		k.add("voted")
	case first <= v[0] && last >= v[1]:
		k.add("has vote", size(v[0]-first), size(last-v[1]))
	case first <= v[1] && last >= v[0]:
		k.add("crosses vote")
	default:
		k.add("beside vote")
	}
	if long == len(r.words) {
		k.add("all")
	}
	return k.all
}

// nothing returns the features of the case that no candidate is the value.
func (r *reader) nothing(typed int) []hashed.Key {
	k := keys{kind: r.kind}
	k.add("nothing")
	k.add("nothing long", size(len(r.words)/3))
	k.add("nothing typed", size(typed))
	if r.voted[0] >= 0 {
		k.add("nothing voted")
	}
	k.only("nothing opening", r.opening())
	for _, t := range r.terms {
		k.only("nothing term", t)
	}
	return k.all
}

// maxFar is the maximum distance in words at which a word of the question counts.
const maxFar = 12

// far returns how far the nearest word of the question is, from a word on in one direction.
func (r *reader) far(i, by int) string {
	for d := range maxFar {
		if j := i + by*d; j >= 0 && j < len(r.words) && r.words[j].asked {
			return size(d)
		}
	}
	return "none"
}

// size returns a number in classes.
func size(n int) string {
	switch {
	case n <= 3:
		return string(rune('0' + n))
	case n <= 5:
		return "4-5"
	case n <= 8:
		return "6-8"
	case n <= 12:
		return "9-12"
	}
	return "many"
}

// hash returns the FNV-1a hash of strings, which are kept apart.
func hash(parts ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return h
}

// keyOf returns the key of a hash, by the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
func keyOf(h uint64) hashed.Key {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return hashed.Key((h ^ h>>31) & (1<<hashed.KeyBits - 1))
}
