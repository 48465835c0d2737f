// Package pattern matches regular expressions as the standard package regexp does, but
// rejects texts without a match much faster. Its names are those of regexp, so that rules
// can import it in its place.
//
// Most texts match few rules. A deterministic automaton reads each character once and
// usually knows that there is no match. Only otherwise, package regexp finds where the
// match is, from the place on where the automaton says that it can begin. The automaton is
// built lazily, state by state, from the program that package regexp/syntax compiles; see Russ
// Cox, "Regular Expression Matching in the Wild".
package pattern

import (
	"math"
	"regexp"
	"sync"
)

// Regexp is a compiled regular expression. It is safe for concurrent use. Its methods
// return what those of regexp.Regexp with the same names return.
type Regexp struct {
	expr string
	// All are built when they are first needed: a process uses few of its patterns. A pattern
	// that only answers MatchString often does without the first.
	re   func() *regexp.Regexp
	auto func() *automaton
	// exact decides where auto cannot, because auto does not count far. It is nil if auto counts
	// as the expression does.
	exact func() *automaton
	// needs are the groups of literals of its Set of which each match contains one.
	needs needs
}

// MustCompile returns the pattern of a regular expression. It panics when the pattern is
// first used if expr is invalid.
func MustCompile(expr string) *Regexp {
	p := &Regexp{
		expr: expr,
		re:   sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
		auto: sync.OnceValue(func() *automaton { return newAutomaton(expr, maxCount) }),
	}
	p.exact = sync.OnceValue(func() *automaton {
		if a := p.auto(); a == nil || a.found == yes {
			return nil
		}
		return newAutomaton(expr, math.MaxInt)
	})
	return p
}

// String returns the regular expression.
func (p *Regexp) String() string { return p.expr }

// search returns whether s has a match. No match begins before the place that it returns.
func (p *Regexp) search(s string) (begin int, v verdict) {
	begin, v = p.auto().search(s)
	if v == maybe {
		_, v = p.exact().read(s)
	}
	return begin, v
}

// may reports whether s can match.
func (p *Regexp) may(s string) bool {
	_, v := p.search(s)
	return v != no
}

// MatchString reports whether s contains a match.
func (p *Regexp) MatchString(s string) bool {
	from, v := p.search(s)
	switch {
	case v != maybe:
		return v == yes
	case p.auto().lookBehind(s, from) == 0:
		return p.re().MatchString(s[from:]) // without looking for the end of the match
	}
	return p.find(s, from, (*regexp.Regexp).FindStringIndex) != nil
}

// FindString returns the first match, "" for none.
func (p *Regexp) FindString(s string) string {
	if at := p.FindStringIndex(s); at != nil {
		return s[at[0]:at[1]]
	}
	return ""
}

// FindStringIndex returns the place of the first match, nil for none.
func (p *Regexp) FindStringIndex(s string) []int {
	from, v := p.search(s)
	if v == no {
		return nil
	}
	return p.find(s, from, (*regexp.Regexp).FindStringIndex)
}

// FindStringSubmatch returns the first match and its groups, nil for none.
func (p *Regexp) FindStringSubmatch(s string) []string {
	return groupsOf(s, p.FindStringSubmatchIndex(s))
}

// FindStringSubmatchIndex returns the places of the first match and of its groups, nil for
// none.
func (p *Regexp) FindStringSubmatchIndex(s string) []int {
	from, v := p.search(s)
	if v == no {
		return nil
	}
	return p.find(s, from, (*regexp.Regexp).FindStringSubmatchIndex)
}

// FindAllString returns the first n matches, or all if n is negative.
func (p *Regexp) FindAllString(s string, n int) []string {
	var found []string
	for _, at := range p.FindAllStringIndex(s, n) {
		found = append(found, s[at[0]:at[1]])
	}
	return found
}

