package docx

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// Body is the content of an added part.
type Body struct {
	// Size is the number of bytes that Open yields.
	Size int64
	// Open returns a reader of the content from its first byte. It can be called any
	// number of times, so the content need not be in memory.
	Open func() io.Reader
}

// Edit is a changed copy of a package. The package itself does not change. An Edit is not
// safe for concurrent use.
type Edit struct {
	p        *Package
	replaced map[*Part][]byte
	added    []addition
	// addedKeys are the keys of the parts that were added.
	addedKeys map[string]bool
	// lists holds the changed relationships by their source part.
	lists map[*Part]*relationshipList
	// types is [Content_Types].xml, or nil while it is unchanged.
	types *typeList
}

// addition is an added part.
type addition struct {
	name string
	body Body
}

// relationshipList holds the changed relationships of a part.
type relationshipList struct {
	tree *etree.Document
	ids  map[string]bool
	next int
	// part is the part that held them, or nil if there was none.
	part *Part
	name string
}

// NewEdit returns an unchanged copy of p.
func NewEdit(p *Package) *Edit {
	return &Edit{p: p, replaced: map[*Part][]byte{}, addedKeys: map[string]bool{}, lists: map[*Part]*relationshipList{}}
}

// Replace replaces the content of a part of the package. The caller must not change
// content afterwards.
func (e *Edit) Replace(part *Part, content []byte) { e.replaced[part] = content }

// Unused returns a name that no part has: the prefix, a number and the extension, as in
// "word/media/image3.png".
func (e *Edit) Unused(prefix, extension string) string {
	for n := 1; ; n++ {
		name := prefix + strconv.Itoa(n) + "." + extension
		if _, ok := e.p.Part(name); !ok && !e.addedKeys[keyOf(name)] {
			return name
		}
	}
}

// Add adds a part, whose name must come from Unused, and declares its content type unless
// the package already does. The part is stored uncompressed, because media are compressed
// already. The error is as for Part.Open.
func (e *Edit) Add(name, contentType string, body Body) error {
	types, err := e.typeList()
	if err != nil {
		return err
	}
	types.declare(name, contentType)
	e.added = append(e.added, addition{name, body})
	e.addedKeys[keyOf(name)] = true
	return nil
}

// Relate adds a relationship from one part to the part called target, and returns its ID.
// kind is Office's name for the type, for example "image". The error is as for Part.Open.
func (e *Edit) Relate(from *Part, kind, target string) (string, error) {
	list, err := e.relationshipList(from)
	if err != nil {
		return "", err
	}
	for list.next++; list.ids["rId"+strconv.Itoa(list.next)]; list.next++ {
	}
	id := "rId" + strconv.Itoa(list.next)
	list.ids[id] = true
	space := officeRelationships
	if e.p.strict {
		space = strictRelationships
	}
	createChild(list.tree, "Relationship", "Id", id, "Type", space+kind, "Target", reference(from.Name, target))
	return id, nil
}

// reference returns the relative reference from a part to another one.
func reference(from, target string) string {
	dir, _ := path.Split(from)
	if below, ok := strings.CutPrefix(target, dir); ok {
		return (&url.URL{Path: below}).EscapedPath()
	}
	return (&url.URL{Path: "/" + target}).EscapedPath()
}

// relationshipList returns the changed relationships of the part, reading them first if
// necessary.
func (e *Edit) relationshipList(from *Part) (*relationshipList, error) {
	if list, ok := e.lists[from]; ok {
		return list, nil
	}
	dir, file := path.Split(from.Name)
	list := &relationshipList{name: dir + "_rels/" + file + ".rels", ids: map[string]bool{}}
	if part, ok := e.p.byKey[relationshipsKey(from.entry.key)]; ok {
		tree, err := readList(part)
		if err != nil {
			return nil, err
		}
		list.tree, list.part = tree, part
		for _, child := range tree.Root().ChildElements() {
			list.ids[attribute(startOf(child), "Id")] = true
		}
	} else {
		list.tree = newTree("Relationships", relationshipsSpace)
		types, err := e.typeList()
		if err != nil {
			return nil, err
		}
		types.declare(list.name, "application/vnd.openxmlformats-package.relationships+xml")
	}
	e.lists[from] = list
	return list, nil
}

// typeList is the changed [Content_Types].xml.
type typeList struct {
	part *Part
	tree *etree.Document
	// extensions holds the types declared for extensions, and overrides the types
	// declared for single parts.
	extensions, overrides map[string]string
	changed               bool
}

// typeList returns the changed content types, reading them first if necessary.
func (e *Edit) typeList() (*typeList, error) {
	if e.types != nil {
		return e.types, nil
	}
	part := e.p.byKey[contentTypesKey]
	tree, err := readList(part)
	if err != nil {
		return nil, err
	}
	e.types = &typeList{part: part, tree: tree, extensions: map[string]string{}, overrides: map[string]string{}}
	for _, child := range tree.Root().ChildElements() {
		start := startOf(child)
		switch declared := mediaType(attribute(start, "ContentType")); start.Name.Local {
		case "Default":
			e.types.extensions[strings.ToLower(attribute(start, "Extension"))] = declared
		case "Override":
			e.types.overrides[keyOf(strings.TrimPrefix(attribute(start, "PartName"), "/"))] = declared
		}
	}
	return e.types, nil
}

// declare declares the content type of the part called name: for its extension, or for
// the part alone if the extension already has another type.
func (l *typeList) declare(name, contentType string) {
	extension := extensionOf(keyOf(name))
	declared, ok := l.extensions[extension]
	own, overridden := l.overrides[keyOf(name)]
	switch {
	case overridden && own == contentType, !overridden && declared == contentType:
		return
	case !ok && !overridden:
		l.extensions[extension] = contentType
		createChild(l.tree, "Default", "Extension", extension, "ContentType", contentType)
		moveFirst(l.tree.Root())
	default:
		l.overrides[keyOf(name)] = contentType
		createChild(l.tree, "Override", "PartName", (&url.URL{Path: "/" + name}).EscapedPath(), "ContentType", contentType)
	}
	l.changed = true
}

// moveFirst moves the last child to the front, which is where programs write defaults.
func moveFirst(root *etree.Element) {
	root.InsertChildAt(0, root.RemoveChildAt(len(root.Child)-1))
}

// finish turns the changed lists into parts.
func (e *Edit) finish() error {
	for _, list := range e.lists {
		text, err := WriteTree(list.tree)
		if err != nil {
			return fmt.Errorf("write %s: %w", list.name, err)
		}
		if list.part != nil {
			e.replaced[list.part] = text
		} else {
			e.added = append(e.added, textAddition(list.name, text))
		}
	}
	if e.types == nil || !e.types.changed {
		return nil
	}
	text, err := WriteTree(e.types.tree)
	e.replaced[e.types.part] = text
	return err
}
