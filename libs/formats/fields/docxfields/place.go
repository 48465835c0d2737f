package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/blank"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/control"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// place is a place of a field: a control or one in running text.
type place struct {
	part    *part
	field   fields.Field
	at      *etree.Element
	control *control.Control
	text    *blank.Place
}

// fill writes the value into the place.
func (p *place) fill(f fields.Filling, label string) error {
	p.part.changed = true
	if p.text != nil {
		return p.text.Fill(f, p.part.drawings.Near(p.at))
	}
	return p.control.Fill(f, label)
}

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
		for _, place := range p.text.Shown(known) {
			place.From.Path, place.To.Path = prefix+place.From.Path, prefix+place.To.Path
			all = append(all, place)
		}
	}
	return all
}
