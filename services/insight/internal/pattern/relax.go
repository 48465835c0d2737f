package pattern

import "regexp/syntax"

// maxCount is the maximum number of repetitions that the first automaton of a pattern counts. Each
// count would multiply its states, and most texts do not match whatever it counts.
const maxCount = 3

// relax changes an expression so that it can be matched without counting further than most:
// "x{2,40}" becomes "x{2,}". Every text that matches the expression still matches. It reports
// whether it changed anything.
func relax(e *syntax.Regexp, most int) bool {
	changed := false
	for _, sub := range e.Sub {
		changed = relax(sub, most) || changed
	}
	if e.Op != syntax.OpRepeat || e.Min <= most && e.Max <= most {
		return changed
	}
	e.Min, e.Max = min(e.Min, most), -1
	return true
}
