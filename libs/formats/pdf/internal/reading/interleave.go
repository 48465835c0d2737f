// Package reading puts the words of a page into reading order. It owns the order of words on
// a line. It leaves the order of lines, and of columns, to PDFium.
package reading

import "slices"

// Item is a word of a page, with the white space before it.
type Item struct {
	Gap, Text string
	// Place holds left, top, right and bottom on the displayed page, which increase to the
	// right and downwards. Placed is false if the position is unknown.
	Place  [4]int
	Placed bool
	// Turn is the direction in which the characters of the word follow each other: 1 to the
	// right, -1 to the left, and 0 if it is unknown or neither.
	Turn int
}

// maxInterleaved bounds the pairs of words that are compared on one page.
const maxInterleaved = 20_000_000

// Interleave inserts the added items in reading order: after the item to their left on
// the same line, or else before the item to their right, or else below the line above.
func Interleave(items, added []Item) []Item {
	if len(items) == 0 || len(added)*(len(items)+len(added)) > maxInterleaved {
		return slices.Concat(items, added)
	}
	for _, a := range added {
		items = insert(items, a)
	}
	return items
}

// insert inserts a into the items.
func insert(items []Item, a Item) []Item {
	if !a.Placed {
		return append(items, a)
	}
	left, right, above := neighbors(items, a)
	switch {
	case left >= 0:
		a.Gap = " "
		return slices.Insert(items, left+1, a)
	case right >= 0:
		a.Gap, items[right].Gap = items[right].Gap, " "
		return slices.Insert(items, right, a)
	}
	a.Gap = "\n"
	at := above + 1
	for at > 0 && at < len(items) && items[at].Gap != "\n" { // do not split the line
		at++
	}
	return slices.Insert(items, at, a)
}

// neighbors returns the indexes of the nearest item that begins to the left of a on its
// line, of the nearest item to its right, and of the last item of the line above. An
// index is -1 if there is no such item.
func neighbors(items []Item, a Item) (left, right, above int) {
	left, right, above = -1, -1, -1
	for i, it := range items {
		switch {
		case !it.Placed:
		case sameLine(it, a):
			if it.Place[0] <= a.Place[0] && (left < 0 || it.Place[0] >= items[left].Place[0]) {
				left = i
			}
			if it.Place[0] > a.Place[0] && (right < 0 || it.Place[0] < items[right].Place[0]) {
				right = i
			}
		case middle(it) < middle(a) && (above < 0 || middle(it) >= middle(items[above])):
			above = i
		}
	}
	return left, right, above
}

// middle returns twice the vertical center of an item.
func middle(it Item) int { return it.Place[1] + it.Place[3] }

// sameLine reports whether the vertical center of one of the items lies within the height
// of the other.
func sameLine(a, b Item) bool {
	in := func(it, o Item) bool { return 2*o.Place[1] <= middle(it) && middle(it) <= 2*o.Place[3] }
	return in(a, b) || in(b, a)
}
