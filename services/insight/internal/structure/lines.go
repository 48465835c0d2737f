package structure

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// line is a line of a text, without the white space around it. Lines of white
// space alone are not kept.
type line struct {
	layout.Span
	// indent is how far in it begins: in columns, or in points.
	indent float64
	// width is from the beginning of the text line to the end, in the same unit.
	width float64
	// blanks is how many empty lines are before it.
	blanks int
	// page counts from 1, 0 for a text without pages.
	page int
	// box is where it stands, in points; it is zero where that is not known.
	box layout.Box
	// first is how wide its first word is, in points.
	first float64
	// feed tells that a form feed is before it.
	feed bool
	// margin tells that it repeats on pages and is none of the text.
	margin bool
	// counted tells that the number of a page after it goes on with the one in it.
	counted bool
}

// tabColumns is how far apart tab stops are taken to be.
const tabColumns = 8

// linesOf returns the lines of a plain text.
func linesOf(text string) []line {
	var lines []line
	blanks, feed := 0, false
	for start := 0; start < len(text); {
		end := start + lineEnd(text[start:])
		span := wording.Trimmed(text, layout.Span{Start: start, End: end})
		if span.Len() == 0 {
			blanks++
		} else {
			indent := columns(text[start:span.Start])
			lines = append(lines, line{
				Span: span, indent: indent, width: indent + columns(text[span.Start:span.End]), blanks: blanks, feed: feed,
			})
			blanks, feed = 0, false
		}
		if end < len(text) && text[end] == '\f' {
			feed = true
		}
		_, size := utf8.DecodeRuneInString(text[min(end, len(text)-1):])
		start = end + max(size, 1)
	}
	return lines
}

// columns counts how wide a text is.
func columns(text string) float64 {
	n := 0
	for _, r := range text {
		if r == '\t' {
			n += tabColumns - n%tabColumns
			continue
		}
		n++
	}
	return float64(n)
}

// minWrapped and maxWrapped bound the width at which lines of a plain text are
// taken to be wrapped, in columns.
const (
	minWrapped = 40
	maxWrapped = 140
)

// wrapOf returns the width at which the lines of a plain text are wrapped, 0 if
// they are not. It is told by the lines that another one follows directly.
func wrapOf(lines []line) float64 {
	var widths []float64
	for i := range len(lines) - 1 {
		if lines[i+1].blanks == 0 && !lines[i].margin {
			widths = append(widths, lines[i].width)
		}
	}
	if len(widths) < 3 {
		return 0
	}
	slices.Sort(widths)
	wide := widths[len(widths)*9/10]
	if wide < minWrapped || wide > maxWrapped {
		return 0
	}
	return wide
}

// lineEnd returns where the first line of a text ends.
func lineEnd(text string) int {
	if i := strings.IndexAny(text, "\n\f\v\u2028"); i >= 0 {
		return i
	}
	return len(text)
}
