package reading

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Visual returns the items with the words of each line from left to right.
//
// Programs may draw the words of a line in another order, which PDFium keeps. LibreOffice, for
// example, draws the characters that the font of a line lacks, such as boxes to tick, after
// the rest of the line. A line stays as it is if words run to the left, as in Arabic, if words
// are not side by side, or if a position is unknown.
func Visual(items []Item) []Item {
	ordered := make([]Item, 0, len(items))
	for start := 0; start < len(items); {
		end := start + 1
		for end < len(items) && items[end].Gap != "\n" {
			end++
		}
		ordered = append(ordered, visual(items[start:end])...)
		start = end
	}
	return ordered
}

// visual returns the items of a line from left to right.
func visual(line []Item) []Item {
	if !mixed(line) {
		return line
	}
	order := make([]int, len(line))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(line[a].Place[0], line[b].Place[0]) })
	sorted := make([]Item, 0, len(line))
	for n, i := range order {
		it := line[i]
		if n == 0 {
			it.Gap = line[0].Gap
			sorted = append(sorted, it)
			continue
		}
		before := line[order[n-1]]
		distance, wide := it.Place[0]-before.Place[2], min(character(before), character(it))
		switch last := &sorted[len(sorted)-1]; {
		case distance < -wide/2:
			return line // one is over the other
		case order[n-1] == i-1:
			sorted = append(sorted, it)
		case distance < wide/5: // they are one word
			last.Text += it.Text
			last.Place = union(last.Place, it.Place)
		default:
			it.Gap = " "
			sorted = append(sorted, it)
		}
	}
	return sorted
}

// mixed reports whether a word of a line is to the left of the one before, although the words
// run to the right.
func mixed(line []Item) bool {
	back, right := false, false
	for i, it := range line {
		if !it.Placed || it.Turn < 0 || !sameLine(it, line[0]) {
			return false
		}
		back = back || i > 0 && it.Place[0] < line[i-1].Place[0]
		right = right || it.Turn > 0
	}
	return back && right
}

// character returns the average width of the characters of an item.
func character(it Item) int {
	return (it.Place[2] - it.Place[0]) / max(utf8.RuneCountInString(it.Text), 1)
}

// union returns the smallest place that contains both.
func union(a, b [4]int) [4]int {
	return [4]int{min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])}
}
