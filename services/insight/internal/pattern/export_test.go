package pattern

import (
	"regexp"
	"regexp/syntax"
)

// Literals returns the literals of an expression.
func Literals(expr string) ([]string, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return literals(parsed.Simplify()), nil
}

// MaxSurplus is what all automata may have beyond their usual size.
const MaxSurplus = maxSurplus

// Surplus returns what all automata have beyond their usual size.
func Surplus() int64 { return surplus.Load() }

// States returns how many states a pattern has that counts as its expression does.
func (p *Regexp) States() int { return len(p.exact().table.Load().states.list) }

// Overflowed reports which automata of a pattern had too many states for the latest texts: the one
// that counts as its expression does, and the one that finds where a match ends.
func (p *Regexp) Overflowed() (exact, ordered bool) {
	exact = p.exact() != nil && p.exact().resting.Load() != 0
	return exact, p.ordered() != nil && p.ordered().resting.Load() != 0
}

// Alone makes a pattern panic where it would ask package regexp, and returns it.
func (p *Regexp) Alone() *Regexp {
	p.re = func() *regexp.Regexp { panic("pattern: package regexp was asked") }
	return p
}
