package structure

import (
	"sort"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// Bounds of labels and of what they stand before, in bytes.
const (
	maxLabel      = 60
	maxLabelWords = 7
	maxLabelLower = 3 // words in small letters
	maxLabelled   = 120
	// maxCells is how many cells before one are looked at for its label.
	maxCells = 16
)

// Label returns where the label is that stands before a span: in the cell to the
// left of it, in its table, or on a line of its own above the one that the span
// begins. It is without the colon behind it, and empty where there is none: a
// label on the line of the span is part of its sentence.
func (d *Document) Label(s layout.Span) layout.Span {
	if cell, ok := d.cellLabel(s); ok {
		return cell
	}
	i := sort.Search(len(d.Paragraphs), func(i int) bool { return d.Paragraphs[i].End > s.Start })
	if i == len(d.Paragraphs) || !d.Paragraphs[i].Contains(s) || d.Paragraphs[i].Kind == Cell {
		return layout.Span{Start: s.Start, End: s.Start}
	}
	p := d.Paragraphs[i].Span
	above := layout.Span{Start: s.Start, End: s.Start}
	// A line that begins further away has too much before the span.
	near := max(p.Start, s.Start-maxLabel-1)
	if line := strings.LastIndexAny(d.Text[near:s.Start], "\n\v\u2028"); line >= 0 {
		above = lastLine(d.Text, layout.Span{Start: p.Start, End: near + line})
		p.Start = near + line + 1
	} else if i > 0 && d.Paragraphs[i-1].Kind != Margin && d.Paragraphs[i-1].Kind != Cell {
		above = d.Paragraphs[i-1].Span
	}
	if s.Start-p.Start > maxLabel || strings.ContainsFunc(d.Text[p.Start:s.Start], unicode.IsLetter) || p.End-p.Start > maxLabelled {
		return layout.Span{Start: s.Start, End: s.Start}
	}
	return d.label(above, s.Start)
}

// cellLabel returns the label of a span in a table, and whether it is in one.
func (d *Document) cellLabel(s layout.Span) (layout.Span, bool) {
	none := layout.Span{Start: s.Start, End: s.Start}
	i := sort.Search(len(d.Tables), func(i int) bool { return d.Tables[i].End > s.Start })
	if i == len(d.Tables) || !d.Tables[i].Contains(s) {
		return none, false
	}
	rows := d.Tables[i].Rows
	r := sort.Search(len(rows), func(r int) bool { return rowEnd(rows[r]) > s.Start })
	if r == len(rows) {
		return none, false
	}
	for c, cell := range rows[r] {
		if !cell.Contains(s) || cell.Len() > maxLabelled {
			continue
		}
		for left := c - 1; left >= max(0, c-maxCells); left-- {
			if l := d.label(rows[r][left], s.Start); l.Len() > 0 {
				return l, true
			}
		}
		return none, true
	}
	return none, false
}

// rowEnd returns where the last cell of a row ends that is not empty.
func rowEnd(row []layout.Span) int {
	end := 0
	for _, cell := range row {
		end = max(end, cell.End)
	}
	return end
}

// label returns a text without the colon behind it, where it is one of a few words
// that may be a label; else an empty span at the place.
func (d *Document) label(s layout.Span, at int) layout.Span {
	none := layout.Span{Start: at, End: at}
	s = wording.Trimmed(d.Text, s)
	t := d.Text[s.Start:s.End]
	bare := strings.TrimRight(t, " \t:")
	if len(bare) > maxLabel {
		return none
	}
	c := wording.CaseOf(bare)
	if c.Words == 0 || c.Words > maxLabelWords || c.Lower > maxLabelLower || strings.ContainsAny(bare, "\n$€£_") || strings.ContainsFunc(bare, unicode.IsDigit) {
		return none
	}
	if first := wording.FirstRune(bare); !unicode.IsUpper(first) && first != '(' || bare == t && wording.EndsSentence(t) || wording.EndsCompany(bare) {
		return none
	}
	return layout.Span{Start: s.Start, End: s.Start + len(bare)}
}

// lastLine returns the last line of a span, without the white space around it.
func lastLine(text string, s layout.Span) layout.Span {
	s = wording.Trimmed(text, s)
	if line := strings.LastIndexAny(text[s.Start:s.End], "\n\v\u2028"); line >= 0 {
		s.Start += line + 1
	}
	return wording.Trimmed(text, s)
}
