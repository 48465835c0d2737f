package signature

import (
	"slices"

	"github.com/rectohq/recto/libs/formats/layout"
	regexp "github.com/rectohq/recto/services/insight/internal/pattern"
)

// headWord matches the head of a column of a table of signatures.
var headWord = regexp.MustCompile(`^(?i:(party|company|entity|organi[sz]ation|legal name|on behalf of)|((?:authori[sz]ed )?signature|signed(?: by)?)|((?:print(?:ed)? |full )?name(?: of signatory)?)|((?:job )?title|position|capacity|role|function)|(date(?: signed)?))$`)

// headRoles are the roles of the groups of headWord.
var headRoles = [...]role{partied, signs, named, titled, dated}

// maxApart is how far the rows of a table are from each other, in lines and paragraphs. A rule below the
// head row may be between them.
const maxApart = 4

// maxHeads is the maximum number of columns of a table of signatures.
const maxHeads = 8

// headOf returns the role of each column if segs begins with the head row of a table of
// signatures, and the number of segments of that row. It returns nil for any other row.
func headOf(text string, segs []Segment) (heads []role, n int) {
	var seen [ignored + 1]bool
	for n < len(segs) && segs[n].Row == segs[0].Row {
		if n == maxHeads {
			return nil, 0
		}
		m := headWord.FindStringSubmatchIndex(text[segs[n].Start:segs[n].End])
		if m == nil {
			return nil, 0
		}
		for g, r := range headRoles {
			if m[2*g+2] >= 0 {
				heads = append(heads, r)
				seen[r] = true
			}
		}
		n++
	}
	if n < 3 || !seen[named] || !seen[signs] {
		return nil, 0
	}
	return heads, n
}

// signTable is a table of signatures: its head row says what each column holds.
type signTable struct {
	heads []role
	// columns are the positions of the columns.
	columns []float64
	// row is the last row.
	row int
}

// read reads a row of a table of signatures that begins with segment i. It returns the number of
// its segments, 0 if it is none.
func (t *signTable) read(text string, segs []Segment, i int) (ms []mark, n int) {
	s := segs[i]
	if i > 0 && segs[i-1].Row == s.Row {
		return nil, 0
	}
	if t.heads == nil && (i+2 >= len(segs) || segs[i+2].Row != s.Row) {
		return nil, 0
	}
	if heads, n := headOf(text, segs[i:]); n > 0 {
		t.heads, t.columns, t.row = heads, nil, s.Row
		for _, h := range segs[i : i+n] {
			t.columns = append(t.columns, h.X)
			ms = append(ms, mark{Span: h.Span, value: layout.Span{Start: h.End, End: h.End}, role: ignored, row: h.Row, x: h.X})
		}
		return ms, n
	}
	if t.heads == nil || s.Row > t.row+maxApart {
		t.heads = nil
		return nil, 0
	}
	for i+n < len(segs) && segs[i+n].Row == s.Row {
		n++
	}
	if ms = cellMarks(text, t.heads, t.columns, segs[i:i+n]); ms == nil {
		return nil, 0
	}
	t.row = s.Row
	return ms, n
}

// cellMarks returns the marks of a row of a table of signatures. If the row has too few cells, that
// of the signature is missing, or else the last ones. It returns nil for a row without a name.
func cellMarks(text string, heads []role, columns []float64, row []Segment) []mark {
	cells := map[role]layout.Span{}
	for i, s := range row {
		at := i
		switch {
		case row[len(row)-1].X <= columns[len(columns)-1] && slices.Contains(columns, s.X):
			at = slices.Index(columns, s.X)
		case len(row) == len(heads)-1 && slices.Contains(heads[:i+1], signs):
			at = i + 1
		}
		if at < len(heads) {
			cells[heads[at]] = s.Span
		}
	}
	name, ok := cells[named]
	if !ok || !Personal(text[name.Start:name.End]) {
		return nil
	}
	line, ok := cells[signs]
	if !ok {
		line = layout.Span{Start: name.Start, End: name.Start}
	}
	out := []mark{{Span: line, value: layout.Span{Start: line.End, End: line.End}, role: signs, word: "signature"}}
	for _, r := range headRoles {
		if s, ok := cells[r]; ok && r != signs {
			out = append(out, mark{Span: s, value: written(text, s.Start, s.End), role: r, word: "cell"})
		}
	}
	for i := range out {
		out[i].row, out[i].x = row[0].Row, row[0].X
	}
	return out
}

// leaveTable drops the marks of another table from a region without a signature when a segment begins a table,
// because a table of prices or contacts above the signatures names none of those who sign. It keeps the marks of a
// table with a single row, which may be the heads of the signatures.
func (f *finder) leaveTable(s Segment) {
	if s.Table == 0 {
		return
	}
	if s.Table == f.table {
		f.tableRows[1] = s.Row
		return
	}
	several := f.tableRows[0] < f.tableRows[1]
	f.table, f.tableRows = s.Table, [2]int{s.Row, s.Row}
	if f.signed || !several {
		return
	}
	for i := len(f.region) - 1; i >= 0; i-- {
		if f.region[i].table != 0 {
			f.region = f.region[i+1:]
			f.quiet = min(f.quiet, rowsIn(f.region))
			return
		}
	}
}

// rowsIn returns the number of rows of a region.
func rowsIn(region []mark) (n int) {
	for ; len(region) > 0; n++ {
		region = region[len(rowOf(region)):]
	}
	return n
}
