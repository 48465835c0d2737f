// Package blank finds the places in running text that can be filled, which are text
// tags, form fields of older Words, and blanks, and fills them.
package blank

import (
	"cmp"
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Place is a place in running text that can be filled: a text tag or a
// blank.
type Place struct {
	// Field is the definition that stands in the place, without XMLPath.
	Field fields.Field
	// At is the element that the place begins in, for example a w:t: places are
	// put in reading order by it, and XMLPath leads to it.
	At *etree.Element
	// in is the paragraph, and ranges are what of its text the place is: one range,
	// or that of each box.
	in     *paragraph.Paragraph
	ranges []textRange
	// Fill writes the value into the place. It is called at most once, and never
	// moves what stands in other places.
	Fill func(f fields.Filling, pics Pictures) error
}

// textRange is a range of the text of a paragraph, in bytes.
type textRange struct{ start, end int }

// Pictures makes the drawings of pictures for one part.
type Pictures interface {
	// Draw returns a new w:drawing that shows p upright and as large as box
	// allows, to be put into a w:r of the part. Label is its alternative text.
	// The picture and its relationship are in the package afterwards.
	Draw(p fields.Picture, box drawing.Extent, label string) (*etree.Element, error)
}

// Find returns the places in running text below root, in reading order: text
// tags, form fields as older Words made them, and blanks. Skip tells the elements
// whose content belongs to a field already; styles may be nil.
func Find(root *etree.Element, skip func(*etree.Element) bool, s *tabstop.Styles) []Place {
	paragraphs := paragraph.Read(root, skip, s)
	var places []orderedPlace
	places = append(places, tagPlaces(paragraphs)...)
	places = append(places, formPlaces(paragraphs)...)
	places = append(places, blankPlaces(paragraphs)...)
	slices.SortStableFunc(places, func(a, b orderedPlace) int {
		return cmp.Or(cmp.Compare(a.paragraph, b.paragraph), cmp.Compare(a.start, b.start))
	})
	found := make([]Place, len(places))
	for i := range places {
		found[i] = places[i].Place
	}
	return found
}

// orderedPlace is a place and where it is: the index of its paragraph and the
// offset in its text.
type orderedPlace struct {
	Place
	paragraph, start int
}

// Shown returns where the text of the place stands, in paths of its part.
func (t *Place) Shown(known wml.Paths) []docxtext.Place {
	var all []docxtext.Place
	for _, r := range t.ranges {
		from := t.in.PointAt(r.start, known)
		to := from
		if r.end > r.start {
			to = t.in.PointBehind(r.end, known)
		} else if r.start > 0 {
			from = t.in.PointBehind(r.start, known)
			to = from
		}
		all = append(all, docxtext.Place{From: from, To: to})
	}
	return all
}
