// Package pattern matches regular expressions as the standard package regexp does, but
// rejects texts without a match much faster. Its names are those of regexp, so that rules
// can import it in its place.
//
// Most texts match few rules. A deterministic automaton reads each character once and
// usually knows that there is no match. Only otherwise, a second automaton finds where the
// match is, from the place on where the first says that it can begin. Package regexp finds the
// groups in it. The automata are built lazily, state by state, from the program that package
// regexp/syntax compiles; see Russ Cox, "Regular Expression Matching in the Wild". Where they would
// need too many states, package regexp answers.
package pattern

import (
	"math"
	"regexp"
	"strings"
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
	// needs marks groups of literals of its Set. Every match contains a literal of each.
	needs needs
	// ordered finds where a match ends.
	ordered func() *automaton
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
	p.ordered = sync.OnceValue(func() *automaton {
		if a := p.auto(); a == nil || a.found == yes {
			return a.newOrdered()
		}
		return p.exact().newOrdered()
	})
	return p
}

// String returns the regular expression.
func (p *Regexp) String() string { return p.expr }

// search returns whether a match begins in s at a place or after it. No match begins before the
// place begin that it returns. If there is a match, one begins before the place end or at it.
func (p *Regexp) search(s string, at int) (begin, end int, v verdict) {
	begin, end, v = p.auto().search(s, at)
	if v == maybe {
		begin, end, v = p.exact().read(s, begin)
	}
	return begin, end, v
}

// MatchString reports whether s contains a match.
func (p *Regexp) MatchString(s string) bool {
	from, _, v := p.search(s, 0)
	switch {
	case v != maybe:
		return v == yes
	case p.auto().lookBehind(s, from) == 0:
		return p.re().MatchString(s[from:]) // without looking for the end of the match
	}
	return p.FindStringIndex(s) != nil
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
	at, ok := p.find(s, 0, false)
	if !ok {
		return p.re().FindStringIndex(s)
	}
	return at
}

// FindStringSubmatch returns the first match and its groups, nil for none.
func (p *Regexp) FindStringSubmatch(s string) []string {
	return groupsOf(s, p.FindStringSubmatchIndex(s))
}

// FindStringSubmatchIndex returns the places of the first match and of its groups, nil for
// none.
func (p *Regexp) FindStringSubmatchIndex(s string) []int {
	at, ok := p.find(s, 0, true)
	if !ok {
		return p.re().FindStringSubmatchIndex(s)
	}
	return at
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
	found, ok := p.findAll(s, n, false)
	if !ok {
		return p.re().FindAllStringIndex(s, n)
	}
	return found
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
	found, ok := p.findAll(s, n, true)
	if !ok {
		return p.re().FindAllStringSubmatchIndex(s, n)
	}
	return found
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
	if !strings.Contains(with, "$") {
		return p.ReplaceAllStringFunc(s, func(string) string { return with })
	}
	found, ok := p.findAll(s, -1, true)
	if !ok {
		return p.re().ReplaceAllString(s, with)
	}
	return replace(s, found, func(into []byte, at []int) []byte { return p.re().ExpandString(into, with, s, at) })
}

// ReplaceAllStringFunc returns s with each match replaced by the result of with.
func (p *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	found, ok := p.findAll(s, -1, false)
	if !ok {
		return p.re().ReplaceAllStringFunc(s, with)
	}
	return replace(s, found, func(into []byte, at []int) []byte { return append(into, with(s[at[0]:at[1]])...) })
}

// replace returns s with what a function appends in place of each match.
func replace(s string, found [][]int, with func(into []byte, at []int) []byte) string {
	if len(found) == 0 {
		return s
	}
	var b []byte
	last := 0
	for _, at := range found {
		b = with(append(b, s[last:at[0]]...), at)
		last = at[1]
	}
	return string(append(b, s[last:]...))
}
