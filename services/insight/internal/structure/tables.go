package structure

import (
	"math"

	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// Bounds of what is taken for a table where the file does not say that it is one.
const (
	minRows    = 3
	minColumns = 2
	// maxCell is how long a cell is at most, in bytes.
	maxCell = 80
	// aligned is by how much the beginnings of the cells of a column differ at most,
	// in columns of a text, alignedPage in units of a page.
	aligned     = 1.5
	alignedPage = 8
)

// tables finds the tables: those of the file, or else what is plainly one.
func tables(d *layout.Document, ps []piece, segs []signature.Segment) []Table {
	if len(d.Blocks) > 0 {
		return cellTables(ps)
	}
	near := aligned
	if len(d.Words) > 0 {
		near = alignedPage
	}
	return alignedTables(d.Text, segs, near)
}

// maxWidth bounds the number of columns of a table.
const maxWidth = 1000

// cellTables makes the tables of the cells that the file has. A table within a
// table is one of its own.
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
			c.Row = len(t.Rows) // rows without text are left out
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

// alignedTables finds lines that have their parts below each other.
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

// tabular tells whether a line may be a row of a table.
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

// below tells whether the parts of a line begin where those of another one do.
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

// tableOf makes a table of rows.
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
