package pattern

import (
	"regexp/syntax"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// verdict is what an automaton knows about a text.
type verdict int

// The verdicts: the text has no match, it may have one, or it has one.
const (
	no verdict = iota
	maybe
	yes
)

// automaton decides whether a text can match. It is safe for concurrent use.
type automaton struct {
	prog *syntax.Prog
	// groups is the number of groups of the expression. The program can have fewer.
	groups  int
	classes *classes
	countdown
	// literals are strings. Each match contains at least one of them, and a search for them is
	// faster than the automaton. An expression that only matches at the beginning of the text has
	// none, because the automaton then stops early.
	literals []string
	// found is the verdict on a text that the automaton accepts: maybe if it accepts more
	// than the expression.
	found verdict
	// anchored means that a match can only begin at the beginning of the text.
	anchored bool
	// words, lines and begins mean that the expression asks for the boundaries of words or lines,
	// or for the beginning of the text.
	words, lines, begins bool
	// fresh is the end of the rows of states in which no match has begun.
	fresh uint32
	// ordered means that the automaton finds the end of a match; see newOrdered.
	ordered bool

	table atomic.Pointer[table]
	// resting is the number of texts, or parts of texts, that the automaton does not read
	// because texts needed too many states.
	resting atomic.Int32
	// mu guards the growth of the table, and the rest of the fields.
	mu sync.Mutex
	// beyond is the size of the states beyond usualSize.
	beyond int
	stack  []uint32
	// mark holds for each instruction the round in which it was reached last.
	mark  []uint32
	round uint32
}

// newAutomaton returns an automaton for a regular expression, nil if it has none: it
// matches every text, or distinguishes too many classes of characters. The automaton counts
// repetitions up to most.
func newAutomaton(expr string, most int) *automaton {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil // regexp reports it
	}
	a := &automaton{found: yes, groups: parsed.MaxCap()}
	if relax(parsed, most) {
		a.found = maybe
	}
	parsed = parsed.Simplify()
	if a.prog, err = syntax.Compile(parsed); err != nil {
		return nil
	}
	if a.classes = newClasses(a.prog); a.classes == nil {
		return nil
	}
	a.examine()
	a.countdown = newCountdown(a.prog, a.classes.setOf)
	if !a.anchored {
		a.literals = literals(parsed)
	}
	a.mark = make([]uint32, len(a.prog.Inst))
	t := a.newTable()
	if t == nil {
		return nil
	}
	a.table.Store(t)
	return a
}

// examine finds out which boundaries the expression asks for.
func (a *automaton) examine() {
	a.anchored = a.prog.StartCond()&syntax.EmptyBeginText != 0
	a.fresh = (reserved + uint32(len(freshBefore))) * a.classes.count
	for _, inst := range a.prog.Inst {
		if inst.Op == syntax.InstEmptyWidth {
			op := syntax.EmptyOp(inst.Arg)
			a.words = a.words || op&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
			a.lines = a.lines || op&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0
			a.begins = a.begins || op&syntax.EmptyBeginText != 0
		}
	}
}

// Values of a table that are not the place of a row.
const (
	unknown uint32 = iota // not computed yet
	matched
	dead // no match is possible any more
	lost // the table was full, and was replaced by an empty one
	reserved
)

// maxFiltered is the maximum length of a text that is searched for literals, in bytes. A caller
// that continues after each match would otherwise search the rest of a long text once for each
// match, which takes quadratic time.
const maxFiltered = 8 << 10

// search returns whether a match begins in s at a place or after it. No match begins before the
// place begin, which is the beginning of a character or the end of the text. If there is a match,
// one begins before the place end or at it.
func (a *automaton) search(s string, at int) (begin, end int, v verdict) {
	if a != nil && at == 0 && a.literals != nil && len(s) <= maxFiltered && !containsAny(s, a.literals) {
		return 0, 0, no
	}
	return a.read(s, at)
}

// read is search without literals.
func (a *automaton) read(s string, at int) (begin, end int, v verdict) {
	if a == nil || a.rests() {
		return at, len(s), maybe
	}
	begin = at
	t, row := a.table.Load(), a.first(s, at)
	// Every byte of a document passes here many times, so what stays the same is in variables.
	cells, classOf, fresh := t.next, &a.classes.bytes, a.fresh
	for i := at; i < len(s); {
		class := uint32(classOf[s[i]])
		if class == multibyte {
			r, size := utf8.DecodeRuneInString(s[i:])
			class = a.classes.of(r)
			i += size
		} else {
			i++
		}
		next := cells[row+class].Load()
		if next < reserved {
			if next == unknown {
				t, next = a.extend(t, row, class)
				cells = t.next
			}
			switch {
			case next == lost:
				return begin, len(s), maybe
			case next < reserved:
				return begin, i, a.judge(next)
			}
		}
		row = next
		if row < fresh {
			begin = i
		}
	}
	class := a.classes.end()
	next := cells[row+class].Load()
	if next == unknown {
		_, next = a.extend(t, row, class)
	}
	return begin, len(s), a.judge(next)
}

// rests reports whether the automaton does not read a text because texts needed too many states.
func (a *automaton) rests() bool { return a.resting.Load() > 0 && a.resting.Add(-1) >= 0 }

// first returns the row of the state in which a match can begin at a place of s.
func (a *automaton) first(s string, at int) uint32 {
	if at == 0 {
		return reserved * a.classes.count
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	return a.freshRow(a.kind(before))
}

func containsAny(s string, texts []string) bool {
	for _, text := range texts {
		if strings.Contains(s, text) {
			return true
		}
	}
	return false
}

// lookBehind returns the number of bytes before a place of s that decide whether a match can
// begin there: those of one character, or none.
func (a *automaton) lookBehind(s string, at int) int {
	if at == 0 || !a.words && !a.lines && !a.begins {
		return 0
	}
	_, size := utf8.DecodeLastRuneInString(s[:at])
	return size
}

// judge returns the verdict for a value that is not the place of a row.
func (a *automaton) judge(value uint32) verdict {
	switch value {
	case matched:
		return a.found
	case lost:
		return maybe
	}
	return no
}
