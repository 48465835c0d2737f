// Package drawing creates drawings that show pictures, adds the pictures to the package,
// and determines how large they may be.
package drawing

import (
	"strconv"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// The namespaces of drawings. Strict documents use different ones.
const (
	spaceFrame         = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
	spaceFrameStrict   = "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing"
	spaceDrawing       = "http://schemas.openxmlformats.org/drawingml/2006/main"
	spaceDrawingStrict = "http://purl.oclc.org/ooxml/drawingml/main"
	spacePicture       = "http://schemas.openxmlformats.org/drawingml/2006/picture"
	spacePictureStrict = "http://purl.oclc.org/ooxml/drawingml/picture"
	spaceRelations     = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	spaceRelStrict     = "http://purl.oclc.org/ooxml/officeDocument/relationships"
)

// Part creates the drawings of one part.
type Part struct {
	media *Media
	part  *docx.Part
	root  *etree.Element
}

// Near returns a Room that creates drawings near the element.
func (p *Part) Near(at *etree.Element) Room { return Room{p, at} }

// fitted returns a new upright drawing of the picture that is as large as box allows.
func (p *Part) fitted(picture fields.Picture, box Extent, label string) (*etree.Element, error) {
	return p.Draw(picture, Fit(picture, box, false), label)
}

// Draw returns a new drawing of the given size that shows the picture upright. The
// drawing declares its own namespaces, so that it can be inserted anywhere in the part.
func (p *Part) Draw(picture fields.Picture, size Extent, label string) (*etree.Element, error) {
	relation, err := p.media.embed(p.part, picture)
	if err != nil {
		return nil, err
	}
	id := p.media.nextID()
	frame, drawing, pic, relations := spaceFrame, spaceDrawing, spacePicture, spaceRelations
	word := wml.Space
	if p.root.NamespaceURI() == wml.SpaceStrict {
		frame, drawing, pic, relations, word = spaceFrameStrict, spaceDrawingStrict, spacePictureStrict, spaceRelStrict, wml.SpaceStrict
	}
	name := "Picture " + strconv.FormatInt(id, 10)
	d := build("w:drawing", "xmlns:w", word)
	inline := d.AddNew("wp:inline", "xmlns:wp", frame, "distT", "0", "distB", "0", "distL", "0", "distR", "0")
	stored := storedSize(picture.Orientation, size)
	inline.AddNew("wp:extent", stored.attributes()...)
	inline.AddNew("wp:effectExtent", overhang(stored, size)...)
	inline.AddNew("wp:docPr", "id", strconv.FormatInt(id, 10), "name", name, "descr", runs.Clean(label))
	inline.AddNew("wp:cNvGraphicFramePr").AddNew("a:graphicFrameLocks", "xmlns:a", drawing, "noChangeAspect", "1")
	data := inline.AddNew("a:graphic", "xmlns:a", drawing).AddNew("a:graphicData", "uri", pic)
	shape := data.AddNew("pic:pic", "xmlns:pic", pic)
	properties := shape.AddNew("pic:nvPicPr")
	properties.AddNew("pic:cNvPr", "id", strconv.FormatInt(id, 10), "name", name, "descr", runs.Clean(label))
	properties.AddNew("pic:cNvPicPr")
	fill := shape.AddNew("pic:blipFill")
	fill.AddNew("a:blip", "xmlns:r", relations, "r:embed", relation)
	fill.AddNew("a:stretch").AddNew("a:fillRect")
	outline := shape.AddNew("pic:spPr")
	turn(outline, picture.Orientation, stored)
	outline.AddNew("a:prstGeom", "prst", "rect").AddNew("a:avLst")
	return d.Element, nil
}

// storedSize returns the size of the picture before rotation, given its upright size.
func storedSize(orientation int, upright Extent) Extent {
	if orientation >= 5 && orientation <= 8 {
		return Extent{upright.cy, upright.cx}
	}
	return upright
}

// overhang returns the attributes for how far the upright picture extends beyond the
// frame, which Word gives the size of the picture before rotation.
func overhang(stored, upright Extent) []string {
	x := strconv.FormatInt(max(0, upright.cx-stored.cx)/2, 10)
	y := strconv.FormatInt(max(0, upright.cy-stored.cy)/2, 10)
	return []string{"l", x, "t", y, "r", x, "b", y}
}

// turn adds the transformation that turns the stored pixels upright, for an Exif
// orientation. A shape is mirrored first and then rotated around its center.
func turn(outline builder, orientation int, stored Extent) {
	xfrm := outline.AddNew("a:xfrm")
	rotation, flip := rotationOf(orientation)
	if rotation != 0 {
		xfrm.CreateAttr("rot", strconv.Itoa(rotation*60_000))
	}
	if flip {
		xfrm.CreateAttr("flipH", "1")
	}
	xfrm.AddNew("a:off", "x", "0", "y", "0")
	xfrm.AddNew("a:ext", stored.attributes()...)
}

// rotationOf returns the clockwise rotation in degrees that makes a picture upright,
// after mirroring it horizontally if flip is set.
func rotationOf(orientation int) (degrees int, flip bool) {
	switch orientation {
	case 2:
		return 0, true
	case 3:
		return 180, false
	case 4:
		return 180, true
	case 5:
		return 270, true
	case 6:
		return 90, false
	case 7:
		return 90, true
	case 8:
		return 270, false
	}
	return 0, false
}

// builder adds child elements to a new element.
type builder struct{ *etree.Element }

// build returns a new element. attributes holds pairs of a name and a value.
func build(tag string, attributes ...string) builder {
	e := etree.NewElement(tag)
	for i := 0; i < len(attributes); i += 2 {
		e.CreateAttr(attributes[i], attributes[i+1])
	}
	return builder{e}
}

// AddNew adds the element that build returns, and returns it.
func (b builder) AddNew(tag string, attributes ...string) builder {
	e := build(tag, attributes...)
	b.AddChild(e.Element)
	return e
}
