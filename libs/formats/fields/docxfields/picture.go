package docxfields

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// setPictures lets the control show the pictures, one after the other. One that
// is made for pictures shows them as large as the one that it showed; any other
// becomes a control of rich text.
func (c *control) setPictures(f fields.Filling, label string) error {
	old := c.drawing(c.content)
	box, grow := c.box(old)
	if c.kind != kindPicture {
		c.dropKind()
	}
	if !grow && f.Type != fields.Signature {
		box = box.Times(3, 4)
	}
	box = c.within(box)
	format := c.format()
	var drawings []*etree.Element
	for _, p := range f.Pictures {
		size := drawing.Fit(p, box, grow)
		d, err := c.part.canvas.Draw(p, size, label)
		if err != nil {
			return err
		}
		if grow {
			drawing.KeepAnchor(d, old)
		}
		drawings = append(drawings, d)
	}
	host, at := c.clear()
	if host == nil {
		return nil
	}
	run := runs.Insert(host, at, format, "")
	for _, d := range drawings {
		run.AddChild(d)
	}
	c.showContent()
	return nil
}

// drawing returns the first w:drawing, or w:pict of older Words, below e that is not in a control of another
// field, nil if there is none.
func (c *control) drawing(e *etree.Element) *etree.Element {
	for _, below := range e.ChildElements() {
		if c.part.owns(below) {
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
func (c *control) box(old *etree.Element) (box drawing.Extent, known bool) {
	if c.kind != kindPicture || old == nil {
		return drawing.TextBox(), false
	}
	return drawing.SizeOf(old)
}
