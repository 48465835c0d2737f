package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
)

// textPlace is a place in running text that can be filled: a text tag or a
// blank.
type textPlace struct {
	// field is the definition that stands in the place, without XMLPath.
	field fields.Field
	// at is the element that the place begins in, for example a w:t: places are
	// put in reading order by it, and XMLPath leads to it.
	at *etree.Element
	// in is the paragraph, and ranges are what of its text the place is: one range,
	// or that of each box.
	in     *paragraph
	ranges []textRange
	// fill writes the value into the place. It is called at most once, and never
	// moves what stands in other places.
	fill func(f fields.Filling, pics pictureSetter) error
}

// textRange is a range of the text of a paragraph, in bytes.
type textRange struct{ start, end int }

// pictureSetter makes the drawings of pictures for one part.
type pictureSetter interface {
	// Draw returns a new w:drawing that shows p upright and as large as box
	// allows, to be put into a w:r of the part. Label is its alternative text.
	// The picture and its relationship are in the package afterwards.
	Draw(p fields.Picture, box drawing.Extent, label string) (*etree.Element, error)
}
