package pattern

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// maxNeeds is the maximum number of groups of literals of a Set.
const maxNeeds = 256

// needs are groups of literals, one bit each.
type needs [maxNeeds / 64]uint64

// Set holds patterns that are matched with the same texts. One pass over a text finds which of them
// lack something that each of their matches contains, and these are not run. See the FilteredRE2 of
// RE2. A Set is safe for concurrent use once all its patterns are compiled.
type Set struct {
	patterns []*Regexp
	required map[*Regexp][][]string
	words    func() *setWords
}

// setWords finds the literals of a Set in a text.
type setWords struct {
	tree
	// found holds for each state the groups with a literal that ends there.
	found []needs
}

// NewSet returns an empty set.
func NewSet() *Set {
	s := &Set{required: map[*Regexp][][]string{}}
	s.words = sync.OnceValue(s.build)
	return s
}

// MustCompile returns the pattern of a regular expression, as the function MustCompile does, and
// adds it to the set. It must not be called after In.
func (s *Set) MustCompile(expr string) *Regexp {
	p := MustCompile(expr)
	s.patterns = append(s.patterns, p)
	return p
}

// Require makes Has false for p in texts without any of the words. It must not be called after In.
// In panics if the patterns of a set require more than 256 different lists of words.
func (s *Set) Require(p *Regexp, words []string) { s.required[p] = append(s.required[p], words) }

// Text is a text in which the patterns of a set are looked for.
type Text struct {
	text  string
	found needs
}

// In returns a text to match the patterns of the set with.
func (s *Set) In(text string) Text {
	t, w := Text{text: text}, s.words()
	next, row := w.next, uint32(0)
	for i := range len(text) {
		at := next[row+uint32(w.classes[text[i]])]
		row = at &^ ended
		if at != row {
			for k, bits := range w.found[row/uint32(w.width)] {
				t.found[k] |= bits
			}
		}
	}
	return t
}

// Has reports whether the text contains a match of p, which must be a pattern of the set.
func (t *Text) Has(p *Regexp) bool { return t.MayHave(p) && p.MatchString(t.text) }

// Any reports whether the text contains a match of one of the patterns.
func (t *Text) Any(patterns ...*Regexp) bool { return slices.ContainsFunc(patterns, t.Has) }

// All reports whether the text contains a match of each of the patterns.
func (t *Text) All(patterns ...*Regexp) bool {
	for _, p := range patterns {
		if !t.MayHave(p) {
			return false
		}
	}
	for _, p := range patterns {
		if !p.MatchString(t.text) {
			return false
		}
	}
	return true
}

// MayHave reports whether the text contains what each match of p contains, which is much faster to
// find out than Has.
func (t *Text) MayHave(p *Regexp) bool {
	for k, bits := range p.needs {
		if t.found[k]&bits != bits {
			return false
		}
	}
	return true
}

// FindIndex returns the place of the first match of p, nil for none.
func (t *Text) FindIndex(p *Regexp) []int {
	if !t.MayHave(p) {
		return nil
	}
	return p.FindStringIndex(t.text)
}

// String returns the text.
func (t *Text) String() string { return t.text }

// build chooses the literals that are looked for: what patterns require, then the best group of each
// pattern, and then its others while there is room.
func (s *Set) build() *setWords {
	var groups [][]string
	add := func(p *Regexp, words []string) bool {
		at := slices.IndexFunc(groups, func(g []string) bool { return slices.Equal(g, words) })
		switch {
		case at < 0 && len(groups) == maxNeeds:
			return false
		case at < 0:
			at, groups = len(groups), append(groups, words)
		}
		p.needs[at/64] |= 1 << (at % 64)
		return true
	}
	all := make([][][]string, len(s.patterns))
	for i, p := range s.patterns {
		all[i] = needsOf(p.expr)
		for _, words := range s.required[p] {
			if !add(p, words) {
				panic("pattern: the patterns of a set require too many different words")
			}
		}
	}
	for rest := true; rest; {
		rest = false
		for i, lists := range all {
			if len(lists) > 0 {
				add(s.patterns[i], lists[0])
				all[i], rest = lists[1:], true
			}
		}
	}
	return newSetWords(groups)
}

// newSetWords returns the setWords for groups of literals.
func newSetWords(groups [][]string) *setWords {
	t, groupsAt := newTree(groups)
	found := make([]needs, len(groupsAt))
	for state, list := range groupsAt {
		for _, group := range list {
			found[state][group/64] |= 1 << (group % 64)
		}
	}
	return &setWords{t, found}
}

// needsOf returns the lists of literals that an expression needs, best first.
func needsOf(expr string) [][]string {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil // regexp reports it
	}
	lists := ofSet.needs(parsed.Simplify())
	lists = strongest(slices.DeleteFunc(lists, func(list []string) bool { return slices.ContainsFunc(list, common) }))
	slices.SortStableFunc(lists, func(a, b []string) int { return cmp.Compare(rank(b), rank(a)) })
	return lists
}

// common reports whether nearly every text contains a literal.
func common(literal string) bool {
	return len(literal) < 3 && strings.Trim(literal, " abcdefghijklmnopqrstuvwxyz.,") == ""
}

// strongest returns the lists without those that say nothing beside another one: a text with a
// literal of that one has one of theirs.
func strongest(lists [][]string) [][]string {
	var kept [][]string
	for i, list := range lists {
		implied := func(other []string) bool {
			return !slices.ContainsFunc(other, func(text string) bool {
				return !slices.ContainsFunc(list, func(part string) bool { return strings.Contains(text, part) })
			})
		}
		if !slices.ContainsFunc(kept, implied) && !slices.ContainsFunc(lists[i+1:], implied) {
			kept = append(kept, list)
		}
	}
	return kept
}
