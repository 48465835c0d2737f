package sdt

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// keeps reports whether something at or below e has to stay when the control is
// emptied: a control of another field, the end of a section, or a mark of a
// complex field that goes on outside.
func (c *Control) keeps(e *etree.Element) bool {
	h := c.in.holds[e]
	return h&holdsKept != 0 || c.broken && h&holdsMark != 0
}

// sweep removes the runs of a paragraph, or of the content of an inline control,
// and returns the index at which others take their place.
func (c *Control) sweep(host *etree.Element) int {
	var gone []*etree.Element
	for _, e := range host.ChildElements() {
		switch {
		case wml.IsProperties(e) || wml.IsMarker(e) || c.in.owned[e]:
			continue
		case c.keeps(e):
			c.sweepInside(e)
			continue
		case e.Tag == "r" && wml.HasChild(e, "commentReference"):
			continue
		}
		gone = append(gone, e)
	}
	if len(gone) == 0 {
		return afterProperties(host)
	}
	at := gone[0].Index()
	removeAll(gone, host)
	return at
}

// sweepInside sweeps what holds something that stays.
func (c *Control) sweepInside(e *etree.Element) {
	if content := wml.Child(e, "sdtContent"); content != nil {
		e = content
	}
	c.sweep(e)
}

// afterProperties returns the index behind the properties of a paragraph.
func afterProperties(host *etree.Element) int {
	if properties := wml.Child(host, "pPr"); properties != nil {
		return properties.Index() + 1
	}
	return 0
}

// rescueMarkers moves the markers below e, which is about to be removed, to the
// end of host.
func rescueMarkers(e, host *etree.Element) {
	for _, below := range e.ChildElements() {
		if wml.IsMarker(below) {
			host.AddChild(below)
		} else {
			rescueMarkers(below, host)
		}
	}
}

// openFields returns how many complex fields are open behind e, if so many are
// before it, and the least number on the way. Where a field begins or ends in the
// content but not both, it would be damaged without its marks.
func (c *Control) openFields(e *etree.Element, open, least int) (int, int) {
	for _, below := range e.ChildElements() {
		switch {
		case c.in.owned[below] || c.in.holds[below]&holdsMark == 0:
			continue
		case wml.Is(below, "fldChar"):
			switch kind, _ := wml.Attr(below, "fldCharType"); kind {
			case "begin":
				open++
			case "end":
				open--
			}
			least = min(least, open)
		default:
			open, least = c.openFields(below, open, least)
		}
	}
	return open, least
}
