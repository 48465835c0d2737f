package detect

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of labels in cells.
const (
	// maxCellLabel is the maximum length of a label in a cell, in characters.
	maxCellLabel = 80
	// maxCellWords is its maximum number of words.
	maxCellWords = 9
	// gutter is the maximum width of a cell that only separates others, in twentieths of
	// a point.
	gutter = 500
)

// table is a table whose blanks are being searched.
type table struct {
	rows []row
	// filled holds the columns with text in any row.
	filled map[int]bool
	// columns is the number of cells in the longest row.
	columns int
	// form reports whether its rows are labels followed by places to fill in.
	form bool
}

// row is a row of a table: its cells in order.
type row struct{ cells []cell }

// cell is a cell: its position, its first paragraph, and its first text.
type cell struct {
	position *CellPosition
	first    int
	text     string
	empty    bool
	// lines is the number of its paragraphs with text.
	lines int
}

// tablesOf returns the tables of the document by number.
func tablesOf(paragraphs []Paragraph) map[int]*table {
	tables := make(map[int]*table)
	for i := range paragraphs {
		p := &paragraphs[i]
		if p.Cell == nil {
			continue
		}
		t := tables[p.Cell.Table]
		if t == nil {
			t = &table{filled: make(map[int]bool)}
			tables[p.Cell.Table] = t
		}
		t.add(i, p)
	}
	for _, t := range tables {
		t.classify()
	}
	return tables
}

// add adds paragraph i to its cell.
func (t *table) add(i int, p *Paragraph) {
	if n := len(t.rows); n == 0 || t.rows[n-1].cells[0].position.Row != p.Cell.Row {
		t.rows = append(t.rows, row{})
	}
	r := &t.rows[len(t.rows)-1]
	n := len(r.cells)
	if n == 0 || r.cells[n-1].position.Column != p.Cell.Column {
		r.cells = append(r.cells, cell{position: p.Cell, first: i, empty: true})
		n++
	}
	t.columns = max(t.columns, n)
	c := &r.cells[n-1]
	if text := strings.TrimSpace(p.Text); text != "" {
		if c.empty {
			c.text, c.empty = text, false
		}
		c.lines++
		t.filled[p.Cell.Column] = true
	}
}

// classify decides whether the table is a form: most rows begin with a label, at least
// some labels ask for user input, and the table is not a list under column headings.
func (t *table) classify() {
	labels, wide, named := 0, 0, 0
	for i := range t.rows {
		cells := t.rows[i].cells
		if len(cells) < 2 {
			continue
		}
		wide++
		if labelLike(cells[0].text) {
			labels++
			if line := firstLine(cells[0].text); strings.HasSuffix(line, ":") || known(line) {
				named++
			}
		}
	}
	t.form = t.columns == 2 && wide > 0 && labels*5 >= wide*3 && named*3 >= wide && !t.listed()
}

// listed reports whether the first row holds column headings: all of its cells have text,
// and all cells below are empty.
func (t *table) listed() bool {
	if len(t.rows) < 2 {
		return false
	}
	for i := range t.rows {
		for _, c := range t.rows[i].cells {
			if c.empty != (i > 0) {
				return false
			}
		}
	}
	return true
}

// labelLike reports whether s can be a label: short, and not a sentence.
func labelLike(s string) bool {
	line, _, _ := strings.Cut(s, "\n")
	line = strings.TrimSpace(line)
	if line == "" || utf8.RuneCountInString(line) > maxCellLabel || len(strings.Fields(line)) > maxCellWords {
		return false
	}
	return !strings.ContainsAny(line, "[]{}_☐☒☑<>") && !strings.HasSuffix(line, ".") &&
		!strings.ContainsRune(line, Object) && hasLetter(line)
}

