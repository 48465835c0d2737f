package pattern

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxLiterals is the maximum number of literals of an expression. A search for more takes as
	// long as the automaton.
	maxLiterals = 6
	// maxWords is the maximum number of words from which literals are chosen.
	maxWords = 16
	// minLiteral is the minimum length of a literal. Most texts contain shorter ones.
	minLiteral = 3
	// enough is the length from which a longer literal is hardly rarer.
	enough = 6
)

// literals returns strings such that each match of a simplified expression contains at least one
// of them. It returns nil if it finds no useful ones. See Russ Cox, "Regular Expression Matching
// with a Trigram Index".
func literals(e *syntax.Regexp) []string {
	best := usable(words(e))
	switch e.Op {
	case syntax.OpCapture, syntax.OpPlus:
		best = better(best, literals(e.Sub[0]))
	case syntax.OpConcat:
		best = better(best, ofParts(e.Sub))
	case syntax.OpAlternate:
		var all []string
		for _, sub := range e.Sub {
			one := literals(sub)
			if one == nil {
				return best
			}
			all = append(all, one...)
		}
		best = better(best, usable(all))
	}
	return best
}

// ofParts returns the best literals of a concatenation: those of one part, or those of several
// parts in a row that match few words.
func ofParts(parts []*syntax.Regexp) (best []string) {
	row := []string{""}
	for _, part := range parts {
		best = better(best, literals(part))
		of := words(part)
		longer := joined(row, of)
		if longer == nil {
			best = better(best, usable(row))
			longer = of
		}
		if row = longer; row == nil {
			row = []string{""}
		}
	}
	return better(best, usable(row))
}

// words returns all texts that an expression matches, without asking for boundaries, and nil
// if there are too many.
func words(e *syntax.Regexp) (all []string) {
	switch e.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpLiteral:
		if !slices.ContainsFunc(e.Rune, func(r rune) bool { return !isItself(r, e.Flags) }) {
			return []string{string(e.Rune)}
		}
	case syntax.OpCharClass:
		for i := 0; i < len(e.Rune); i += 2 {
			for r := e.Rune[i]; r <= e.Rune[i+1]; r++ {
				if len(all) == maxLiterals || !isItself(r, 0) {
					return nil
				}
				all = append(all, string(r))
			}
		}
	case syntax.OpCapture:
		return words(e.Sub[0])
	case syntax.OpQuest:
		if one := words(e.Sub[0]); one != nil {
			return append([]string{""}, one...)
		}
	case syntax.OpConcat:
		all = []string{""}
		for _, sub := range e.Sub {
			if all = joined(all, words(sub)); all == nil {
				return nil
			}
		}
	case syntax.OpAlternate:
		for _, sub := range e.Sub {
			one := words(sub)
			if one == nil || len(all)+len(one) > maxWords {
				return nil
			}
			all = append(all, one...)
		}
	}
	return all
}

// isItself reports whether a character of an expression matches only itself. U+FFFD also
// matches what is no valid character.
func isItself(r rune, flags syntax.Flags) bool {
	return r != utf8.RuneError && (flags&syntax.FoldCase == 0 || unicode.SimpleFold(r) == r)
}

// joined returns each text of first followed by each of second, nil if there are too many.
func joined(first, second []string) []string {
	if len(first)*len(second) > maxWords {
		return nil
	}
	var all []string
	for _, a := range first {
		for _, b := range second {
			all = append(all, a+b)
		}
	}
	return all
}

// usable returns the texts without those that contain another one. It returns nil if there are
// too many, or one is too short.
func usable(texts []string) []string {
	var kept []string
	for i, text := range texts {
		if len(text) < minLiteral {
			return nil
		}
		if !slices.ContainsFunc(texts, func(other string) bool { return other != text && strings.Contains(text, other) }) &&
			!slices.Contains(texts[:i], text) {
			kept = append(kept, text)
		}
	}
	if len(kept) > maxLiterals {
		return nil
	}
	return kept
}

// better returns the literals that are likely to reject more texts in less time: the fewer and
// the longer ones.
func better(a, b []string) []string {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// rank returns how useful literals are, 0 for none. One byte more in the shortest makes up for
// two more literals.
func rank(texts []string) int {
	if texts == nil {
		return 0
	}
	shortest := enough
	for _, text := range texts {
		shortest = min(shortest, len(text))
	}
	return 10 + 2*shortest - len(texts)
}
