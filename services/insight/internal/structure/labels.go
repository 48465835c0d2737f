package structure

import (
	"sort"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// Limits for labels and the lines that they label, in bytes unless noted.
const (
	maxLabel      = 60
	maxLabelWords = 7
	maxLabelLower = 3 // words in lower case
	maxLabelled   = 120
	// maxCells is the maximum number of cells to the left that are searched for a label.
	maxCells = 16
)

// Label returns the label of a span, without its colon: in a table, the text of the cell to
// the left, and otherwise the separate line above the line that the span begins. It is
// empty if there is none. A label on the same line does not count, since it is part of the
// sentence.
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
	// If the line begins further away, too much text precedes the span.
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

// cellLabel returns the label of a span in a table, and whether the span is in one.
func (d *Document) cellLabel(s layout.Span) (layout.Span, bool) {
	none := layout.Span{Start: s.Start, End: s.Start}
	row := d.Row(s)
	for c, cell := range row {
		if !cell.Contains(s) || cell.Len() > maxLabelled {
			continue
		}
		for left := c - 1; left >= max(0, c-maxCells); left-- {
			if l := d.label(row[left], s.Start); l.Len() > 0 {
				return l, true
			}
		}
		return none, true
	}
	return none, false
}

// Row returns the cells of the row of a table that contains the start of a span, nil if none does.
func (d *Document) Row(s layout.Span) []layout.Span {
	i := sort.Search(len(d.Tables), func(i int) bool { return d.Tables[i].End > s.Start })
	if i == len(d.Tables) || !d.Tables[i].Contains(s) {
		return nil
	}
	rows := d.Tables[i].Rows
	r := sort.Search(len(rows), func(r int) bool { return rowEnd(rows[r]) > s.Start })
	if r == len(rows) {
		return nil
	}
	return rows[r]
}

// rowEnd returns the end of the last non-empty cell of a row.
func rowEnd(row []layout.Span) int {
	end := 0
	for _, cell := range row {
		end = max(end, cell.End)
	}
	return end
}

// label returns a span without its trailing colon if it may be a label of a few words, and
// otherwise an empty span at offset at.
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

// lastLine returns the last line of a span without surrounding white space.
func lastLine(text string, s layout.Span) layout.Span {
	s = wording.Trimmed(text, s)
	if line := strings.LastIndexAny(text[s.Start:s.End], "\n\v\u2028"); line >= 0 {
		s.Start += line + 1
	}
	return wording.Trimmed(text, s)
}
