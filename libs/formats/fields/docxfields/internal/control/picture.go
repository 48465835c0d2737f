package control

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// setPictures makes the control show the pictures, one after another. A picture control
// shows them as large as its previous picture; any other control becomes a rich text
// control.
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

// drawing returns the first w:drawing, or w:pict of older versions of Word, below e that
// is not in a control of another field, or nil if there is none.
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

// box returns the maximum size of a picture in the control, which for a picture control
// is that of the picture it shows. known is false if there is none.
func (c *Control) box(old *etree.Element) (box drawing.Extent, known bool) {
	if c.Kind != sdt.Picture || old == nil {
		return drawing.DefaultBox(), false
	}
	return drawing.SizeOf(old)
}

// within returns the box, limited to the width of the cell or of the page's text area.
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
