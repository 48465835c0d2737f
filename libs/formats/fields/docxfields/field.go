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
	for i := range d.fields {
		define(&d.fields[i], d.places[d.fields[i].ID])
	}
	control.NameOptions(d.fields, d.controlsOf)
	d.settleOptions()
	d.labelControls()
}

// addPlace adds a place to its field.
func (d *Document) addPlace(p *place) {
	id := p.field.ID
	if d.places[id] == nil {
		d.fields = append(d.fields, p.field)
	}
	d.places[id] = append(d.places[id], p)
}

// define completes the definition of a field, which is the one in its first place, from
// its other places: a form often defines a field once and repeats its bare ID elsewhere.
// Of several declarations of the same thing, the first one counts. settleOptions adds the
// options.
func define(f *fields.Field, places []*place) {
	typed := places[0].typed
	for _, p := range places[1:] {
		if !typed && p.typed {
			f.Type, typed = p.field.Type, true
		}
		if f.Label == "" && p.text != nil { // labelControls labels controls
			f.Label = p.field.Label
		}
		f.Required = f.Required || p.field.Required
		if f.Multiple == nil {
			f.Multiple = p.field.Multiple
		}
		// A bound that no value could satisfy together with an earlier one does not count.
		if low := p.field.Min; f.Min == nil && low != nil && (f.Max == nil || *low <= *f.Max) {
			f.Min = low
		}
		if high := p.field.Max; f.Max == nil && high != nil && (f.Min == nil || *high >= *f.Min) {
			f.Max = high
		}
	}
	if f.Type == fields.Image {
		f.Text = "" // text in the place of a picture is no value
	}
}

// settleOptions gives choices without options those of another place of their field. A
// drop-down list without options in any place becomes a text field, because no value
// could match it.
func (d *Document) settleOptions() {
	for i := range d.fields {
		f := &d.fields[i]
		if !f.Type.HasOptions() || len(f.Options) > 0 {
			continue
		}
		for _, p := range d.places[f.ID] {
			if len(f.Options) == 0 {
				f.Options = p.field.Options
			}
		}
		if f.Type == fields.Dropdown && len(f.Options) == 0 {
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
