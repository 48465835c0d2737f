package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx/docxtext"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/blank"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/control"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// place is a place of a field: a content control, or a place in running text.
type place struct {
	part  *part
	field fields.Field
	// typed reports whether the place declares the type of the field.
	typed   bool
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

// Places returns the places of a field in reading order. For a content control it is the
// whole content, including a placeholder; for a blank or a text tag, the text that a
// value replaces, which is empty if a value is inserted; for boxes in text, each box.
// Places returns nothing for an unknown ID. It must be called before Fill.
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
