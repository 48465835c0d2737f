package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// within returns the box, no wider than the cell or the text of the page.
func (c *control) within(box drawing.Extent) drawing.Extent {
	cell := wml.Child(c.content, "tc")
	if cell == nil {
		cell = wml.Above(c.sdt, "tc")
	}
	width := drawing.CellWidth(cell)
	if width == 0 {
		width = drawing.TextWidth(c.section())
	}
	return box.Within(width)
}

// section returns the properties of the section that the control is in: the next
// ones, or for headers and notes those at the end of the body.
func (c *control) section() *etree.Element {
	s := c.part.shared
	if s.sections == nil {
		s.sections = map[*etree.Element]*etree.Element{}
		s.findSections(s.main.root, nil)
	}
	if section := s.sections[c.sdt]; section != nil {
		return section
	}
	return s.sections[nil]
}

// findSections notes the section of each control at and below e of the main part,
// and under nil the last section. Open are the controls whose section has not
// ended yet; it returns those that are left.
func (s *shared) findSections(e *etree.Element, open []*etree.Element) []*etree.Element {
	if wml.Is(e, "sectPr") {
		for _, sdt := range open {
			s.sections[sdt] = e
		}
		s.sections[nil] = e
		return open[:0]
	}
	if s.main.owns(e) {
		open = append(open, e)
	}
	for _, token := range e.Child {
		if below, ok := token.(*etree.Element); ok {
			open = s.findSections(below, open)
		}
	}
	return open
}
