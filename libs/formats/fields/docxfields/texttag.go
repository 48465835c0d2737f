package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/texttag"
)

// maxTextPlaces bounds the text tags of a part that are fields.
const maxTextPlaces = 10_000

// tagPlaces returns the text tags of the paragraphs, and marks them as taken.
func tagPlaces(paragraphs []*paragraph) []orderedPlace {
	var places []orderedPlace
	for i, p := range paragraphs {
		for _, t := range texttag.Find(p.text) {
			p.take(t.Start, t.End)
			if len(places) < maxTextPlaces && t.Valid {
				places = append(places, tagPlace(p, i, t))
			}
		}
	}
	return places
}

// tagPlace returns the place of a text tag.
func tagPlace(p *paragraph, i int, t texttag.Tag) orderedPlace {
	return orderedPlace{paragraph: i, start: t.Start, textPlace: textPlace{
		field: t.Field,
		at:    p.elementAt(t.Start),
		in:    p, ranges: []textRange{{t.Start, t.End}},
		fill: func(f fields.Filling, pics pictureSetter) error {
			return fillText(p, textRange{t.Start, t.End}, f, pics, t.Field.Label)
		},
	}}
}

// elementAt returns the element that the text has at the offset, and that of the
// paragraph behind its end.
func (p *paragraph) elementAt(offset int) *etree.Element {
	at := p.firstAt(offset)
	if at > 0 && (at == len(p.pieces) || p.pieces[at].start > offset) {
		at--
	}
	if at < len(p.pieces) && p.pieces[at].start <= offset && offset < p.pieces[at].end {
		return p.pieces[at].element
	}
	return p.element
}
