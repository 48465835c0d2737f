package docxfields

import (
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/control"
)

// findFields finds the places of all parts and the definitions of their fields.
func (d *Document) findFields() {
	left := maxPlaces
	for _, p := range d.parts {
		found := p.findPlaces(d.styles)
		if len(found) > left {
			found = found[:left]
		}
		left -= len(found)
		for _, at := range found {
			d.addPlace(at)
		}
	}
	control.NameOptions(d.fields, d.controlsOf)
	d.settleLists()
	d.labelControls()
}

// addPlace adds a place to its field. The first place defines the field.
func (d *Document) addPlace(p *place) {
	id := p.field.ID
	if d.places[id] == nil {
		d.fields = append(d.fields, p.field)
	}
	d.places[id] = append(d.places[id], p)
}

// settleLists gives drop-down lists without options the options of another place of their
// field. A field without options in any place becomes a text field, because no value
// could match it.
func (d *Document) settleLists() {
	for i := range d.fields {
		f := &d.fields[i]
		if f.Type != fields.Dropdown || len(f.Options) > 0 {
			continue
		}
		for _, p := range d.places[f.ID] {
			if len(f.Options) == 0 {
				f.Options = p.field.Options
			}
		}
		if len(f.Options) == 0 {
			f.Type = fields.Text
		}
	}
}

// controlsOf returns the content controls of a field.
func (d *Document) controlsOf(id string) []*control.Control {
	var all []*control.Control
	for _, p := range d.places[id] {
		if p.control != nil {
			all = append(all, p.control)
		}
	}
	return all
}

// labelControls labels fields whose content controls have no label. The label is the text
// around the first control.
func (d *Document) labelControls() {
	labels := control.NewLabels()
	for i := range d.fields {
		f := &d.fields[i]
		for _, p := range d.places[f.ID] {
			if f.Label != "" || p.control == nil || f.Source != fields.ContentControl {
				break
			}
			label, last := labels.Of(p.control, f.Type)
			if f.Label = label; last {
				break
			}
		}
	}
}
