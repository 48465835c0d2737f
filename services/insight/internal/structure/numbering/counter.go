package numbering

import (
	"strconv"
	"strings"
)

// Counter tracks the numbering of a document: the open series and their levels.
type Counter struct {
	// base is the level of the heading above all of them.
	base int
	open []counted
}

// counted is the last number of a series.
type counted struct {
	reading
	level int
}

// rank returns the depth of a series by its form, 0 if the depth depends on where the
// series occurs.
func rank(s series) int {
	switch {
	case s == partSeries:
		return 1
	case s == articleSeries:
		return 2
	case s == sectionSeries:
		return 3
	case strings.HasPrefix(string(s), string(decimalSeries)):
		return 2 + int(s[len(decimalSeries)]-'0')
	}
	return 0
}

// find returns the index of an open series, -1 if it is not open.
func (n *Counter) find(s series) int {
	for i := len(n.open) - 1; i >= 0; i-- {
		if n.open[i].series == s {
			return i
		}
	}
	return -1
}

// follows reports whether a reading continues an open series. One number may be missing, as
// when a clause was left out.
func (n *Counter) follows(r reading) bool {
	i := n.find(r.series)
	return i >= 0 && r.prefix == n.open[i].prefix && (r.value == n.open[i].value+1 || r.value == n.open[i].value+2)
}

// starts reports whether a reading begins a series, below the number in its prefix if any.
func (n *Counter) starts(r reading) bool {
	if r.value > 1 {
		return false
	}
	above := max(n.find(decimalSeries+"1"), n.find(sectionSeries))
	if r.prefix == "" || strings.Contains(r.prefix, ".") || above < 0 {
		return true
	}
	value, _ := strconv.Atoi(r.prefix)
	return value == n.open[above].value || value == n.open[above].value+1
}

// choose returns the reading that fits best after the previous numbers, and whether it fits
// at all.
func (n *Counter) choose(e Enumerator) (reading, bool) {
	for _, fits := range []func(reading) bool{n.next, n.follows, n.startsRoman, n.starts} {
		for _, r := range e.readings {
			if fits(r) {
				return r, true
			}
		}
	}
	return e.readings[0], false
}

// next reports whether a reading is the direct successor in an open series.
func (n *Counter) next(r reading) bool {
	i := n.find(r.series)
	return i >= 0 && r.prefix == n.open[i].prefix && r.value == n.open[i].value+1
}

// Succeeds reports whether a number is the direct successor in an open series.
func (n *Counter) Succeeds(e Enumerator) bool {
	r, _ := n.choose(e)
	return n.next(r)
}

// startsRoman reports whether a reading begins a Roman series: "(i)" does, except after
// "(h)".
func (n *Counter) startsRoman(r reading) bool {
	return r.value == 1 && strings.ContainsAny(string(r.series), "iI") && rank(r.series) == 0
}

// Expects reports whether a number is the next of an open series, or the first of a deeper
// one.
func (n *Counter) Expects(e Enumerator) bool {
	r, ok := n.choose(e)
	return ok && (n.next(r) || n.starts(r))
}

// Continues reports whether a number continues an open series that is ranked by its form.
// One number may be missing.
func (n *Counter) Continues(e Enumerator) bool {
	r, _ := n.choose(e)
	return rank(r.series) > 0 && n.follows(r)
}

// Count counts a number, and returns its level from 1. It reports false, and changes
// nothing, if the number is not plausible here.
func (n *Counter) Count(e Enumerator) (level int, ok bool) {
	r, fits := n.choose(e)
	if e.Weak && !fits {
		return 0, false
	}
	n.closeFor(r.series)
	if i := n.find(r.series); i >= 0 {
		n.open = n.open[:i+1]
		n.open[i].reading = r
		return n.open[i].level, true
	}
	level = n.base + len(n.open) + 1
	n.open = append(n.open, counted{r, level})
	return level, true
}

// closeFor closes the series that a number of s ends: if s is ranked and not open, all
// series that are not above it. Capital letters may be above, as in "I. A. 1. (a)".
func (n *Counter) closeFor(s series) {
	own := rank(s)
	if own == 0 || n.find(s) >= 0 {
		return
	}
	capital := true
	for i, c := range n.open {
		capital = capital && (c.series == "A." || c.series == "I.")
		if rank(c.series) > own || rank(c.series) == 0 && !capital {
			n.open = n.open[:i]
			return
		}
	}
}

// Restart forgets all numbers, after a heading of the given level.
func (n *Counter) Restart(level int) {
	n.base, n.open = level, n.open[:0]
}

// HeadingLevel returns the level of a heading without a number. A whole heading, which is on
// a separate line, is below its article, and closes the other open series. A run-in heading
// is below all open series.
func (n *Counter) HeadingLevel(whole bool) int {
	if !whole {
		return n.base + len(n.open) + 1
	}
	for i, c := range n.open {
		if c.series != articleSeries && c.series != partSeries {
			n.open = n.open[:i]
			break
		}
	}
	return n.base + len(n.open) + 1
}
