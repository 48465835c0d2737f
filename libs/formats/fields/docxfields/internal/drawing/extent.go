package drawing

import (
	"strconv"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Extent is a size in English Metric Units.
type Extent struct{ cx, cy int64 }

// inch is an inch in English Metric Units.
const inch = 914_400

// DefaultBox returns the maximum size of a picture if the file defines none: 2 in by 1
// in, enough for a signature.
func DefaultBox() Extent { return Extent{2 * inch, inch} }

// maxExtent is the maximum size of a drawing: 22 inches, Word's limit for a page.
const maxExtent = 22 * inch

// Fit returns the largest size that fits in box with the proportions of the upright
// picture. If grow is false, the picture is not enlarged beyond its own size at 96 pixels
// per inch; grow is for boxes made for a picture.
func Fit(p fields.Picture, box Extent, grow bool) Extent {
	w, h := int64(p.Width), int64(p.Height)
	if p.Orientation >= 5 {
		w, h = h, w
	}
	if w <= 0 || h <= 0 {
		return box
	}
	const pixel = inch / 96
	if !grow && w*pixel <= box.cx && h*pixel <= box.cy {
		return Extent{w * pixel, h * pixel}
	}
	if w*box.cy > h*box.cx {
		return Extent{box.cx, max(1, box.cx*h/w)}
	}
	return Extent{max(1, box.cy*w/h), box.cy}
}

// Times returns the box scaled by x in width and y in height.
func (e Extent) Times(x, y int64) Extent { return Extent{e.cx * x, e.cy * y} }

// Within returns the box limited to the width. A width of 0 is unknown and sets no limit.
func (e Extent) Within(width int64) Extent {
	if width > 0 {
		e.cx = min(e.cx, width)
	}
	return e
}

// attributes returns the size as XML attributes.
func (e Extent) attributes() []string {
	return []string{"cx", strconv.FormatInt(e.cx, 10), "cy", strconv.FormatInt(e.cy, 10)}
}

// SizeOf returns the size of a w:drawing, or of a w:pict of older versions of Word. known
// is false if it has no size.
func SizeOf(drawing *etree.Element) (box Extent, known bool) {
	if wml.Is(drawing, "pict") {
		return shapeBox(drawing)
	}
	for _, frame := range drawing.ChildElements() {
		for _, e := range frame.ChildElements() {
			if e.Tag != "extent" {
				continue
			}
			cx, _ := strconv.ParseInt(e.SelectAttrValue("cx", ""), 10, 64)
			cy, _ := strconv.ParseInt(e.SelectAttrValue("cy", ""), 10, 64)
			if cx > 0 && cy > 0 && cx <= maxExtent && cy <= maxExtent {
				return Extent{cx, cy}, true
			}
		}
	}
	return DefaultBox(), false
}
