package pdffields

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/fields/detect"
)

// maxJoined is the maximum number of lines over which a bracket extends.
const maxJoined = 4

// joinWrapped joins lines if a bracket that is opened in the first one is closed in one of
// the next, so that prompts that wrap are found, and if a box is in the first one and its
// option in the next.
func joinWrapped(lines []line) []line {
	out := lines[:0]
	for i := 0; i < len(lines); {
		n := 1
		switch {
		case open(lines[i].Text):
			n = closing(lines[i:])
		case i+1 < len(lines) && lines[i].parted(&lines[i+1]):
			n = 2
		}
		whole := lines[i]
		for _, next := range lines[i+1 : i+n] {
			whole = whole.join(next)
		}
		out = append(out, whole)
		i += n
	}
	return out
}

// open reports whether the last square bracket of a text is an opening one.
func open(text string) bool {
	return strings.LastIndexByte(text, '[') > strings.LastIndexByte(text, ']')
}

// closing returns how many lines are to be joined for the bracket of the first to be closed,
// or 1 if it is not.
func closing(lines []line) int {
	for n := 1; n < min(len(lines), maxJoined) && lines[n].page == lines[0].page; n++ {
		opening, end := strings.IndexByte(lines[n].Text, '['), strings.IndexByte(lines[n].Text, ']')
		switch {
		case end >= 0 && (opening < 0 || end < opening):
			return n + 1
		case opening >= 0:
			return 1
		}
	}
	return 1
}

// join returns the line followed by the next.
func (l line) join(next line) line {
	shift := len(l.Text) + 1
	l.Text += " " + next.Text
	for _, m := range next.Marks {
		l.Marks = append(l.Marks, detect.Mark{Start: m.Start + shift, End: m.End + shift, Look: m.Look})
	}
	for _, p := range next.pieces {
		p.Start, p.End = p.Start+shift, p.End+shift
		l.pieces = append(l.pieces, p)
	}
	return l
}

// parted reports whether the line ends with a box whose option is in the next line: other
// boxes of the line come before their options, and the next line begins right below the
// beginning of the text or of its column.
func (l *line) parted(next *line) bool {
	last := len(l.pieces) - 1
	first := slices.IndexFunc(l.pieces, l.isBox)
	if first < 0 || first == last || !l.isBox(l.pieces[last]) || next.page != l.page || next.isBox(next.pieces[0]) {
		return false
	}
	start := first
	for start > 0 && !strings.Contains(l.Text[l.pieces[start-1].End:l.pieces[start].Start], "\t") {
		start--
	}
	before := strings.TrimSpace(l.Text[l.pieces[start].Start:l.pieces[first].Start])
	if before != "" && !strings.HasSuffix(before, ":") && !strings.HasSuffix(before, "?") {
		return false // the boxes come after their options
	}
	below := next.pieces[0]
	return math.Abs(below.box.Left-l.pieces[start].box.Left) < touching && below.box.Top > l.pieces[last].box.Top &&
		below.box.Top-l.pieces[last].box.Bottom < below.size/2
}

// isBox reports whether a piece is a box to tick.
func (l *line) isBox(p piece) bool {
	text := l.Text[p.Start:p.End]
	return p.kind == boxPiece || utf8.RuneCountInString(text) == 1 && detect.BeginsWithBox(text)
}
