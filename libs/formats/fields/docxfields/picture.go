package docxfields

import (
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// media are the pictures that were added to the package.
type media struct {
	pkg  *docx.Package
	edit *docx.Edit
	// roots are those of the parts that can have drawings.
	roots []*etree.Element
	// names are their parts by hash: equal pictures are kept once.
	names map[[32]byte]string
	// ids are the relationships to them.
	ids map[relation]string
	// lastID is the highest id of a drawing in the package, 0 until one is
	// needed.
	lastID int64
}

// newMedia returns the media of the package, which edit adds to.
func newMedia(pkg *docx.Package, edit *docx.Edit) *media {
	return &media{pkg: pkg, edit: edit, names: map[[32]byte]string{}}
}

// part returns the part of the package with the root as one that drawings are made
// for.
func (m *media) part(p *docx.Part, root *etree.Element) *canvas {
	m.roots = append(m.roots, root)
	return &canvas{media: m, part: p, root: root}
}

// canvas makes the drawings of one part.
type canvas struct {
	media *media
	part  *docx.Part
	root  *etree.Element
}

// relation is a relationship from a part to a picture.
type relation struct {
	from *docx.Part
	name string
}

// embed returns the id of the relationship from the part to the picture, which is
// in the package afterwards.
func (m *media) embed(from *docx.Part, p fields.Picture) (string, error) {
	name, known := m.names[p.SHA256]
	if !known {
		extension := strings.TrimPrefix(p.MediaType, "image/")
		name = m.edit.Unused(path.Join(path.Dir(m.pkg.Main().Name), "media", "image"), extension)
		body := docx.Body{Size: p.Size, Open: func() io.Reader { return p.Open() }}
		if err := m.edit.Add(name, p.MediaType, body); err != nil {
			return "", err
		}
		m.names[p.SHA256] = name
	}
	if id, ok := m.ids[relation{from, name}]; ok {
		return id, nil
	}
	id, err := m.edit.Relate(from, "image", name)
	if err != nil {
		return "", err
	}
	if m.ids == nil {
		m.ids = map[relation]string{}
	}
	m.ids[relation{from, name}] = id
	return id, nil
}

// maxDrawingID is the highest id that Word accepts.
const maxDrawingID = 1<<31 - 1

// maxAdded bounds the drawings that are added: there are 10 000 places with 1000
// pictures each at most.
const maxAdded = 10_000 * 1000

// nextID returns an id that no drawing of the package has.
func (m *media) nextID() int64 {
	if m.lastID == 0 {
		for _, root := range m.roots {
			m.lastID = max(m.lastID, highestID(root))
		}
	}
	m.lastID++
	return m.lastID
}

// highestID returns the highest id of a drawing at or below e. What is too high
// to be followed by others is not counted: it is damaged anyway.
func highestID(e *etree.Element) int64 {
	var highest int64
	if e.Tag == "docPr" {
		n, err := strconv.ParseInt(e.SelectAttrValue("id", ""), 10, 64)
		if err == nil && n < maxDrawingID-maxAdded {
			highest = n
		}
	}
	for _, token := range e.Child {
		if c, ok := token.(*etree.Element); ok {
			highest = max(highest, highestID(c))
		}
	}
	return highest
}

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
		box = extent{box.cx * 3, box.cy * 4}
	}
	box = c.within(box)
	format := c.format()
	var drawings []*etree.Element
	for _, p := range f.Pictures {
		size := fit(p, box, grow)
		d, err := c.part.canvas.draw(p, size, label)
		if err != nil {
			return err
		}
		if grow {
			keepAnchor(d, old)
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
func (c *control) box(drawing *etree.Element) (box extent, known bool) {
	if c.kind != kindPicture || drawing == nil {
		return textBox(), false
	}
	return shownSize(drawing)
}

// shownSize returns the size of a w:drawing, or w:pict of older Words. Without one
// known is false.
func shownSize(drawing *etree.Element) (box extent, known bool) {
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
				return extent{cx, cy}, true
			}
		}
	}
	return textBox(), false
}

// maxExtent is how large a drawing may be: 22 inches, as a page.
const maxExtent = 22 * inch

// fit returns the largest size of the proportions of the upright picture that
// box allows. Pictures grow only to fill a box that was made for one: otherwise
// they have at most their own size, at 96 pixels an inch.
func fit(p fields.Picture, box extent, grow bool) extent {
	w, h := int64(p.Width), int64(p.Height)
	if p.Orientation >= 5 {
		w, h = h, w
	}
	if w <= 0 || h <= 0 {
		return box
	}
	const pixel = inch / 96
	if !grow && w*pixel <= box.cx && h*pixel <= box.cy {
		return extent{w * pixel, h * pixel}
	}
	if w*box.cy > h*box.cx {
		return extent{box.cx, max(1, box.cx*h/w)}
	}
	return extent{max(1, box.cy*w/h), box.cy}
}
