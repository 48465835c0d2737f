// Package pattern matches regular expressions as the standard package regexp does, but
// rejects texts without a match much faster. Its names are those of regexp, so that rules
// can import it in its place.
//
// Most texts match few rules. A deterministic automaton reads each character once and
// usually knows that there is no match. Only otherwise, package regexp finds where the
// match is. The automaton is built lazily, state by state, from the program that package
// regexp/syntax compiles; see Russ Cox, "Regular Expression Matching in the Wild".
package pattern

import (
	"regexp"
	"sync"
)

// Regexp is a compiled regular expression. It is safe for concurrent use. Its methods
// return what those of regexp.Regexp with the same names return.
type Regexp struct {
	expr string
	// Both are built when they are first needed: a process uses few of its patterns. A
	// pattern that only answers MatchString often does without the first.
	re   func() *regexp.Regexp
	auto func() *automaton
}

// MustCompile returns the pattern of a regular expression. It panics when the pattern is
// first used if expr is invalid.
func MustCompile(expr string) *Regexp {
	return &Regexp{
		expr: expr,
		re:   sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
		auto: sync.OnceValue(func() *automaton { return newAutomaton(expr) }),
	}
}

// String returns the regular expression.
func (p *Regexp) String() string { return p.expr }

// may reports whether s can match.
func (p *Regexp) may(s string) bool { return p.auto().search(s) != no }

// MatchString reports whether s contains a match.
func (p *Regexp) MatchString(s string) bool {
	switch p.auto().search(s) {
	case no:
		return false
	case yes:
		return true
	}
	return p.re().MatchString(s)
}

// FindString returns the first match, "" for none.
func (p *Regexp) FindString(s string) string {
	if !p.may(s) {
		return ""
	}
	return p.re().FindString(s)
}

// FindStringIndex returns the place of the first match, nil for none.
func (p *Regexp) FindStringIndex(s string) []int {
	if !p.may(s) {
		return nil
	}
	return p.re().FindStringIndex(s)
}

// FindStringSubmatch returns the first match and its groups, nil for none.
func (p *Regexp) FindStringSubmatch(s string) []string {
	if !p.may(s) {
		return nil
	}
	return p.re().FindStringSubmatch(s)
}

// FindStringSubmatchIndex returns the places of the first match and of its groups, nil for
// none.
func (p *Regexp) FindStringSubmatchIndex(s string) []int {
	if !p.may(s) {
		return nil
	}
	return p.re().FindStringSubmatchIndex(s)
}

// FindAllString returns the first n matches, or all if n is negative.
func (p *Regexp) FindAllString(s string, n int) []string {
	if !p.may(s) {
		return nil
	}
	return p.re().FindAllString(s, n)
}

// FindAllStringIndex returns the places of the first n matches, or of all if n is negative.
func (p *Regexp) FindAllStringIndex(s string, n int) [][]int {
	if !p.may(s) {
		return nil
	}
	return p.re().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns the first n matches with their groups, or all if n is
// negative.
func (p *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.may(s) {
		return nil
	}
	return p.re().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns the places of the first n matches and of their
// groups, or of all if n is negative.
func (p *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !p.may(s) {
		return nil
	}
	return p.re().FindAllStringSubmatchIndex(s, n)
}

// Split returns the parts of s between the matches, at most n of them if n is positive.
func (p *Regexp) Split(s string, n int) []string {
	if n != 0 && !p.may(s) {
		return []string{s}
	}
	return p.re().Split(s, n)
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
