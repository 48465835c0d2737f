package structure

import (
	"math"
	"strings"
	"unicode"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
	"github.com/rectohq/recto/services/insight/internal/structure/signature"
)

// Row is a row of a table, or a line whose parts wide gaps separate.
type Row struct {
	// Cells are the texts of its columns. An empty cell has an empty span.
	Cells []layout.Span
	// Head is the row above it that seems to name the columns, nil if there is none. A row with fewer
	// cells than its head has the last columns.
	Head []layout.Span
}

// HeadOf returns the name of the column with an index, an empty span if it has none.
func (r *Row) HeadOf(column int) layout.Span {
	if at := column + len(r.Head) - len(r.Cells); at >= 0 && at < len(r.Head) {
		return r.Head[at]
	}
	return layout.Span{}
}

// Limits for rows.
const (
	// maxRows is the maximum number of rows of a document.
	maxRows = 20_000
	// maxHead is the maximum length of a cell that names a column, in bytes.
	maxHead = 40
	// maxColumns is the maximum number of columns of a row. The rest of a wider one is left out, because rows
	// are compared with their heads cell by cell.
	maxColumns = 64
	// maxBelow is how many lines apart the rows of a table are.
	maxBelow = 4
)

// Rows returns the rows of at least two columns, in text order.
func (d *Document) Rows() []Row {
	t := rowReader{text: d.Text}
	if len(d.Blocks) > 0 {
		for _, table := range d.Tables {
			t.begin()
			for _, cells := range table.Rows {
				t.add(cells, nil)
			}
		}
		return t.rows
	}
	last := 0
	for segs := d.segments; len(segs) > 0 && len(t.rows) < maxRows; {
		n := 1
		for n < len(segs) && segs[n].Row == segs[0].Row {
			n++
		}
		line := segs[:n]
		segs = segs[n:]
		if line[0].Row > last+maxBelow {
			t.begin()
		}
		cells, at := parts(line)
		if n == 1 {
			cells, at = t.total(line[0].Span), nil
		}
		if len(cells) >= minColumns {
			last = line[0].Row
			t.add(cells, at)
		}
	}
	return t.rows
}

// parts returns the texts of segments, and their positions.
func parts(segs []signature.Segment) (cells []layout.Span, at []float64) {
	for _, s := range segs {
		cells, at = append(cells, s.Span), append(at, s.X)
	}
	return cells, at
}

// rowReader reads the rows of a document.
type rowReader struct {
	text string
	rows []Row
	// head is the row that names the columns, and columns their positions if the file has no tables.
	head    []layout.Span
	columns []float64
	// filled are the columns of the last row if it has only some of those that the head names, because
	// the lines of its cells are at different heights.
	filled []int
}

// begin begins a table.
func (t *rowReader) begin() { t.head, t.columns, t.filled = nil, nil, nil }

// add adds the cells of a row at positions.
func (t *rowReader) add(cells []layout.Span, at []float64) {
	if len(cells) < minColumns || len(t.rows) >= maxRows {
		return
	}
	cells, at = cells[:min(len(cells), maxColumns)], at[:min(len(at), maxColumns)]
	if len(cells) >= len(t.head) && t.namesColumns(cells) {
		t.rows, t.filled = append(t.rows, Row{cells, t.head}), nil
		t.head, t.columns = cells, at
		return
	}
	in := t.columnsOf(at)
	if in != nil && t.filled != nil && t.filled[len(t.filled)-1] < in[0] {
		row := &t.rows[len(t.rows)-1]
		for i, c := range in {
			row.Cells[c] = cells[i]
		}
		t.filled = nil
		return
	}
	if t.filled = in; in != nil {
		wide := make([]layout.Span, len(t.head))
		for i, c := range in {
			wide[c] = cells[i]
		}
		cells = wide
	}
	t.rows = append(t.rows, Row{cells, t.head})
}

// columnsOf returns for each cell of a row with only some of the columns which one it is in, by position. It
// returns nil for any other row.
func (t *rowReader) columnsOf(at []float64) (in []int) {
	if len(at) == 0 || len(t.columns) <= minColumns || len(at) >= len(t.columns) {
		return nil
	}
	for _, x := range at {
		best := 0
		for c := range t.columns {
			if math.Abs(t.columns[c]-x) < math.Abs(t.columns[best]-x) {
				best = c
			}
		}
		if len(in) > 0 && best <= in[len(in)-1] {
			return nil
		}
		in = append(in, best)
	}
	if in[0] > 0 && t.filled == nil {
		return nil // a total
	}
	return in
}

// totalLine matches a line of words with an amount at its end.
var totalLine = regexp.MustCompile(`^(\p{Lu}[\pL .:/()%@-]{1,40}?) +((?:[A-Z]{3} ?|[$€£₹] ?)?\d[\d,.]*)$`)

// total returns the label and the amount of a line below the rows of a table.
func (t *rowReader) total(line layout.Span) []layout.Span {
	if len(t.head) == 0 || line.Len() > maxCell {
		return nil
	}
	m := totalLine.FindStringSubmatchIndex(t.text[line.Start:line.End])
	if m == nil {
		return nil
	}
	return []layout.Span{{Start: line.Start + m[2], End: line.Start + m[3]}, {Start: line.Start + m[4], End: line.Start + m[5]}}
}

// namesColumns reports whether the cells of a row may be the names of columns.
func (t *rowReader) namesColumns(cells []layout.Span) bool {
	names := 0
	for _, c := range cells {
		s := t.text[c.Start:c.End]
		if len(s) > maxHead || strings.ContainsFunc(s, unicode.IsDigit) {
			return false
		}
		if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) }) {
			names++
		}
	}
	return names >= minColumns
}
