package pdf

import "slices"

// maxInterleaved bounds the pairs of words that are compared on one page.
const maxInterleaved = 20_000_000

// interleave returns the items with the added ones among them, each where somebody
// would read it: behind what is left of it in its line, or else before what is
// right of it, or else below the line above it.
func interleave(items, added []item) []item {
	if len(items) == 0 || len(added)*(len(items)+len(added)) > maxInterleaved {
		return slices.Concat(items, added)
	}
	for _, a := range added {
		items = insert(items, a)
	}
	return items
}

// insert puts a among the items.
func insert(items []item, a item) []item {
	if !a.placed {
		return append(items, a)
	}
	left, right, above := neighbours(items, a)
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
	for at > 0 && at < len(items) && items[at].gap != "\n" { // the line is not torn
		at++
	}
	return slices.Insert(items, at, a)
}

// neighbours returns the indexes of the nearest item that begins left of a in its
// line, of the nearest one right of it, and of the last one of the line above it; -1
// where there is none.
func neighbours(items []item, a item) (left, right, above int) {
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

// middle is twice the height of the middle of an item.
func middle(it item) int { return it.place[1] + it.place[3] }

// sameLine reports whether the middle of one of the items is as high as the other
// item is.
func sameLine(a, b item) bool {
	in := func(it, o item) bool { return 2*o.place[1] <= middle(it) && middle(it) <= 2*o.place[3] }
	return in(a, b) || in(b, a)
}
