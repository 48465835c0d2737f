// Package blank finds and fills places in running text: text tags, legacy form fields,
// and blanks.
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

// Place is a place in running text that can be filled.
type Place struct {
	// Field is the field definition in the place, without XMLPath.
	Field fields.Field
	// Typed reports whether the place declares the type of the field. A text tag without
	// a type leaves it to the other places of its field.
	Typed bool
	// At is the element in which the place begins, for example a w:t. It determines the
	// reading order of places, and XMLPath is its path.
	At *etree.Element
	// in is the paragraph, and ranges are the ranges of the place in its text: a single
	// one, or one per box.
	in     *paragraph.Paragraph
	ranges []textRange
	// Fill writes the value into the place. It must be called at most once, and never
	// moves the contents of other places.
	Fill func(f fields.Filling, pics Pictures) error
}

// textRange is a range of the text of a paragraph, in bytes.
type textRange struct{ start, end int }

// Pictures creates drawings of pictures for one part.
type Pictures interface {
	// Draw returns a new w:drawing for a w:r of the part, which shows p upright and as
	// large as box allows. label is its alternative text. Draw also adds the picture and
	// its relationship to the package.
	Draw(p fields.Picture, box drawing.Extent, label string) (*etree.Element, error)
}

// Find returns the places in running text below root in reading order: text tags, legacy
// form fields, and blanks. skip reports the elements whose content already belongs to a
// field. s may be nil.
func Find(root *etree.Element, skip func(*etree.Element) bool, s *tabstop.Styles) []Place {
	paragraphs := paragraph.Read(root, skip, s)
	var places []orderedPlace
	places = append(places, tagPlaces(paragraphs)...)
	places = append(places, formPlaces(paragraphs, s)...)
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

// orderedPlace is a place with its position: the index of its paragraph and the offset in
// its text.
type orderedPlace struct {
	Place
	paragraph, start int
}

// Shown returns the positions of the place's text, as paths in its part.
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