// FindAllStringIndex returns the places of the first n matches, or of all if n is negative.
func (p *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return p.findAll(s, n, (*regexp.Regexp).FindStringIndex, (*regexp.Regexp).FindAllStringIndex)
}

// FindAllStringSubmatch returns the first n matches with their groups, or all if n is
// negative.
func (p *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	var found [][]string
	for _, at := range p.FindAllStringSubmatchIndex(s, n) {
		found = append(found, groupsOf(s, at))
	}
	return found
}

// FindAllStringSubmatchIndex returns the places of the first n matches and of their
// groups, or of all if n is negative.
func (p *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.findAll(s, n, (*regexp.Regexp).FindStringSubmatchIndex, (*regexp.Regexp).FindAllStringSubmatchIndex)
}

// find returns what a method of regexp.Regexp that finds the first match returns for s, in
// which no match begins before a place.
func (p *Regexp) find(s string, from int, method func(*regexp.Regexp, string) []int) []int {
	at, ok := p.findFrom(s, from, method)
	if !ok {
		return method(p.re(), s)
	}
	return at
}

// findFrom returns what the method returns for the part of s from a place on. It reports false
// if that depends on what stands before the part.
func (p *Regexp) findFrom(s string, from int, method func(*regexp.Regexp, string) []int) (at []int, ok bool) {
	before := p.auto().lookBehind(s, from)
	at = method(p.re(), s[from-before:])
	if at != nil && at[0] < before {
		return nil, false
	}
	move(at, from-before)
	return at, true
}

// findAll returns the first n matches of s, where one and all are methods of regexp.Regexp that
// find the first and all.
func (p *Regexp) findAll(s string, n int, one func(*regexp.Regexp, string) []int, all func(*regexp.Regexp, string, int) [][]int) [][]int {
	a := p.auto()
	if a == nil || a.fresh == 0 {
		if !p.may(s) {
			return nil
		}
		return all(p.re(), s, n)
	}
	var found [][]int
	for end, search := 0, a.search; n < 0 || len(found) < n; search = a.read {
		before := a.lookBehind(s, end)
		from, v := search(s[end-before:])
		if v == no {
			break
		}
		at, ok := p.findFrom(s, max(end, end-before+from), one)
		if !ok || at != nil && at[0] == at[1] { // the next match depends on empty ones
			return all(p.re(), s, n)
		}
		if at == nil {
			break
		}
		found = append(found, at)
		end = at[1]
	}
	return found
}

// move adds a distance to the places of a match and its groups. A group that is not in the
// match has the place -1.
func move(at []int, by int) {
	for i := range at {
		if at[i] >= 0 {
			at[i] += by
		}
	}
}

// groupsOf returns the text of a match and its groups.
func groupsOf(s string, at []int) []string {
	if at == nil {
		return nil
	}
	groups := make([]string, len(at)/2)
	for i := range groups {
		if at[2*i] >= 0 {
			groups[i] = s[at[2*i]:at[2*i+1]]
		}
	}
	return groups
}

// Split returns the parts of s between the matches, at most n of them if n is positive.
func (p *Regexp) Split(s string, n int) []string {
	if n == 0 {
		return nil
	}
	if s == "" && p.expr != "" {
		return []string{""}
	}
	parts := []string{}
	begin, end := 0, 0
	for _, at := range p.FindAllStringIndex(s, n) {
		if n > 0 && len(parts) == n-1 {
			break
		}
		end = at[0]
		if at[1] > 0 {
			parts = append(parts, s[begin:end])
		}
		begin = at[1]
	}
	if end != len(s) {
		parts = append(parts, s[begin:])
	}
	return parts
}

// ReplaceAllString returns s with each match replaced; see regexp.Regexp.Expand.
func (p *Regexp) ReplaceAllString(s, with string) string {
	if !p.may(s) {
		return s
	}
	return p.re().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc returns s with each match replaced by the result of with.
func (p *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	if !p.may(s) {
		return s
	}
	return p.re().ReplaceAllStringFunc(s, with)
}