// place returns the cell of paragraph i: its table, its row and its index in the row. It
// reports false outside of tables.
func (d *document) place(i int) (t *table, r *row, at int, ok bool) {
	position := d.paragraphs[i].Cell
	if position == nil {
		return nil, nil, 0, false
	}
	t = d.tables[position.Table]
	r, at, ok = t.find(position.Row, position.Column)
	return t, r, at, ok
}

// find returns the row with the number, and the index in it of the cell in the column.
func (t *table) find(number, column int) (r *row, at int, ok bool) {
	rowAt, ok := slices.BinarySearchFunc(t.rows, number, func(r row, number int) int {
		return cmp.Compare(r.cells[0].position.Row, number)
	})
	if !ok {
		return nil, 0, false
	}
	r = &t.rows[rowAt]
	at, ok = slices.BinarySearchFunc(r.cells, column, func(c cell, column int) int {
		return cmp.Compare(c.position.Column, column)
	})
	return r, at, ok
}

// rowLabel returns the label for the cell of paragraph i: that of the nearest cell to its
// left that has one.
func (d *document) rowLabel(i int) string {
	_, r, at, ok := d.place(i)
	if !ok {
		return ""
	}
	for n := at - 1; n >= max(0, at-maxCellWords); n-- {
		if labelLike(r.cells[n].text) {
			return tidy(firstLine(r.cells[n].text))
		}
	}
	return ""
}

// cellCaption returns the caption of a line that makes up paragraph i and its cell: the
// text of the cell below.
func (d *document) cellCaption(i int) string {
	t, r, at, ok := d.place(i)
	if !ok || r.cells[at].lines > 1 {
		return ""
	}
	position := r.cells[at].position
	below, at, ok := t.find(position.Row+1, position.Column)
	if !ok {
		return ""
	}
	return captionOf(firstLine(below.cells[at].text))
}

// besideCell returns the text of the next cell after that of paragraph i, or else of the
// previous one, if it can be an option.
func (d *document) besideCell(i int) string {
	_, r, at, ok := d.place(i)
	if !ok {
		return ""
	}
	if at+1 < len(r.cells) && !r.cells[at+1].empty {
		return optionText(firstLine(r.cells[at+1].text))
	}
	if at > 0 {
		return optionText(firstLine(r.cells[at-1].text))
	}
	return ""
}

// cellBlank returns the blank of an empty cell that begins with paragraph i.
func (d *document) cellBlank(i int) (Blank, bool) {
	t, r, at, ok := d.place(i)
	if !ok || !r.cells[at].empty || r.cells[at].first != i || at == 0 || narrow(r.cells[at]) {
		return Blank{}, false
	}
	label := d.cellLabel(t, r, at)
	if label == "" {
		return Blank{}, false
	}
	return Blank{Kind: EmptyCell, Type: TypeOf(label), Label: label, Paragraph: i}, true
}

// cellLabel returns the label of the empty cell with index at in the row: that of the
// cell before it, skipping cells that only separate others, or the label of the row for a
// further column of values. "" means that the cell is not a blank.
func (d *document) cellLabel(t *table, r *row, at int) string {
	for n := at - 1; n >= max(0, at-maxCellWords); n-- {
		c := r.cells[n]
		if !c.empty {
			if d.names(t, c) {
				return tidy(firstLine(c.text))
			}
			return ""
		}
		if !narrow(c) && !t.filled[r.cells[at].position.Column] {
			return ""
		}
	}
	return ""
}

// names reports whether the cell is the label of the empty cell next to it: it ends with
// a colon, it names user input, or the whole table is a form.
func (d *document) names(t *table, c cell) bool {
	if !labelLike(c.text) || t.listed() {
		return false
	}
	line := firstLine(c.text)
	return strings.HasSuffix(line, ":") || t.form && !sentence(splitWords(line)) || known(line)
}

// narrow reports whether the cell is too narrow to write in.
func narrow(c cell) bool { return c.position.Width > 0 && c.position.Width <= gutter }

// firstLine returns the first line of s.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}
