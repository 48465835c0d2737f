package control

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// section returns the properties of the control's section: the next ones in the body or,
// for headers and notes, those at the end of the body.
func (c *Control) section() *etree.Element {
	d := c.part.document
	if d.sections == nil {
		d.sections = map[*etree.Element]*etree.Element{}
		d.findSections(d.main.root, nil)
	}
	if section := d.sections[c.SDT]; section != nil {
		return section
	}
	return d.sections[nil]
}

// findSections records the section of each control at and below e in the main part, and
// the last section under the key nil. open holds the controls whose section has not ended
// yet; the function returns those that remain open.
func (d *Document) findSections(e *etree.Element, open []*etree.Element) []*etree.Element {
	if wml.Is(e, "sectPr") {
		for _, sdt := range open {
			d.sections[sdt] = e
		}
		d.sections[nil] = e
		return open[:0]
	}
	if d.main.structure.Owns(e) {
		open = append(open, e)
	}
	for _, token := range e.Child {
		if below, ok := token.(*etree.Element); ok {
			open = d.findSections(below, open)
		}
	}
	return open
}
