package control

import (
	"strconv"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/binding"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Document is the state shared by the controls of all parts of a document.
type Document struct {
	stores *binding.Stores
	styles *tabstop.Styles
	// main holds the controls of the main part.
	main *Part
	// sections maps controls to the properties of their sections; nil until they are
	// needed.
	sections map[*etree.Element]*etree.Element
}

// NewDocument returns the shared state for the controls of a document.
func NewDocument(stores *binding.Stores, styles *tabstop.Styles) *Document {
	return &Document{stores: stores, styles: styles}
}

// Part returns the controls of the part with the root, which Find has yet to find.
// Drawings for their pictures come from drawings. The first part must be the main part.
func (d *Document) Part(root *etree.Element, drawings *drawing.Part) *Part {
	p := &Part{
		document: d, root: root, drawings: drawings, structure: sdt.NewStructure(),
		ids: map[*etree.Element]string{}, choices: map[*etree.Element]string{}, around: map[*etree.Element]*Control{},
	}
	if d.main == nil {
		d.main = p
	}
	return p
}

// Part holds the controls of a part.
type Part struct {
	document  *Document
	root      *etree.Element
	drawings  *drawing.Part
	structure *sdt.Structure
	// all holds the controls that are fields or bound, in text order, including twins.
	all []*Control
	// ids maps them to field IDs, and choices maps the text controls of checkbox fields
	// to theirs.
	ids, choices map[*etree.Element]string
	// around maps a control to the first control of the same field within it.
	around map[*etree.Element]*Control
}

// Find finds the controls of the part that are fields or bound, and returns them in
// reading order, without twins.
func (p *Part) Find() []*Control { return p.findControls(p.root) }

// IsField reports whether e is a control that is a field and contains no other control of
// the same field.
func (p *Part) IsField(e *etree.Element) bool { return p.structure.Owns(e) && p.around[e] == nil }

// findControls returns the controls at and below e that are fields or bound, in reading
// order, without twins.
func (p *Part) findControls(e *etree.Element) []*Control {
	if wml.IsDeleted(e) {
		p.structure.NoteMarks(e)
		return nil
	}
	if wml.Named(e, wml.SpaceCompatibility, "AlternateContent") {
		return p.findTwins(e)
	}
	var found []*Control
	switch e.Tag {
	case "sdt":
		if c := p.newControl(e); c != nil {
			p.addControl(c)
			found = append(found, c)
		}
	case "sectPr":
		p.structure.Keep(e)
	case "fldChar", "instrText":
		p.structure.Mark(e)
	}
	for _, token := range e.Child {
		if below, ok := token.(*etree.Element); ok {
			found = append(found, p.findControls(below)...)
		}
	}
	return found
}

// findTwins returns the controls of an mc:AlternateContent. Readers see one of its
// branches. The n-th control with an ID in one branch is the twin of the n-th in the other.
func (p *Part) findTwins(alternate *etree.Element) []*Control {
	var found []*Control
	known := map[string]*Control{}
	for _, branch := range alternate.ChildElements() {
		count := map[string]int{}
		for _, c := range p.findControls(branch) {
			count[c.ID+c.suffix]++
			key := c.ID + "\x00" + c.suffix + "\x00" + strconv.Itoa(count[c.ID+c.suffix])
			switch first := known[key]; {
			case c.ID == "":
				found = append(found, c)
			case first != nil && first.Kind == c.Kind:
				first.twins = append(first.twins, c)
				first.twins = append(first.twins, c.twins...)
			default:
				known[key] = c
				found = append(found, c)
			}
		}
	}
	return found
}

// newControl returns the control at e, or nil if there is none or it is irrelevant.
func (p *Part) newControl(e *etree.Element) *Control {
	base, ok := sdt.Of(e, p.structure)
	if !ok {
		return nil
	}
	c := &Control{Control: base, part: p}
	c.setField()
	if c.ID == "" && (c.Content == nil || c.Binding() == nil) {
		return nil
	}
	c.MakeContent()
	return c
}

// addControl records a control that was found.
func (p *Part) addControl(c *Control) {
	p.all = append(p.all, c)
	if c.ID != "" {
		p.structure.Own(c.SDT)
		p.ids[c.SDT] = c.ID
		if c.tag.Type == fields.Checkbox && c.HoldsText() {
			p.choices[c.SDT] = c.ID
		}
		p.noteAround(c)
	}
}

// noteAround records the controls of the same field around c.
func (p *Part) noteAround(c *Control) {
	for e := c.SDT.Parent(); e != nil; e = e.Parent() {
		if p.structure.Owns(e) && p.ids[e] == c.ID {
			if p.around[e] == nil {
				p.around[e] = c
			}
			return
		}
	}
}

// surrounds reports whether the control contains another control of its own field, such
// as the checkboxes of a group. The rest of its content is not a value then.
func (p *Part) surrounds(c *Control) bool { return p.around[c.SDT] != nil }

// choiceAround returns the ID of the checkbox field whose text control contains e, or ""
// if the nearest field around e is a different kind. Checkboxes without a tag within the
// control belong to that field.
func (p *Part) choiceAround(e *etree.Element) string {
	for e = e.Parent(); e != nil; e = e.Parent() {
		if p.structure.Owns(e) {
			return p.choices[e]
		}
	}
	return ""
}
