package structure

import (
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

const (
	// columnGap is the number of spaces that separates columns of plain text.
	columnGap = 3
	// wordGap is the distance that separates columns of a page, in line heights.
	wordGap = 1.8
	// cellWidth is the assumed width of the columns of tables in columns of text, and pageCellWidth in
	// page units. They make positions in tables and in lines next to them comparable.
	cellWidth     = 40
	pageCellWidth = signature.PageUnits / 4
)

// segmenter splits lines into segments.
type segmenter struct {
	d     *layout.Document
	words []layout.Word // those after the current line's beginning
	out   []signature.Segment
	row   int
}

// segments returns the segments of all paragraphs except margins.
func segments(d *layout.Document, ps []piece) []signature.Segment {
	s := &segmenter{d: d, words: d.Words}
	var last layout.Cell
	for _, p := range ps {
		if p.margin || p.Len() == 0 {
			continue
		}
		sameRow := p.cell != layout.Cell{} && p.cell.Table == last.Table && p.cell.Row == last.Row
		if !sameRow {
			s.row++
		}
		last = p.cell
		s.addLines(p)
	}
	return s.out
}

// addLines adds the segments of a paragraph, line by line.
func (s *segmenter) addLines(p piece) {
	for start := p.Start; start < p.End; {
		end := start + lineEnd(s.d.Text[start:p.End])
		span := wording.Trimmed(s.d.Text, layout.Span{Start: start, End: end})
		if span.Len() > 0 {
			s.addLine(p, span)
			if p.cell == (layout.Cell{}) {
				s.row++
			}
		}
		start = end
		if start < p.End {
			_, size := utf8.DecodeRuneInString(s.d.Text[start:])
			start += size
		}
	}
}

// addLine adds the segments of a line.
func (s *segmenter) addLine(p piece, span layout.Span) {
	if p.cell != (layout.Cell{}) {
		width := cellWidth
		if len(s.d.Words) > 0 {
			width = pageCellWidth
		}
		s.out = append(s.out, signature.Segment{Span: span, Row: s.row, X: float64(p.cell.Column * width), Table: p.cell.Table})
		return
	}
	for len(s.words) > 0 && s.words[0].End <= span.Start {
		s.words = s.words[1:]
	}
	if len(s.words) > 0 && s.words[0].Start < span.End {
		s.addWords(span)
		return
	}
	s.addSpaced(span)
}

// addWords adds the segments of a line whose words have positions.
func (s *segmenter) addWords(span layout.Span) {
	n := 0
	for n < len(s.words) && s.words[n].Start < span.End {
		n++
	}
	words := s.words[:n]
	from := span.Start
	x := words[0].Box.Left
	for k := 1; k < n; k++ {
		a, b := words[k-1], words[k]
		page := pageSize(s.d, b.Page)
		height := (a.Box.Bottom - a.Box.Top) * page.Height
		// A tab separates words whatever the distance.
		parted := (b.Box.Left-a.Box.Right)*page.Width > wordGap*height || strings.Contains(s.d.Text[max(from, min(a.End, b.Start)):max(from, b.Start)], "\t")
		if parted && b.Start > from {
			s.out = append(s.out, signature.Segment{Span: wording.Trimmed(s.d.Text, layout.Span{Start: from, End: b.Start}), Row: s.row, X: x * signature.PageUnits})
			from, x = b.Start, b.Box.Left
		}
	}
	s.out = append(s.out, signature.Segment{Span: layout.Span{Start: from, End: span.End}, Row: s.row, X: x * signature.PageUnits})
}

// addSpaced adds the segments of a line of plain text.
func (s *segmenter) addSpaced(span layout.Span) {
	if s.addPiped(span) {
		return
	}
	lineStart := 1 + strings.LastIndexAny(s.d.Text[max(0, span.Start-maxWrapped):span.Start], "\n\f\v\u2028")
	lineStart += max(0, span.Start-maxWrapped)
	x := columns(s.d.Text[lineStart:span.Start])
	for from := span.Start; from < span.End; {
		end, next := gapAfter(s.d.Text, layout.Span{Start: from, End: span.End})
		s.out = append(s.out, signature.Segment{Span: layout.Span{Start: from, End: end}, Row: s.row, X: x})
		x += columns(s.d.Text[from:next])
		from = next
	}
}

// addPiped adds the cells of a row of a table that is drawn with vertical bars: "| Name | Title |". It
// reports false for any other line.
func (s *segmenter) addPiped(span layout.Span) bool {
	line := s.d.Text[span.Start:span.End]
	if line[0] != '|' || line[len(line)-1] != '|' || strings.Count(line, "|") < 3 {
		return false
	}
	start := span.Start + 1
	for k, cell := range strings.Split(line[1:len(line)-1], "|") {
		c := wording.Trimmed(s.d.Text, layout.Span{Start: start, End: start + len(cell)})
		if strings.Trim(cell, "-:= \t") != "" {
			s.out = append(s.out, signature.Segment{Span: c, Row: s.row, X: float64(k)})
		}
		start += len(cell) + 1
	}
	return true
}

// gapAfter returns the end of the first segment of a text, and the beginning of the next.
func gapAfter(text string, s layout.Span) (end, next int) {
	for at := s.Start; at < s.End; at++ {
		if text[at] != ' ' && text[at] != '\t' {
			continue
		}
		rest := strings.TrimLeft(text[at:s.End], " \t")
		next := s.End - len(rest)
		if next-at >= columnGap || strings.Contains(text[at:next], "\t") {
			return at, next
		}
		at = next
	}
	return s.End, s.End
}
