package pattern

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// ends marks the value of a table for which a match ends before the character of its column.
const ends = 1 << 31

// newOrdered returns an automaton for the same expression that finds where a match that begins at
// a place ends, nil if a is nil. Its states are lists of instructions in the order in which the
// expression prefers them. What follows the end of the expression in a list is not in the state,
// because the match that ends there is preferred to what it would match.
func (a *automaton) newOrdered() *automaton {
	if a == nil {
		return nil
	}
	o := &automaton{
		prog: a.prog, groups: a.groups, classes: a.classes, ordered: true, found: yes,
		words: a.words, lines: a.lines, begins: a.begins, mark: make([]uint32, len(a.mark)),
	}
	o.table.Store(o.newTable())
	return o
}

// settle returns what an ordered state holds for a list of instructions, from which those that are
// pending can be reached without asking for a boundary. If none of these asks for one, it holds
// these. Otherwise it holds the list, because what an instruction repeats without reading a
// character is tried at its first place only, and a boundary can lead back to such a place.
func (a *automaton) settle(list, pending []uint32, matches bool) []uint32 {
	if !slices.ContainsFunc(pending, func(pc uint32) bool { return a.prog.Inst[pc].Op == syntax.InstEmptyWidth }) {
		return pending
	}
	var kept []uint32
	for _, pc := range list {
		if slices.Contains(kept, pc) {
			continue
		}
		kept = append(kept, pc)
		if matches {
			if _, ok := a.pass(kept, 0); ok {
				break // the rest is never preferred
			}
		}
	}
	return kept
}

// stepOrdered is step for an ordered automaton. Its values are dead and matched if no longer match
// is possible, as after the end of the text, and otherwise the place of a row, perhaps marked with
// ends.
func (a *automaton) stepOrdered(t *table, s state, class uint32) uint32 {
	sample := a.classes.samples[class]
	pending, ok := a.pass(s.pending, syntax.EmptyOpContext(s.before, sample))
	after, _ := a.reach(a.follow(pending, class))
	switch {
	case len(after) == 0 && ok:
		return matched
	case len(after) == 0:
		return dead
	case ok:
		return t.row(a, state{after, a.kind(sample)}) | ends
	}
	return t.row(a, state{after, a.kind(sample)})
}

// The effort to find the beginning of a match is bounded by patience times the number of bytes in
// which it begins, and leastEffort. More would be needed where many long parts of a text match the
// expression but for the end.
const (
	patience    = 16
	leastEffort = 1 << 10
)

// match returns the first match of s, if no match begins before the place from, and one begins at
// the place to or before it. It reports maybe if that takes too many states or too much effort.
func (a *automaton) match(s string, from, to int) (begin, end int, v verdict) {
	if a == nil || a.rests() {
		return 0, 0, maybe
	}
	effort := patience*(to-from) + leastEffort
	for begin = from; begin <= to; begin += width(s, begin) {
		end, last, ok := a.end(s, begin)
		switch effort -= last - begin; {
		case !ok || end < 0 && effort < 0:
			return 0, 0, maybe
		case end >= 0:
			return begin, end, yes
		}
	}
	return 0, 0, no
}

// width returns the number of bytes of the character at a place of s, 1 at its end.
func width(s string, at int) int {
	if at == len(s) || s[at] < utf8.RuneSelf {
		return 1
	}
	_, size := utf8.DecodeRuneInString(s[at:])
	return size
}

// end returns the end of the match that begins at a place of s, -1 for none, and the place up to
// which it has read s. It reports false if that takes too many states.
func (a *automaton) end(s string, begin int) (end, last int, ok bool) {
	end = -1
	t, row := a.table.Load(), a.first(s, begin)
	for at := begin; ; {
		class, size := a.classes.at(s, at)
		next := t.next[row+class].Load()
		if next == unknown {
			t, next = a.extend(t, row, class)
		}
		switch {
		case next == lost:
			return 0, at, false
		case next == dead:
			return end, at, true
		case next == matched:
			return at, at, true
		case next&ends != 0:
			end = at
		}
		row = next &^ ends
		at += size
	}
}
