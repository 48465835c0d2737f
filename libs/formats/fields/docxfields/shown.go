package docxfields

import (
	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Places returns where the field stands, in the order of reading: of a control all
// that it shows, its placeholder as well; of a blank or a text tag the text that a
// value replaces, which is empty where a value is put in; of drawn boxes each one.
// There are none for an id that no field has. It is called before Fill.
func (d *Document) Places(id string) []docxtext.Place {
	var all []docxtext.Place
	if d.shown == nil {
		d.shown = wml.Paths{}
	}
	known := d.shown
	for _, p := range d.places[id] {
		prefix := p.part.part.Name + "#"
		if p.text == nil {
			all = append(all, docxtext.Whole(prefix+known.Of(p.at)))
			continue
		}
		for _, place := range p.text.shown(known) {
			place.From.Path, place.To.Path = prefix+place.From.Path, prefix+place.To.Path
			all = append(all, place)
		}
	}
	return all
}

// shown returns where the text of the place stands, in paths of its part.
func (t *textPlace) shown(known wml.Paths) []docxtext.Place {
	var all []docxtext.Place
	for _, r := range t.ranges {
		from := t.in.pointAt(r.start, known)
		to := from
		if r.end > r.start {
			to = t.in.pointBehind(r.end, known)
		} else if r.start > 0 {
			from = t.in.pointBehind(r.start, known)
			to = from
		}
		all = append(all, docxtext.Place{From: from, To: to})
	}
	return all
}

// pointAt returns the point before the character at the offset.
func (p *paragraph) pointAt(offset int, known wml.Paths) docxtext.Point {
	at := p.firstAt(offset)
	if at > 0 && p.pieces[at-1].end > offset {
		at--
	}
	if at == len(p.pieces) {
		return p.pointBehind(offset, known)
	}
	c := p.pieces[at]
	return docxtext.Point{Path: known.Of(c.element), Offset: max(0, offset-c.start)}
}

// pointBehind returns the point behind the character before the offset.
func (p *paragraph) pointBehind(offset int, known wml.Paths) docxtext.Point {
	at := p.firstAt(offset) - 1
	switch {
	case at >= 0:
		c := p.pieces[at]
		return docxtext.Point{Path: known.Of(c.element), Offset: min(offset, c.end) - c.start}
	case len(p.pieces) > 0:
		return docxtext.Point{Path: known.Of(p.pieces[0].element)}
	}
	return docxtext.Point{Path: known.Of(p.element)}
}
