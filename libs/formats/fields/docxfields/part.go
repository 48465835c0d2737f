package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/binding"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// part is a part of the document that was parsed.
type part struct {
	part     *docx.Part
	tree     *etree.Document
	controls *controls
	canvas   *drawing.Canvas
	// changed tells that the tree has to be written.
	changed bool
}

// shared is what the controls of all parts of a document share.
type shared struct {
	stores *binding.Stores
	styles *tabstop.Styles
	// main has the controls of the main part.
	main *controls
	// sections are the properties of the sections that controls stand in, nil
	// until they are needed.
	sections map[*etree.Element]*etree.Element
}

// newShared returns what the controls of a document share.
func newShared(stores *binding.Stores, styles *tabstop.Styles) *shared {
	return &shared{stores: stores, styles: styles}
}

// part returns the controls of the part with the root, which are to be found yet.
// Pictures in them are drawn on the canvas. The first part is the main one.
func (s *shared) part(root *etree.Element, canvas *drawing.Canvas) *controls {
	p := &controls{
		shared: s, root: root, canvas: canvas, structure: newStructure(),
		ids: map[*etree.Element]string{}, choices: map[*etree.Element]string{}, around: map[*etree.Element]*control{},
	}
	if s.main == nil {
		s.main = p
	}
	return p
}

// controls are the controls of a part.
type controls struct {
	shared *shared
	root   *etree.Element
	canvas *drawing.Canvas
	*structure
	// all are those that are fields or show a custom XML part, in the order
	// of the text, twins among them.
	all []*control
	// ids are the fields of these, and choices those that are of checkboxes in
	// controls of text.
	ids, choices map[*etree.Element]string
	// around has the first control of the same field that one is around.
	around map[*etree.Element]*control
}

// structure is what the controls of a part have to know of each other.
type structure struct {
	// owned are the sdt elements that are fields.
	owned map[*etree.Element]bool
	// holds tells what is at or below elements that a filled control has to know
	// of: to look for it each time would take too long where controls are nested.
	holds map[*etree.Element]held
}

// newStructure returns the structure of a part without controls.
func newStructure() *structure {
	return &structure{map[*etree.Element]bool{}, map[*etree.Element]held{}}
}

// owns reports whether e is a control that is a field.
func (s *structure) owns(e *etree.Element) bool { return s.owned[e] }

// own notes that the control at sdt is a field, which stays where others are emptied.
func (s *structure) own(sdt *etree.Element) {
	s.owned[sdt] = true
	s.note(sdt, holdsKept)
}

// keep notes that e stays where controls are emptied.
func (s *structure) keep(e *etree.Element) { s.note(e, holdsKept) }

// mark notes that e is a mark of a complex field.
func (s *structure) mark(e *etree.Element) { s.note(e, holdsMark) }

// held is what is at or below an element: several of these.
type held int

const (
	// holdsKept is a control of a field, or the end of a section.
	holdsKept held = 1 << iota
	// holdsMark is a mark of a complex field.
	holdsMark
)

// note notes what e is, for it and all that it is in.
func (s *structure) note(e *etree.Element, h held) {
	for ; e != nil && s.holds[e]&h == 0; e = e.Parent() {
		s.holds[e] |= h
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
		return p.text.fill(f, p.part.canvas.Near(p.at))
	}
	return p.control.fillAll(f, label)
}

// findFields finds the places of all parts and what they say of their fields.
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
	nameOptions(d.fields, d.controlsOf)
	d.settleLists()
	d.labelControls()
}

// controlsOf returns the controls of a field.
func (d *Document) controlsOf(id string) []*control {
	var all []*control
	for _, p := range d.places[id] {
		if p.control != nil {
			all = append(all, p.control)
		}
	}
	return all
}

// labelControls gives the fields whose controls have no label that of the text
// around the first of them.
func (d *Document) labelControls() {
	labels := newLabels()
	for i := range d.fields {
		f := &d.fields[i]
		for _, p := range d.places[f.ID] {
			if f.Label != "" || p.control == nil || f.Source != fields.ContentControl {
				break
			}
			label, last := labels.of(p.control, f.Type)
			if f.Label = label; last {
				break
			}
		}
	}
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
func (p *part) findPlaces(s *tabstop.Styles) []*place {
	root := p.tree.Root()
	controls := p.controls.find()
	texts := findText(root, p.controls.isField, s)
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
	paths := wml.Paths{}
	for _, f := range found {
		f.field.XMLPath = p.part.Name + "#" + paths.Of(f.at)
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
