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
	// width. The columns of a table are at equal distances.
	X float64
	// Table is the number of its table in the document, 0 for none.
	Table int
}

// PageUnits is the width of a page in units of Segment.X.
const PageUnits = 1000
