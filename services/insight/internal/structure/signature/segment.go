package signature

import "github.com/rectohq/recto/libs/formats/layout"

// Segment is a part of a line that is separated from the rest by wide gaps: the text in one
// column.
type Segment struct {
	layout.Span
	// Row is the number of the line in the document. All cells of a table row have the
	// same.
	Row int
	// X is the position of its beginning: in columns of text, in thousandths of the page's
	// width, or as the index of a table column.
	X float64
}

// PageUnits is the width of a page in units of Segment.X.
const PageUnits = 1000
