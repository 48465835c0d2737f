package align

import "slices"

// interval is a half-open range of words.
type interval struct{ from, to int }

func (i interval) len() int { return i.to - i.from }

const (
	// maxDepth is the maximum depth of recursion between anchors.
	maxDepth = 24
	// gram is the longest run of words used as an anchor.
	gram = 4
	// small is the number of characters up to which ranges are compared without anchors.
	small = 400
	// runSteps is the cost of looking up a run of words, in steps.
	runSteps = 16
)

// anchor is a pair of equal words.
type anchor struct{ a, b int }

// gap matches the words of a with those of b, in order.
func (m *matcher) gap(a, b interval, depth int) {
	a, b = m.trim(a, b)
	if a.len() == 0 || b.len() == 0 {
		return
	}
	if m.chars(a, b) <= small || depth == maxDepth {
		m.diff(a, b)
		return
	}
	for n := gram; n > 0; n /= 2 {
		if m.left -= runSteps * (a.len() + b.len()); m.left < 0 {
			return
		}
		anchors := m.anchors(a, b, n)
		if len(anchors) == 0 {
			continue
		}
		m.between(a, b, m.grown(a, b, anchors, n), depth)
		return
	}
	m.diff(a, b)
}

// trim matches equal words at both ends, and returns what remains.
func (m *matcher) trim(a, b interval) (interval, interval) {
	for a.len() > 0 && b.len() > 0 && m.equal(a.from, b.from) {
		m.pair(a.from, b.from)
		a.from, b.from = a.from+1, b.from+1
	}
	for a.len() > 0 && b.len() > 0 && m.equal(a.to-1, b.to-1) {
		m.pair(a.to-1, b.to-1)
		a.to, b.to = a.to-1, b.to-1
	}
	return a, b
}

// equal reports whether two words have the same characters.
func (m *matcher) equal(a, b int) bool {
	return m.doc.words[a].id == m.pages.words[b].id && m.doc.words[a].id != 0
}

// pair matches two equal words.
func (m *matcher) pair(a, b int) {
	from, to := &m.doc.words[a], &m.pages.words[b]
	for i := range from.to - from.from {
		m.match[from.from+i] = int32(to.from + i)
	}
}

// chars returns the number of characters in both ranges.
func (m *matcher) chars(a, b interval) int {
	return m.doc.words[a.to-1].to - m.doc.words[a.from].from + m.pages.words[b.to-1].to - m.pages.words[b.from].from
}

// run is a run of words, by their ids.
type run [gram]int32

// runAt returns the run of n words at i, false if it would extend past to.
func runAt(words []token, i, n int, to int) (run, bool) {
	var r run
	if i+n > to {
		return r, false
	}
	for k := range n {
		r[k] = words[i+k].id
	}
	return r, r[0] != 0
}

// seen is where and how often a run of words occurs in each text.
type seen struct{ a, b, countA, countB int }

// anchors returns the runs of n words that occur once in a and once in b, in an order
// that is the same in both.
func (m *matcher) anchors(a, b interval, n int) []anchor {
	all := map[run]seen{}
	for i := a.from; i < a.to; i++ {
		if r, ok := runAt(m.doc.words, i, n, a.to); ok {
			s := all[r]
			s.a, s.countA = i, s.countA+1
			all[r] = s
		}
	}
	for i := b.from; i < b.to; i++ {
		if r, ok := runAt(m.pages.words, i, n, b.to); ok {
			if s, ok := all[r]; ok {
				s.b, s.countB = i, s.countB+1
				all[r] = s
			}
		}
	}
	var unique []anchor
	for i := a.from; i < a.to; i++ {
		if r, ok := runAt(m.doc.words, i, n, a.to); ok && all[r].countA == 1 && all[r].countB == 1 {
			unique = append(unique, anchor{i, all[r].b})
		}
	}
	return increasing(unique)
}

// increasing returns the longest subsequence of the anchors, which are in the order of a,
// that is also in the order of b (patience sorting).
func increasing(all []anchor) []anchor {
	tails, before := []int{}, make([]int, len(all))
	for i, at := range all {
		pile, _ := slices.BinarySearchFunc(tails, at.b, func(t, b int) int { return all[t].b - b })
		before[i] = none
		if pile > 0 {
			before[i] = tails[pile-1]
		}
		if pile == len(tails) {
			tails = append(tails, i)
		} else {
			tails[pile] = i
		}
	}
	out := make([]anchor, len(tails))
	if len(tails) == 0 {
		return out
	}
	for i, k := len(out)-1, tails[len(tails)-1]; i >= 0; i, k = i-1, before[k] {
		out[i] = all[k]
	}
	return out
}

// grown returns the pairs of words in the anchors, which are runs of n words, and in the
// equal words that follow each anchor.
func (m *matcher) grown(a, b interval, anchors []anchor, n int) []anchor {
	var pairs []anchor
	last := anchor{a.from - 1, b.from - 1}
	for i, at := range anchors {
		limit := anchor{a.to, b.to}
		if i+1 < len(anchors) {
			limit = anchors[i+1]
		}
		for k := 0; at.a+k < a.to && at.b+k < b.to; k++ {
			next := anchor{at.a + k, at.b + k}
			if k >= n && (next.a >= limit.a || next.b >= limit.b || !m.equal(next.a, next.b)) {
				break
			}
			if next.a > last.a && next.b > last.b {
				pairs = append(pairs, next)
				last = next
			}
		}
	}
	return pairs
}

// between matches the pairs, and the words between them.
func (m *matcher) between(a, b interval, pairs []anchor, depth int) {
	for _, at := range pairs {
		m.pair(at.a, at.b)
		m.gap(interval{a.from, at.a}, interval{b.from, at.b}, depth+1)
		a.from, b.from = at.a+1, at.b+1
	}
	m.gap(a, b, depth+1)
}
