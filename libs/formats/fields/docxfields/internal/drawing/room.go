package drawing

import (
	"strconv"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// twip is a twentieth of a point in English Metric Units.
const twip = 635

// Room creates drawings for one place of a part. They are never wider than the table cell
// of the place.
type Room struct {
	part *Part
	at   *etree.Element
}

// Draw returns a new upright drawing of the picture that is as large as box and the cell
// allow.
func (r Room) Draw(p fields.Picture, box Extent, label string) (*etree.Element, error) {
	return r.part.fitted(p, box.Within(CellWidth(wml.Above(r.at, "tc"))), label)
}

// CellWidth returns the maximum width of the content of a table cell, or 0 if it is
// unknown or cell is nil. A cell without a width has that of its columns, unless the
// table fits its columns to their content.
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

// twipsOf returns a width in twentieths of a point, or 0 if it has another unit.
func twipsOf(width *etree.Element) int64 {
	if kind, _ := wml.Attr(width, "type"); kind != "dxa" {
		return 0
	}
	return number(width, "w")
}

// margin returns the margin of a cell on one side, in twentieths of a point: the cell's
// own, its table's, or Word's default. Strict documents use other names for the sides.
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

// columnsWidth returns the width of the columns of a cell in twentieths of a point, or 0
// if the table fits its columns to their content.
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

// TextWidth returns the width of the text area of a section, or 0 if it is unknown.
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

// number returns an attribute of e as a number of at most six digits, or 0 if it is not
// one.
func number(e *etree.Element, key string) int64 {
	v, _ := wml.Attr(e, key)
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 0 || n > 999_999 {
		return 0
	}
	return n
}
