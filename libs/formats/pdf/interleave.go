package pdf

import "slices"

// maxInterleaved bounds the pairs of words that are compared on one page.
const maxInterleaved = 20_000_000

// interleave inserts the added items in reading order: after the item to their left on
// the same line, or else before the item to their right, or else below the line above.
func interleave(items, added []item) []item {
	if len(items) == 0 || len(added)*(len(items)+len(added)) > maxInterleaved {
		return slices.Concat(items, added)
	}
	for _, a := range added {
		items = insert(items, a)
	}
	return items
}

// insert inserts a into the items.
func insert(items []item, a item) []item {
	if !a.placed {
		return append(items, a)
	}
	left, right, above := neighbors(items, a)
	switch {
	case left >= 0:
		a.gap = " "
		return slices.Insert(items, left+1, a)
	case right >= 0:
		a.gap, items[right].gap = items[right].gap, " "
		return slices.Insert(items, right, a)
	}
	a.gap = "\n"
	at := above + 1
	for at > 0 && at < len(items) && items[at].gap != "\n" { // do not split the line
		at++
	}
	return slices.Insert(items, at, a)
}

// neighbors returns the indexes of the nearest item that begins to the left of a on its
// line, of the nearest item to its right, and of the last item of the line above. An
// index is -1 if there is no such item.
func neighbors(items []item, a item) (left, right, above int) {
	left, right, above = -1, -1, -1
	for i, it := range items {
		switch {
		case !it.placed:
		case sameLine(it, a):
			if it.place[0] <= a.place[0] && (left < 0 || it.place[0] >= items[left].place[0]) {
				left = i
			}
			if it.place[0] > a.place[0] && (right < 0 || it.place[0] < items[right].place[0]) {
				right = i
			}
		case middle(it) < middle(a) && (above < 0 || middle(it) >= middle(items[above])):
			above = i
		}
	}
	return left, right, above
}

// middle returns twice the vertical center of an item.
func middle(it item) int { return it.place[1] + it.place[3] }

// sameLine reports whether the vertical center of one of the items lies within the height
// of the other.
func sameLine(a, b item) bool {
	in := func(it, o item) bool { return 2*o.place[1] <= middle(it) && middle(it) <= 2*o.place[3] }
	return in(a, b) || in(b, a)
}
