package drawing

import (
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields"
)

// Media holds the pictures added to the package.
type Media struct {
	pkg  *docx.Package
	edit *docx.Edit
	// roots holds the roots of the parts that can contain drawings.
	roots []*etree.Element
	// names maps hashes to part names: equal pictures are stored once.
	names map[[32]byte]string
	// ids maps relationships to their IDs.
	ids map[relation]string
	// lastID is the highest drawing ID in the package, or 0 until one is needed.
	lastID int64
}

// NewMedia returns the media of the package, to which edit adds parts.
func NewMedia(pkg *docx.Package, edit *docx.Edit) *Media {
	return &Media{pkg: pkg, edit: edit, names: map[[32]byte]string{}}
}

// Part returns a Part that creates drawings in the part with the root.
func (m *Media) Part(p *docx.Part, root *etree.Element) *Part {
	m.roots = append(m.roots, root)
	return &Part{media: m, part: p, root: root}
}

// relation is a relationship from a part to a picture.
type relation struct {
	from *docx.Part
	name string
}

// embed adds the picture to the package, unless it is already there, and returns the ID
// of the relationship from the part to it.
func (m *Media) embed(from *docx.Part, p fields.Picture) (string, error) {
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

// maxDrawingID is the highest ID that Word accepts.
const maxDrawingID = 1<<31 - 1

// maxAdded bounds the drawings that can be added: at most 10 000 places with 1000
// pictures each.
const maxAdded = 10_000 * 1000

// nextID returns an ID that no drawing of the package has.
func (m *Media) nextID() int64 {
	if m.lastID == 0 {
		for _, root := range m.roots {
			m.lastID = max(m.lastID, highestID(root))
		}
	}
	m.lastID++
	return m.lastID
}

// highestID returns the highest ID of a drawing at or below e. It ignores IDs so high
// that not enough others could follow; such files are damaged anyway.
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
