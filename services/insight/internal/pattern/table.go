package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync/atomic"
)

// The bounds of the states of an automaton and of their rows, in words of 4 bytes. States that
// would be larger are replaced by none, so that hostile texts cannot fill the memory. The few
// automata that need more than usualSize share maxSurplus.
const (
	usualSize  = 1 << 15
	maxSize    = 1 << 18
	maxSurplus = 1 << 22
)

// surplus is the size of the states of all automata beyond usualSize.
var surplus atomic.Int64

// rest is the number of texts that an automaton does not read after its states were
// replaced. A state costs much more than reading a character, so texts that always need new
// ones are faster without.
const rest = 256

// stateSize is the size of a state in the same words, without its row and its instructions.
const stateSize = 32

// table holds the transitions of an automaton: for each state a row, and in it for each
// class the place of the row of the next state, or one of the reserved values. A larger
// table shares the states of the smaller one that it replaces.
type table struct {
	next   []atomic.Uint32
	states *states
}

// freshBefore holds, for each state in which no match has begun, the previous character. Their
// rows are the first. A match that has begun is in another state, even if the same
// instructions can be next.
var freshBefore = [...]rune{-1, ' ', 'a', '\n'}

// states holds the states of an automaton.
type states struct {
	rows map[string]uint32
	// list holds the states in the order of their rows, from row reserved on.
	list []state
	// size is the size of the states and of their rows, as in usualSize.
	size int
}

// state is a set of instructions that can be next.
type state struct {
	// pending are instructions that read a character or ask for a boundary; see also settle.
	pending []uint32
	// before stands for the previous character: -1 at the beginning of the text, "\n",
	// "a" for any character of a word, or a space.
	before rune
}

// newTable returns a table with the states in which no match has begun, nil if the first of
// them matches already.
func (a *automaton) newTable() *table {
	t := &table{make([]atomic.Uint32, 16*a.classes.count), &states{rows: map[string]uint32{}}}
	pending, ok := a.reach([]uint32{uint32(a.prog.Start)})
	if ok && !a.ordered {
		return nil
	}
	for _, before := range freshBefore {
		t.states.list = append(t.states.list, state{pending, before})
		t.states.size += stateSize + int(a.classes.count)
	}
	return t
}

// row returns the row of a state, and adds it if it is new.
func (t *table) row(a *automaton, s state) uint32 {
	key := binary.AppendVarint(nil, int64(s.before))
	for _, pc := range s.pending {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	row, ok := t.states.rows[string(key)]
	if !ok {
		row = (reserved + uint32(len(t.states.list))) * a.classes.count
		t.states.rows[string(key)] = row
		t.states.list = append(t.states.list, s)
		t.states.size += stateSize + int(a.classes.count) + 2*len(s.pending)
	}
	return row
}

// extend computes a transition that is unknown in t. It returns the current table, with
// which the search continues.
func (a *automaton) extend(t *table, row, class uint32) (*table, uint32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.table.Load()
	if now.states != t.states {
		return now, lost
	}
	if next := now.next[row+class].Load(); next != unknown {
		return now, next
	}
	s, step := now.states.list[row/a.classes.count-reserved], a.step
	if a.ordered {
		step = a.stepOrdered
	}
	next := step(now, s, class)
	if !a.allows(now.states.size) {
		now = a.newTable()
		a.allows(now.states.size)
		a.table.Store(now)
		a.resting.Store(rest)
		return now, lost
	}
	if int(next&^ends+a.classes.count) > len(now.next) {
		now = now.grown()
		a.table.Store(now)
	}
	now.next[row+class].Store(next)
	return now, next
}

// allows reports whether the states may have a size, and counts what it has beyond usualSize.
func (a *automaton) allows(size int) bool {
	beyond := max(0, size-usualSize)
	all := surplus.Add(int64(beyond - a.beyond))
	a.beyond = beyond
	return beyond == 0 || size <= maxSize && all <= maxSurplus
}

// grown returns a larger table with the same content.
func (t *table) grown() *table {
	next := make([]atomic.Uint32, 2*len(t.next))
	for i := range t.next {
		next[i].Store(t.next[i].Load())
	}
	return &table{next, t.states}
}

// step returns the value for what follows a state on a character of a class.
func (a *automaton) step(t *table, s state, class uint32) uint32 {
	sample := a.classes.samples[class]
	pending, ok := a.pass(s.pending, syntax.EmptyOpContext(s.before, sample))
	if ok {
		return matched
	}
	after := a.follow(pending, class)
	began := len(after) > 0
	if !a.anchored {
		after = append(after, uint32(a.prog.Start))
	}
	if after, ok = a.reach(after); ok {
		return matched
	}
	if len(after) == 0 || sample < 0 {
		return dead
	}
	before := a.kind(sample)
	if !began {
		return a.freshRow(before)
	}
	return t.row(a, state{after, before})
}

// follow returns the instructions after those of a list that read a character of a class.
func (a *automaton) follow(pending []uint32, class uint32) (after []uint32) {
	for _, pc := range pending {
		if inst := &a.prog.Inst[pc]; readsRune(inst) && a.classes.members[a.classes.setOf[pc]][class] {
			after = append(after, inst.Out)
		}
	}
	return after
}

// freshRow returns the row of the state in which no match has begun after a character, which
// stands for others as in a state.
func (a *automaton) freshRow(before rune) uint32 {
	return (reserved + uint32(slices.Index(freshBefore[:], before))) * a.classes.count
}

// kind returns the character that stands for r in a state.
func (a *automaton) kind(r rune) rune {
	switch {
	case a.words && syntax.IsWordChar(r):
		return 'a'
	case a.lines && r == '\n':
		return r
	}
	return ' '
}

// reach returns the instructions that can be next after those of a list, without asking
// for a boundary. It reports true if one of them is the end of the expression.
func (a *automaton) reach(list []uint32) ([]uint32, bool) {
	pending, ok := a.pass(list, 0)
	if a.ordered {
		return a.settle(list, pending, ok), ok
	}
	pending = a.prune(pending)
	slices.Sort(pending)
	return pending, ok
}

// pass is like reach where the conditions of boundaries hold. The instructions that it returns are
// in the order in which the expression prefers them, and end with the end of the expression.
func (a *automaton) pass(list []uint32, holds syntax.EmptyOp) (pending []uint32, ok bool) {
	a.round++
	a.stack = append(a.stack[:0], list...)
	slices.Reverse(a.stack)
	for len(a.stack) > 0 {
		pc := a.stack[len(a.stack)-1]
		a.stack = a.stack[:len(a.stack)-1]
		if a.mark[pc] == a.round {
			continue
		}
		a.mark[pc] = a.round
		switch inst := &a.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			a.stack = append(a.stack, inst.Arg, inst.Out)
		case syntax.InstCapture, syntax.InstNop:
			a.stack = append(a.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds == 0 {
				a.stack = append(a.stack, inst.Out)
				continue
			}
			pending = append(pending, pc)
		case syntax.InstMatch:
			return append(pending, pc), true
		case syntax.InstFail:
		default:
			pending = append(pending, pc)
		}
	}
	return pending, false
}
