package align

// maxEdits is the maximum number of edits between texts that are compared character by
// character. Text that differs more is looked up elsewhere. The search needs memory for
// maxEdits squared numbers.
const maxEdits = 1200

// diff matches as many characters of two ranges of words as possible.
func (m *matcher) diff(a, b interval) {
	e := &edits{
		a: m.doc.chars[m.doc.words[a.from].from:m.doc.words[a.to-1].to],
		b: m.pages.chars[m.pages.words[b.from].from:m.pages.words[b.to-1].to],

		left: m.left,
	}
	most := min(len(e.a)+len(e.b), maxEdits)
	if len(e.a) == 0 || len(e.b) == 0 {
		return
	}
	d, ok := e.search(most)
	m.left = e.left
	if !ok {
		return
	}
	offsetA, offsetB := m.doc.words[a.from].from, m.pages.words[b.from].from
	e.trace(d, func(x, y int) { m.match[offsetA+x] = int32(offsetB + y) })
}

// edits is the search for the fewest edits between two texts.
type edits struct {
	a, b []char
	// ends holds, for each number of edits d, how far each diagonal from -d to d got in
	// a.
	ends [][]int32
	// left is the number of remaining steps.
	left int
}

// search returns the number of edits between the texts, false if it exceeds most or takes
// too many steps.
func (e *edits) search(most int) (int, bool) {
	v := make([]int32, 2*most+3)
	mid := most + 1
	for d := 0; d <= most; d++ {
		for k := -d; k <= d; k += 2 {
			var x int32
			if k == -d || k != d && v[mid+k-1] < v[mid+k+1] {
				x = v[mid+k+1]
			} else {
				x = v[mid+k-1] + 1
			}
			v[mid+k] = e.slide(x, k)
			if e.left -= 1 + int(v[mid+k]-x); e.left < 0 {
				return d, false
			}
		}
		e.ends = append(e.ends, append([]int32(nil), v[mid-d:mid+d+1]...))
		if k := len(e.a) - len(e.b); k >= -d && k <= d && int(v[mid+k]) >= len(e.a) {
			return d, true
		}
	}
	return most, false
}

// slide follows diagonal k from x on while the texts are equal.
func (e *edits) slide(x int32, k int) int32 {
	y := int(x) - k
	for int(x) < len(e.a) && y >= 0 && y < len(e.b) && e.a[x].r == e.b[y].r {
		x++
		y++
	}
	return x
}

// end returns how far diagonal k got with d edits.
func (e *edits) end(d, k int) int32 {
	if k < -d || k > d {
		return -1
	}
	return e.ends[d][k+d]
}

// trace calls match for each pair of characters that d edits keep.
func (e *edits) trace(d int, match func(x, y int)) {
	x, y := len(e.a), len(e.b)
	for ; d > 0; d-- {
		k := x - y
		from := k - 1
		if k == -d || k != d && e.end(d-1, k-1) < e.end(d-1, k+1) {
			from = k + 1
		}
		fromX := int(e.end(d-1, from))
		fromY := fromX - from
		startX, startY := fromX+1, fromY
		if from == k+1 {
			startX, startY = fromX, fromY+1
		}
		for x > startX && y > startY {
			x, y = x-1, y-1
			match(x, y)
		}
		x, y = fromX, fromY
	}
	for x > 0 && y > 0 {
		x, y = x-1, y-1
		match(x, y)
	}
}
