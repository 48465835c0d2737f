package signature

import "github.com/rectohq/recto/libs/formats/layout"

// Segment is a part of a line that a wide gap parts from the rest: what stands in
// one column.
type Segment struct {
	layout.Span
	// Row numbers the lines of the document; cells of one row of a table are in one.
	Row int
	// X is where it begins: in columns, or in thousandths of the page's width, or
	// the column of a table.
	X float64
}

// PageUnits is how many units of Segment.X a page is wide.
const PageUnits = 1000
