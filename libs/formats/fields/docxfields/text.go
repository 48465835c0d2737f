package docxfields

import (
	"cmp"
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
)

// findText returns the places in running text below root, in reading order: text
// tags, form fields as older Words made them, and blanks. Skip tells the elements
// whose content belongs to a field already; styles may be nil.
func findText(root *etree.Element, skip func(*etree.Element) bool, s *tabstop.Styles) []textPlace {
	paragraphs := readParagraphs(root, skip, s)
	var places []orderedPlace
	places = append(places, tagPlaces(paragraphs)...)
	places = append(places, formPlaces(paragraphs)...)
	places = append(places, blankPlaces(paragraphs)...)
	slices.SortStableFunc(places, func(a, b orderedPlace) int {
		return cmp.Or(cmp.Compare(a.paragraph, b.paragraph), cmp.Compare(a.start, b.start))
	})
	found := make([]textPlace, len(places))
	for i := range places {
		found[i] = places[i].textPlace
	}
	return found
}

// orderedPlace is a place and where it is: the index of its paragraph and the
// offset in its text.
type orderedPlace struct {
	textPlace
	paragraph, start int
}
