package structure

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// line is a line of a text without surrounding white space. Blank lines are not kept.
type line struct {
	layout.Span
	// indent is the position of its beginning, in columns or points.
	indent float64
	// width is the position of its end, in the same unit.
	width float64
	// blanks is the number of empty lines before it.
	blanks int
	// page is its page from 1, 0 for a text without pages.
	page int
	// box is its position in points, zero if unknown.
	box layout.Box
	// first is the width of its first word, in points.
	first float64
	// feed marks a line after a form feed.
	feed bool
	// margin marks a header, a footer or a page number, which is not part of the text.
	margin bool
	// counted marks a page number that a later one continues.
	counted bool
}

// tabColumns is the assumed distance of tab stops.
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

// columns returns the width of a text, in columns.
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

// minWrapped and maxWrapped are the limits for the wrap width of a plain text, in columns.
const (
	minWrapped = 40
	maxWrapped = 140
)

// wrapOf returns the width at which the lines of a plain text are wrapped, 0 if they are
// not. It considers lines that are directly followed by another line.
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

// lineEnd returns the end of the first line of a text.
func lineEnd(text string) int {
	for i := range len(text) {
		switch text[i] {
		case '\n', '\f', '\v':
			return i
		case "\u2028"[0]:
			if strings.HasPrefix(text[i:], "\u2028") {
				return i
			}
		}
	}
	return len(text)
}
