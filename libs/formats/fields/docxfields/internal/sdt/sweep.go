package sdt

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// keeps reports whether something at or below e must stay when the control is emptied: a
// control of another field, the end of a section, or the delimiter of a complex field
// that extends beyond the control.
func (c *Control) keeps(e *etree.Element) bool {
	h := c.in.holds[e]
	return h&holdsKept != 0 || c.broken && h&holdsMark != 0
}

// sweep removes the runs of a paragraph, or of the content of an inline control, and
// returns the index for new runs.
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

// sweepInside sweeps an element that contains something that stays.
func (c *Control) sweepInside(e *etree.Element) {
	if content := wml.Child(e, "sdtContent"); content != nil {
		e = content
	}
	c.sweep(e)
}

// afterProperties returns the index after the properties of a paragraph.
func afterProperties(host *etree.Element) int {
	if properties := wml.Child(host, "pPr"); properties != nil {
		return properties.Index() + 1
	}
	return 0
}

// rescueMarkers moves the markers below e, which is about to be removed, to the end of
// host.
func rescueMarkers(e, host *etree.Element) {
	for _, below := range e.ChildElements() {
		if wml.IsMarker(below) {
			host.AddChild(below)
		} else {
			rescueMarkers(below, host)
		}
	}
}

// openFields returns how many complex fields are open after e, given the number before
// it, and the minimum along the way. If a field only begins or only ends in the content,
// its delimiters must stay, or the field would be damaged.
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
