package pattern

import (
	"regexp/syntax"
	"slices"
)

// countdown knows the instructions of a program that count the same repetition. "x{0,3}" becomes
// "(?:x(?:x(?:x)?)?)?", and what the program matches from the first "x" on includes all that it
// matches from the second on. A state therefore keeps only the first of these, so "a.{0,80}b" has
// about 80 states. Otherwise it would have one for every set of distances to an "a".
type countdown struct {
	// series holds for each instruction the number of its repetition, 0 for none, left how many
	// instructions of the repetition follow it, and exit what follows the repetition.
	series, left, exit []uint32
	// most holds for each series one more than the most that is left of it, while a state is
	// built. It is 0 in between.
	most []uint32
}

// newCountdown finds the repetitions of a program. sets holds the set of characters of each
// instruction that reads one.
func newCountdown(prog *syntax.Prog, sets []uint32) countdown {
	n := len(prog.Inst)
	c := countdown{make([]uint32, n), make([]uint32, n), make([]uint32, n), []uint32{0}}
	seen := make([]bool, n)
	for pc := range prog.Inst {
		c.number(prog, sets, seen, uint32(pc))
	}
	return c
}

// number numbers an instruction and those that follow it in a repetition.
func (c *countdown) number(prog *syntax.Prog, sets []uint32, seen []bool, pc uint32) {
	if seen[pc] {
		return
	}
	seen[pc] = true
	next, exit, ok := following(prog, sets, pc)
	if !ok {
		return
	}
	c.number(prog, sets, seen, next)
	if prog.Inst[next].Out != exit && (c.left[next] == 0 || c.exit[next] != exit) {
		return
	}
	if c.series[next] == 0 {
		c.series[next] = uint32(len(c.most))
		c.most = append(c.most, 0)
	}
	c.series[pc], c.left[pc], c.exit[pc] = c.series[next], c.left[next]+1, exit
}

// following returns the instruction that reads the same characters and may follow, and what
// follows instead. It reports false if there is none.
func following(prog *syntax.Prog, sets []uint32, pc uint32) (next, exit uint32, ok bool) {
	inst := &prog.Inst[pc]
	if !readsRune(inst) {
		return 0, 0, false
	}
	fork := &prog.Inst[inst.Out]
	if fork.Op != syntax.InstAlt && fork.Op != syntax.InstAltMatch {
		return 0, 0, false
	}
	next, exit = fork.Out, fork.Arg
	if !readsRune(&prog.Inst[next]) || sets[next] != sets[pc] {
		next, exit = exit, next // the shortest match is preferred
	}
	return next, exit, next != pc && readsRune(&prog.Inst[next]) && sets[next] == sets[pc]
}

// prune removes the instructions of a state from which the program matches nothing that it does
// not match from others.
func (c *countdown) prune(pending []uint32) []uint32 {
	for _, pc := range pending {
		if s := c.series[pc]; s != 0 {
			c.most[s] = max(c.most[s], c.left[pc]+1)
		}
	}
	kept := slices.DeleteFunc(pending, func(pc uint32) bool { return c.series[pc] != 0 && c.left[pc]+1 < c.most[c.series[pc]] })
	for _, pc := range kept {
		c.most[c.series[pc]] = 0
	}
	return kept
}
