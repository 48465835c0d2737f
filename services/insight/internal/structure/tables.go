package structure

import (
	"math"
	"strings"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
	"github.com/rectohq/recto/services/insight/internal/structure/wording"
)

// Limits for tables that the file does not mark as such.
const (
	minRows    = 3
	minColumns = 2
	// maxCell is the maximum length of a cell, in bytes.
	maxCell = 80
	// aligned is the maximum difference between the left edges of a column's cells, in
	// columns of text. alignedPage is the same in page units.
	aligned     = 1.5
	alignedPage = 8
)

// tables finds the tables: those of the file or, if it has no blocks, aligned lines.
func tables(d *layout.Document, ps []piece, segs []signature.Segment) []Table {
	if len(d.Blocks) > 0 {
		return cellTables(ps)
	}
	near := aligned
	if len(d.Words) > 0 {
		near = alignedPage
	}
	return merged(alignedTables(d.Text, segs, near), separatedTables(d.Text, segs))
}

// merged returns the tables of both lists in text order, without those of the second that overlap
// one of the first.
func merged(first, second []Table) []Table {
	var out []Table
	for _, t := range second {
		for len(first) > 0 && first[0].End <= t.Start {
			out, first = append(out, first[0]), first[1:]
		}
		if len(first) == 0 || t.End <= first[0].Start {
			out = append(out, t)
		}
	}
	return append(out, first...)
}

// separatedTables finds consecutive lines with cells that "|" or a tab separates, as programs
// write tables into plain text.
func separatedTables(text string, segs []signature.Segment) []Table {
	var out []Table
	var t Table
	last := 0
	end := func() {
		if len(t.Rows) >= minRows {
			out = append(out, t)
		}
		t = Table{}
	}
	for len(segs) > 0 {
		n := 1
		for n < len(segs) && segs[n].Row == segs[0].Row {
			n++
		}
		row := segs[:n]
		segs = segs[n:]
		cells := separated(text, row)
		if cells == nil || len(t.Rows) > 0 && (len(cells) != len(t.Rows[0]) || row[0].Row > last+2) {
			end()
		}
		if cells == nil {
			continue
		}
		last = row[0].Row
		if line := text[row[0].Start:row[n-1].End]; strings.Trim(line, "|-: ") == "" {
			continue // the line below the head
		}
		if len(t.Rows) == 0 {
			t.Start = row[0].Start
		}
		t.End = row[n-1].End
		t.Rows = append(t.Rows, cells)
	}
	end()
	return out
}

// minTabbed is the minimum number of cells of a line with tabs. Fewer are a list of terms.
const minTabbed = 3

// separated returns the cells of a line, nil if it has no separators.
func separated(text string, row []signature.Segment) []layout.Span {
	from, to, separator, least := row[0].Start, row[len(row)-1].End, "\t", minTabbed
	for from > 0 && text[from-1] != '\n' && strings.Trim(text[from-1:from], "| ") == "" {
		from-- // the first and the last cells may be empty
	}
	for to < len(text) && text[to] != '\n' && strings.Trim(text[to:to+1], "| ") == "" {
		to++
	}
	if text[from] == '|' || strings.Contains(text[from:to], " | ") {
		separator, least = "|", minColumns
		if text[from] == '|' {
			from++
		}
		if to > from && text[to-1] == '|' {
			to--
		}
	} else {
		for from > 0 && text[from-1] == '\t' {
			from--
		}
		for to < len(text) && text[to] == '\t' {
			to++
		}
	}
	if from > to || to-from > maxWidth*maxCell || strings.Count(text[from:to], separator)+1 < least {
		return nil
	}
	var cells []layout.Span
	for part := range strings.SplitSeq(text[from:to], separator) {
		cells = append(cells, wording.Trimmed(text, layout.Span{Start: from, End: from + len(part)}))
		from += len(part) + 1
	}
	return cells
}

// maxWidth is the maximum number of columns of a table.
const maxWidth = 1000

// cellTables returns the tables of the file. A table within a table is a separate table.
func cellTables(ps []piece) []Table {
	var out []Table
	index := map[int]int{}
	for _, p := range ps {
		c := p.cell
		if c.Table == 0 || c.Row < 0 || c.Column < 0 || c.Column >= maxWidth {
			continue
		}
		i, ok := index[c.Table]
		if !ok {
			i = len(out)
			index[c.Table] = i
			out = append(out, Table{Span: p.Span})
		}
		t := &out[i]
		t.End = max(t.End, p.End)
		if c.Row > len(t.Rows) {
			c.Row = len(t.Rows) // skip rows without text
		}
		if c.Row == len(t.Rows) {
			t.Rows = append(t.Rows, nil)
		}
		addCell(&t.Rows[c.Row], c.Column, p.Span)
	}
	return out
}

// addCell adds a paragraph to the cell of a row.
func addCell(row *[]layout.Span, column int, s layout.Span) {
	for len(*row) <= column {
		*row = append(*row, layout.Span{Start: s.Start, End: s.Start})
	}
	cell := &(*row)[column]
	switch {
	case s.Len() == 0:
	case cell.Len() == 0:
		*cell = s
	default:
		cell.End = s.End
	}
}

// alignedTables finds consecutive lines whose segments are aligned.
func alignedTables(text string, segs []signature.Segment, near float64) []Table {
	var out []Table
	var rows [][]signature.Segment
	end := func() {
		if len(rows) >= minRows {
			out = append(out, tableOf(rows))
		}
		rows = rows[:0]
	}
	for len(segs) > 0 {
		n := 1
		for n < len(segs) && segs[n].Row == segs[0].Row {
			n++
		}
		row := segs[:n]
		segs = segs[n:]
		if !tabular(text, row) {
			end()
			continue
		}
		if len(rows) > 0 && !below(rows[len(rows)-1], row, near) {
			end()
		}
		rows = append(rows, row)
	}
	end()
	return out
}

// tabular reports whether a line may be a row of a table.
func tabular(text string, row []signature.Segment) bool {
	if len(row) < minColumns {
		return false
	}
	for _, s := range row {
		t := text[s.Start:s.End]
		if s.Len() == 0 || s.Len() > maxCell || signature.Labelled(t) || signature.Labelled(t+":") || isLeader(t) || signature.IsBlank(t) {
			return false
		}
	}
	return true
}

// below reports whether the segments of a line begin where those of the line above do.
func below(above, row []signature.Segment, near float64) bool {
	if len(above) != len(row) {
		return false
	}
	for i := range row {
		if !(math.Abs(above[i].X-row[i].X) <= near) {
			return false
		}
	}
	return true
}

// tableOf returns the table of rows.
func tableOf(rows [][]signature.Segment) Table {
	last := rows[len(rows)-1]
	t := Table{Span: layout.Span{Start: rows[0][0].Start, End: last[len(last)-1].End}}
	for _, row := range rows {
		var cells []layout.Span
		for _, s := range row {
			cells = append(cells, s.Span)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
