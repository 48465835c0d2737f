package drawing

import (
	"strconv"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// twip is a twentieth of a point in English Metric Units.
const twip = 635

// Room makes drawings for one place of a part: none is wider than the cell that
// the place is in.
type Room struct {
	part *Part
	at   *etree.Element
}

// Draw returns a new drawing of the picture, upright and as large as box and the
// cell allow.
func (r Room) Draw(p fields.Picture, box Extent, label string) (*etree.Element, error) {
	return r.part.fitted(p, box.Within(CellWidth(wml.Above(r.at, "tc"))), label)
}

// CellWidth returns how wide the content of a table cell can be, 0 if that is not
// known or cell is nil. A cell without a width of its own has that of its columns,
// where the table does not fit these to their content.
func CellWidth(cell *etree.Element) int64 {
	if cell == nil {
		return 0
	}
	properties := wml.Child(cell, "tcPr")
	width := twipsOf(wml.Child(properties, "tcW"))
	table := wml.Above(cell, "tbl")
	if width == 0 {
		width = columnsWidth(table, cell)
	}
	margins := wml.Child(properties, "tcMar")
	usual := wml.Child(wml.Child(table, "tblPr"), "tblCellMar")
	inner := width - margin(margins, usual, "left", "start") - margin(margins, usual, "right", "end")
	if width > 0 && inner <= 0 {
		inner = width
	}
	return inner * twip
}

// twipsOf returns a width in twentieths of a point, 0 if it is given otherwise.
func twipsOf(width *etree.Element) int64 {
	if kind, _ := wml.Attr(width, "type"); kind != "dxa" {
		return 0
	}
	return number(width, "w")
}

// margin returns the margin of a cell at a side, in twentieths of a point: its
// own, or that of its table, or that of Word. Strict documents call sides
// otherwise.
func margin(own, usual *etree.Element, side, strict string) int64 {
	for _, margins := range []*etree.Element{own, usual} {
		for _, name := range []string{side, strict} {
			if m := wml.Child(margins, name); m != nil {
				return twipsOf(m)
			}
		}
	}
	const ofWord = 108
	return ofWord
}

// columnsWidth returns the width of the columns that a cell is in, in twentieths
// of a point; 0 if its table fits them to their content.
func columnsWidth(table, cell *etree.Element) int64 {
	row := wml.Above(cell, "tr")
	if kind, _ := wml.Attr(wml.Child(wml.Child(table, "tblPr"), "tblLayout"), "type"); kind != "fixed" || row == nil {
		return 0
	}
	grid := wml.Child(table, "tblGrid")
	if grid == nil {
		return 0
	}
	columns := grid.ChildElements()
	at := min(len(columns), int(number(wml.Child(wml.Child(row, "trPr"), "gridBefore"), "val")))
	for _, c := range wml.Cells(row, nil) {
		end := min(len(columns), at+max(1, int(number(wml.Child(wml.Child(c, "tcPr"), "gridSpan"), "val"))))
		if c == cell {
			var width int64
			for _, column := range columns[at:end] {
				width += number(column, "w")
			}
			return width
		}
		at = end
	}
	return 0
}

// TextWidth returns how wide the text of a section is, 0 if that is not known.
func TextWidth(section *etree.Element) int64 {
	page, margins := wml.Child(section, "pgSz"), wml.Child(section, "pgMar")
	if page == nil || margins == nil {
		return 0
	}
	width := number(page, "w") - number(margins, "left") - number(margins, "right")
	if columns := number(wml.Child(section, "cols"), "num"); columns > 1 {
		width /= columns
	}
	return max(0, width*twip)
}

// number returns the attribute of e that is a number of at most six digits, 0 if
// it is none.
func number(e *etree.Element, key string) int64 {
	v, _ := wml.Attr(e, key)
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 0 || n > 999_999 {
		return 0
	}
	return n
}
