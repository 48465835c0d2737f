package control

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// setPictures lets the control show the pictures, one after the other. One that
// is made for pictures shows them as large as the one that it showed; any other
// becomes a control of rich text.
func (c *Control) setPictures(f fields.Filling, label string) error {
	old := c.drawing(c.Content)
	box, grow := c.box(old)
	if c.Kind != sdt.Picture {
		c.DropKind()
	}
	if !grow && f.Type != fields.Signature {
		box = box.Times(3, 4)
	}
	box = c.within(box)
	format := c.Format()
	var drawings []*etree.Element
	for _, p := range f.Pictures {
		size := drawing.Fit(p, box, grow)
		d, err := c.part.drawings.Draw(p, size, label)
		if err != nil {
			return err
		}
		if grow {
			drawing.KeepAnchor(d, old)
		}
		drawings = append(drawings, d)
	}
	host, at := c.Clear()
	if host == nil {
		return nil
	}
	run := runs.Insert(host, at, format, "")
	for _, d := range drawings {
		run.AddChild(d)
	}
	c.ShowContent()
	return nil
}

// drawing returns the first w:drawing, or w:pict of older Words, below e that is not
// in a control of another field, nil if there is none.
func (c *Control) drawing(e *etree.Element) *etree.Element {
	for _, below := range e.ChildElements() {
		if c.part.structure.Owns(below) {
			continue
		}
		if wml.Is(below, "drawing") || wml.Is(below, "pict") {
			return below
		}
		if d := c.drawing(below); d != nil {
			return d
		}
	}
	return nil
}

// box returns how large a picture in the control may become: as large as the one
// that a control for pictures shows. Without that known is false.
func (c *Control) box(old *etree.Element) (box drawing.Extent, known bool) {
	if c.Kind != sdt.Picture || old == nil {
		return drawing.DefaultBox(), false
	}
	return drawing.SizeOf(old)
}

// within returns the box, no wider than the cell or the text of the page.
func (c *Control) within(box drawing.Extent) drawing.Extent {
	cell := wml.Child(c.Content, "tc")
	if cell == nil {
		cell = wml.Above(c.SDT, "tc")
	}
	width := drawing.CellWidth(cell)
	if width == 0 {
		width = drawing.TextWidth(c.section())
	}
	return box.Within(width)
}
