package pattern

import (
	"regexp/syntax"
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
	prog    *syntax.Prog
	classes *classes
	// found is the verdict on a text that the automaton accepts: maybe if it accepts more
	// than the expression.
	found verdict
	// anchored means that a match can only begin at the beginning of the text.
	anchored bool
	// words and lines mean that the expression asks for the boundaries of either.
	words, lines bool

	table atomic.Pointer[table]
	// resting is the number of texts that the automaton does not read because texts needed
	// too many states.
	resting atomic.Int32
	// mu guards the growth of the table, and the rest of the fields.
	mu    sync.Mutex
	stack []uint32
	// mark holds for each instruction the round in which it was reached last.
	mark  []uint32
	round uint32
}

// newAutomaton returns an automaton for a regular expression, nil if it has none: it
// matches every text, or distinguishes too many classes of characters.
func newAutomaton(expr string) *automaton {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil // regexp reports it
	}
	a := &automaton{found: yes}
	if relax(parsed) {
		a.found = maybe
	}
	if a.prog, err = syntax.Compile(parsed.Simplify()); err != nil {
		return nil
	}
	a.examine()
	if a.classes = newClasses(a.prog); a.classes == nil {
		return nil
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
	for _, inst := range a.prog.Inst {
		if inst.Op == syntax.InstEmptyWidth {
			op := syntax.EmptyOp(inst.Arg)
			a.words = a.words || op&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
			a.lines = a.lines || op&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0
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

// search reads a text.
func (a *automaton) search(s string) verdict {
	if a == nil || a.resting.Load() > 0 && a.resting.Add(-1) >= 0 {
		return maybe
	}
	t := a.table.Load()
	row := reserved * a.classes.count
	for i := 0; i < len(s); {
		class := uint32(a.classes.bytes[s[i]])
		if class == multibyte {
			r, size := utf8.DecodeRuneInString(s[i:])
			class = a.classes.of(r)
			i += size
		} else {
			i++
		}
		next := t.next[row+class].Load()
		if next < reserved {
			if next == unknown {
				t, next = a.extend(t, row, class)
			}
			if next < reserved {
				return a.judge(next)
			}
		}
		row = next
	}
	class := a.classes.end()
	next := t.next[row+class].Load()
	if next == unknown {
		_, next = a.extend(t, row, class)
	}
	return a.judge(next)
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
