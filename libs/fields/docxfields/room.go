package docxfields

import (
	"strconv"

	"github.com/beevik/etree"
)

// twip is a twentieth of a point in English Metric Units.
const twip = 635

// within returns the box, no wider than the cell or the text of the page.
func (c *control) within(box extent) extent {
	if width := c.roomWidth(); width > 0 {
		box.cx = min(box.cx, width)
	}
	return box
}

// roomWidth returns how wide the cell is that the control stands in, or the text
// of its page; 0 if that is not known.
func (c *control) roomWidth() int64 {
	cell := child(c.content, "tc")
	if cell == nil {
		cell = above(c.sdt, "tc")
	}
	if cell != nil {
		if w := cellWidth(cell); w > 0 {
			return w
		}
	}
	return textWidth(c.section())
}

// cellWidth returns the width of a table cell without its usual margins, 0 if it
// has none of its own.
func cellWidth(cell *etree.Element) int64 {
	e := child(child(cell, "tcPr"), "tcW")
	if kind, _ := attribute(e, "type"); kind != "dxa" {
		return 0
	}
	const margins = 2 * 108 * twip
	return max(0, number(e, "w")*twip-margins)
}

// section returns the properties of the section that the control is in: the next
// ones, or for headers and notes those at the end of the body.
func (c *control) section() *etree.Element {
	d := c.part.doc
	if d.sections == nil {
		d.sections = map[*etree.Element]*etree.Element{}
		d.findSections(d.parts[0], d.parts[0].tree.Root(), nil)
	}
	if section := d.sections[c.sdt]; section != nil {
		return section
	}
	return d.sections[nil]
}

// findSections notes the section of each control at and below e of the main part,
// and under nil the last section. Open are the controls whose section has not
// ended yet; it returns those that are left.
func (d *Document) findSections(main *part, e *etree.Element, open []*etree.Element) []*etree.Element {
	if word(e, "sectPr") {
		for _, sdt := range open {
			d.sections[sdt] = e
		}
		d.sections[nil] = e
		return open[:0]
	}
	if main.owned[e] {
		open = append(open, e)
	}
	for _, token := range e.Child {
		if below, ok := token.(*etree.Element); ok {
			open = d.findSections(main, below, open)
		}
	}
	return open
}

// textWidth returns how wide the text of a section is, 0 if that is not known.
func textWidth(section *etree.Element) int64 {
	page, margins := child(section, "pgSz"), child(section, "pgMar")
	if page == nil || margins == nil {
		return 0
	}
	width := number(page, "w") - number(margins, "left") - number(margins, "right")
	if columns := number(child(section, "cols"), "num"); columns > 1 {
		width /= columns
	}
	return max(0, width*twip)
}

// number returns the attribute of e that is a number of at most six digits, 0 if
// it is none.
func number(e *etree.Element, key string) int64 {
	v, _ := attribute(e, key)
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 0 || n > 999_999 {
		return 0
	}
	return n
}
