package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
)

// part is a part of the document that was parsed.
type part struct {
	doc  *Document
	part *docx.Part
	tree *etree.Document
	// controls are those that are fields or show a custom XML part, in the order
	// of the text, twins among them.
	controls []*control
	// owned are the sdt elements that are fields.
	owned map[*etree.Element]bool
	// ids are the fields of these, and choices those that are of checkboxes in
	// controls of text.
	ids, choices map[*etree.Element]string
	// around has the first control of the same field that one is around.
	around map[*etree.Element]*control
	// holds tells what is at or below elements that a filled control has to know
	// of: to look for it each time would take too long where controls are nested.
	holds map[*etree.Element]held
	// changed tells that the tree has to be written.
	changed bool
}

// held is what is at or below an element: several of these.
type held int

const (
	// holdsKept is a control of a field, or the end of a section.
	holdsKept held = 1 << iota
	// holdsMark is a mark of a complex field.
	holdsMark
)

// note notes what e is, for it and all that it is in.
func (p *part) note(e *etree.Element, h held) {
	for ; e != nil && p.holds[e]&h == 0; e = e.Parent() {
		p.holds[e] |= h
	}
}

// place is a place of a field: a control or one in running text.
type place struct {
	part    *part
	field   fields.Field
	at      *etree.Element
	control *control
	text    *textPlace
}

// fill writes the value into the place.
func (p *place) fill(f fields.Filling, label string) error {
	p.part.changed = true
	if p.text != nil {
		return p.text.fill(f, roomed{p.part, p.at})
	}
	for _, c := range append([]*control{p.control}, p.control.twins...) {
		if err := c.fill(f, label); err != nil {
			return err
		}
	}
	return nil
}

// findFields finds the places of all parts and what they say of their fields.
func (d *Document) findFields() {
	left := maxPlaces
	for _, p := range d.parts {
		found := p.findPlaces()
		if len(found) > left {
			found = found[:left]
		}
		left -= len(found)
		for _, at := range found {
			d.addPlace(at)
		}
	}
	d.nameOptions()
	d.settleLists()
	d.labelControls()
}

// settleLists gives drop-down lists without options those of another place of
// their field. One that has none anywhere takes text: no value would fit it.
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

// addPlace adds a place to its field. The first one says what the field is.
func (d *Document) addPlace(p *place) {
	id := p.field.ID
	if d.places[id] == nil {
		d.fields = append(d.fields, p.field)
	}
	d.places[id] = append(d.places[id], p)
}

// findPlaces returns the places of the part in reading order.
func (p *part) findPlaces() []*place {
	root := p.tree.Root()
	p.owned, p.holds = map[*etree.Element]bool{}, map[*etree.Element]held{}
	p.ids, p.choices, p.around = map[*etree.Element]string{}, map[*etree.Element]string{}, map[*etree.Element]*control{}
	controls := p.findControls(root)
	texts := findText(root, func(e *etree.Element) bool { return p.owned[e] && p.around[e] == nil }, p.doc.styles)
	at := map[*etree.Element][]*place{}
	for _, c := range controls {
		if c.id != "" {
			at[c.sdt] = append(at[c.sdt], &place{part: p, field: c.field(), at: c.sdt, control: c})
		}
	}
	for i := range texts {
		t := &texts[i]
		at[t.at] = append(at[t.at], &place{part: p, field: t.field, at: t.at, text: t})
	}
	if len(at) == 0 {
		return nil
	}
	found := inOrder(root, at, nil)
	paths := paths{}
	for _, f := range found {
		f.field.XMLPath = p.part.Name + "#" + paths.of(f.at)
	}
	return found
}

// inOrder appends the places to found in the order of their elements below e.
func inOrder(e *etree.Element, at map[*etree.Element][]*place, found []*place) []*place {
	found = append(found, at[e]...)
	for _, token := range e.Child {
		if c, ok := token.(*etree.Element); ok {
			found = inOrder(c, at, found)
		}
	}
	return found
}
