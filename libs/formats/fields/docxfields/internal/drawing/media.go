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

// Media are the pictures that were added to the package.
type Media struct {
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

// NewMedia returns the media of the package, which edit adds to.
func NewMedia(pkg *docx.Package, edit *docx.Edit) *Media {
	return &Media{pkg: pkg, edit: edit, names: map[[32]byte]string{}}
}

// Part returns the part of the package with the root as one that drawings are made
// for.
func (m *Media) Part(p *docx.Part, root *etree.Element) *Part {
	m.roots = append(m.roots, root)
	return &Part{media: m, part: p, root: root}
}

// relation is a relationship from a part to a picture.
type relation struct {
	from *docx.Part
	name string
}

// embed returns the id of the relationship from the part to the picture, which is
// in the package afterwards.
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

// maxDrawingID is the highest id that Word accepts.
const maxDrawingID = 1<<31 - 1

// maxAdded bounds the drawings that are added: there are 10 000 places with 1000
// pictures each at most.
const maxAdded = 10_000 * 1000

// nextID returns an id that no drawing of the package has.
func (m *Media) nextID() int64 {
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
