package blank

import (
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/texttag"
)

// maxTextPlaces bounds the text tags of a part that count as fields.
const maxTextPlaces = 10_000

// tagPlaces returns the text tags of the paragraphs, and marks them as taken.
func tagPlaces(paragraphs []*paragraph.Paragraph) []orderedPlace {
	var places []orderedPlace
	for i, p := range paragraphs {
		for _, t := range texttag.Find(p.Text) {
			p.Take(t.Start, t.End)
			if len(places) < maxTextPlaces && t.Valid {
				places = append(places, tagPlace(p, i, t))
			}
		}
	}
	return places
}

// tagPlace returns the place of a text tag.
func tagPlace(p *paragraph.Paragraph, i int, t texttag.Tag) orderedPlace {
	return orderedPlace{paragraph: i, start: t.Start, Place: Place{
		Field: t.Field, Typed: t.Typed,
		At: p.ElementAt(t.Start),
		in: p, ranges: []textRange{{t.Start, t.End}},
		Fill: func(f fields.Filling, pics Pictures) error {
			return fillText(p, textRange{t.Start, t.End}, f, pics, t.Field.Label)
		},
	}}
}
