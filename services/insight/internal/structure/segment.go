package structure

import "github.com/rectohq/recto/libs/formats/layout"

// segment is a part of a line that a wide gap parts from the rest: what stands in
// one column.
type segment struct {
	layout.Span
	// row numbers the lines of the document; cells of one row of a table are in one.
	row int
	// x is where it begins: in columns, or in thousandths of the page's width, or
	// the column of a table.
	x float64
}

// pageUnits is how many units of segment.x a page is wide.
const pageUnits = 1000
