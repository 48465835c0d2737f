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
