package pattern

import "regexp/syntax"

// maxCount is the maximum number of repetitions that an automaton counts. Each count
// would multiply its states.
const maxCount = 3

// relax changes an expression so that it can be matched without counting far: "x{2,40}"
// becomes "x{2,}". Every text that matches the expression still matches. It reports
// whether it changed anything.
func relax(e *syntax.Regexp) bool {
	changed := false
	for _, sub := range e.Sub {
		changed = relax(sub) || changed
	}
	if e.Op != syntax.OpRepeat || e.Min <= maxCount && e.Max <= maxCount {
		return changed
	}
	e.Min, e.Max = min(e.Min, maxCount), -1
	return true
}
