package pattern

import "regexp/syntax"

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
