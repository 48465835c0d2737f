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

// Document is what the controls of all parts of a document share.
type Document struct {
	stores *binding.Stores
	styles *tabstop.Styles
	// main has the controls of the main part.
	main *Part
	// sections are the properties of the sections that controls stand in, nil
	// until they are needed.
	sections map[*etree.Element]*etree.Element
}

// NewDocument returns what the controls of a document share.
func NewDocument(stores *binding.Stores, styles *tabstop.Styles) *Document {
	return &Document{stores: stores, styles: styles}
}

// Part returns the controls of the part with the root, which are to be found yet.
// Pictures in them are drawn on the drawings. The first part is the main one.
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

// Part has the controls of a part.
type Part struct {
	document  *Document
	root      *etree.Element
	drawings  *drawing.Part
	structure *sdt.Structure
	// all are those that are fields or show a custom XML part, in the order
	// of the text, twins among them.
	all []*Control
	// ids are the fields of these, and choices those that are of checkboxes in
	// controls of text.
	ids, choices map[*etree.Element]string
	// around has the first control of the same field that one is around.
	around map[*etree.Element]*Control
}

// Find finds the controls of the part that are fields or bound, and returns them in
// reading order, without twins.
func (p *Part) Find() []*Control { return p.findControls(p.root) }

// IsField reports whether e is a control that is a field, and is around no other one
// of the same field.
func (p *Part) IsField(e *etree.Element) bool { return p.structure.Owns(e) && p.around[e] == nil }

// findControls returns the controls at and below e that are fields or bound, in
// reading order, without twins.
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

// findTwins returns the controls of alternatives that a reader sees one of. The
// n-th control of an id in one branch is the n-th in another one.
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

// newControl returns the control that e is, nil if it is none or of no use.
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

// addControl notes a control that was found.
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

// noteAround notes which controls of the same field c is in.
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

// surrounds reports whether the control is around another one of its own field, as
// around the checkboxes of a group: what else it holds is no value.
func (p *Part) surrounds(c *Control) bool { return p.around[c.SDT] != nil }

// choiceAround returns the id of the nearest field of checkboxes whose control of
// text e is in, "" if the nearest field is none: checkboxes in it that have no tag
// are its own.
func (p *Part) choiceAround(e *etree.Element) string {
	for e = e.Parent(); e != nil; e = e.Parent() {
		if p.structure.Owns(e) {
			return p.choices[e]
		}
	}
	return ""
}
