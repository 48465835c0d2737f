package pattern

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bounds are what limits a choice of literals.
type bounds struct {
	// literals is the maximum number of literals, and most the maximum number of words from which
	// they are chosen.
	literals, most int
	// shortest is the minimum length of a literal in bytes.
	shortest int
}

var (
	// ofOne are the bounds for the literals of one expression. A search for more takes as long as the
	// automaton, and most texts contain shorter ones.
	ofOne = bounds{literals: 6, most: 16, shortest: 3}
	// ofSet are the bounds for those of a Set, which finds all of them in one pass.
	ofSet = bounds{literals: 64, most: 64, shortest: 1}
)

// enough is the length from which a longer literal is hardly rarer.
const enough = 6

// literals returns strings such that each match of a simplified expression contains at least one
// of them. It returns nil if it finds no useful ones.
func literals(e *syntax.Regexp) []string { return best(ofOne.needs(e)) }

// needs returns lists of literals. Each match of a simplified expression contains at least one of
// each list. See Russ Cox, "Regular Expression Matching with a Trigram Index".
func (b bounds) needs(e *syntax.Regexp) (all [][]string) {
	if own := b.usable(b.words(e)); own != nil {
		all = append(all, own)
	}
	switch e.Op {
	case syntax.OpCapture, syntax.OpPlus:
		all = append(all, b.needs(e.Sub[0])...)
	case syntax.OpConcat:
		all = append(all, b.ofParts(e.Sub)...)
	case syntax.OpAlternate:
		var either []string
		for _, sub := range e.Sub {
			one := best(b.needs(sub))
			if one == nil {
				return all
			}
			either = append(either, one...)
		}
		if either = b.usable(either); either != nil {
			all = append(all, either)
		}
	}
	return all
}

// ofParts returns the lists of a concatenation: those of each part, and those of several parts in a
// row that match few words.
func (b bounds) ofParts(parts []*syntax.Regexp) (all [][]string) {
	row := []string{""}
	end := func() {
		if list := b.usable(row); list != nil {
			all = append(all, list)
		}
	}
	for _, part := range parts {
		all = append(all, b.needs(part)...)
		of := b.words(part)
		longer := b.joined(row, of)
		if longer == nil {
			end()
			longer = of
		}
		if row = longer; row == nil {
			row = []string{""}
		}
	}
	end()
	return all
}

// words returns all texts that an expression matches, without asking for boundaries, and nil
// if there are too many.
func (b bounds) words(e *syntax.Regexp) (all []string) {
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
				if len(all) == b.literals || !isItself(r, 0) {
					return nil
				}
				all = append(all, string(r))
			}
		}
	case syntax.OpCapture:
		return b.words(e.Sub[0])
	case syntax.OpQuest:
		if one := b.words(e.Sub[0]); one != nil {
			return append([]string{""}, one...)
		}
	case syntax.OpConcat:
		all = []string{""}
		for _, sub := range e.Sub {
			if all = b.joined(all, b.words(sub)); all == nil {
				return nil
			}
		}
	case syntax.OpAlternate:
		for _, sub := range e.Sub {
			one := b.words(sub)
			if one == nil || len(all)+len(one) > b.most {
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
func (b bounds) joined(first, second []string) []string {
	if len(first)*len(second) > b.most {
		return nil
	}
	var all []string
	for _, begin := range first {
		for _, end := range second {
			all = append(all, begin+end)
		}
	}
	return all
}

// usable returns the texts without those that contain another one. It returns nil if there are
// too many, or one is too short.
func (b bounds) usable(texts []string) []string {
	var kept []string
	for i, text := range texts {
		if len(text) < b.shortest {
			return nil
		}
		if !slices.ContainsFunc(texts, func(other string) bool { return other != text && strings.Contains(text, other) }) &&
			!slices.Contains(texts[:i], text) {
			kept = append(kept, text)
		}
	}
	if len(kept) > b.literals {
		return nil
	}
	return kept
}

// best returns the literals that are likely to reject most texts in the least time: the fewest and
// the longest ones. It returns nil if there are no lists.
func best(lists [][]string) (best []string) {
	for _, list := range lists {
		if best == nil || rank(list) > rank(best) {
			best = list
		}
	}
	return best
}

// rank returns how useful literals are. One byte more in the shortest makes up for two more
// literals.
func rank(texts []string) int {
	shortest := enough
	for _, text := range texts {
		shortest = min(shortest, len(text))
	}
	return 2*shortest - len(texts)
}
