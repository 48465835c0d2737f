package docxfields

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// The identifiers that Word gives to the properties of the document, which are no
// custom XML parts but can be shown like these.
const (
	coreStore     = "{6c3c8bc8-f283-45ae-878a-bab7291924a1}"
	extendedStore = "{6668398d-a668-4e3e-a5eb-62b293d839f1}"
)

// corePropertiesType is the type of the relationship to the core properties.
const corePropertiesType = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"

const (
	// maxStore bounds a custom XML part that is changed, in bytes, and
	// maxStoreTags the markup of all of them.
	maxStore     = 16 << 20
	maxStoreTags = 500_000
)

// stores are the parts that controls show nodes of: custom XML, and properties of
// the document.
type stores struct {
	pkg *docx.Package
	// byID are the stores by their identifiers in lower case; nil until they are
	// looked for.
	byID map[string]*store
	// all are the stores in the order in which they were found.
	all  []*store
	tags int
	// set are the nodes that were given a text, and filled the controls that were
	// filled with it.
	set    map[nodeKey]bool
	filled map[*etree.Element]bool
}

// store is a part that controls show nodes of.
type store struct {
	part *docx.Part
	// tree is nil until a node is looked for, and broken set if there is none.
	tree    *etree.Document
	broken  bool
	changed bool
}

// node is what a control shows: an element without children, or an attribute of
// one.
type node struct {
	element *etree.Element
	key     string
	store   *store
}

// nodeKey tells nodes apart.
type nodeKey struct {
	element *etree.Element
	key     string
}

// where returns what tells the node from others.
func (n *node) where() nodeKey { return nodeKey{n.element, n.key} }

// newStores returns the stores of the package, which are looked for when the first
// one is asked for.
func newStores(pkg *docx.Package) *stores { return &stores{pkg: pkg} }

// written notes that the control at sdt was filled and its node has a new text.
func (s *stores) written(n *node, sdt *etree.Element) {
	if s.set == nil {
		s.set, s.filled = map[nodeKey]bool{}, map[*etree.Element]bool{}
	}
	s.set[n.where()], s.filled[sdt] = true, true
}

// anyWritten reports whether any node has a new text.
func (s *stores) anyWritten() bool { return len(s.set) > 0 }

// isNew reports whether the node has a text that the control at sdt was not filled
// with.
func (s *stores) isNew(n *node, sdt *etree.Element) bool { return !s.filled[sdt] && s.set[n.where()] }

// find returns the store with the identifier, or all of them for "", parsed where
// they can be.
func (s *stores) find(id string) ([]*store, error) {
	if s.byID == nil {
		s.byID, s.tags = map[string]*store{}, maxStoreTags
		if err := s.findAll(); err != nil {
			return nil, err
		}
	}
	candidates := s.all
	if id != "" {
		candidates = nil
		if found := s.byID[strings.ToLower(strings.TrimSpace(id))]; found != nil {
			candidates = []*store{found}
		}
	}
	for _, c := range candidates {
		if err := s.read(c); err != nil {
			return nil, err
		}
	}
	return candidates, nil
}

// read parses the store, once. Word ignores custom XML that it cannot read.
func (s *stores) read(st *store) error {
	if st.tree != nil || st.broken {
		return nil
	}
	tree, n, err := docx.ReadTree(st.part, s.tags)
	if refusal := new(docx.Error); errors.As(err, &refusal) {
		st.broken = true
		return nil
	}
	s.tags -= n
	st.tree = tree
	return err
}

// findAll finds the stores by relationships.
func (s *stores) findAll() error {
	ofPackage, err := s.pkg.Relationships(nil)
	if err != nil {
		return err
	}
	for _, rel := range ofPackage {
		switch {
		case rel.Type == corePropertiesType:
			s.add(coreStore, rel)
		case rel.IsOf("extended-properties"):
			s.add(extendedStore, rel)
		}
	}
	ofMain, err := s.pkg.Relationships(s.pkg.Main())
	if err != nil {
		return err
	}
	for _, rel := range ofMain {
		if rel.IsOf("customXml") && !rel.External {
			if err := s.addCustom(rel); err != nil {
				return err
			}
		}
	}
	return nil
}

// add notes the store that the relationship leads to.
func (s *stores) add(id string, rel docx.Relationship) {
	part, ok := s.pkg.Part(rel.Target)
	if ok && !rel.External && part.XML && part.Size > 0 && part.Size <= maxStore && s.byID[id] == nil {
		s.byID[id] = &store{part: part}
		s.all = append(s.all, s.byID[id])
	}
}

// addCustom notes the custom XML part that the relationship leads to, by the
// identifier that its properties give.
func (s *stores) addCustom(rel docx.Relationship) error {
	item, ok := s.pkg.Part(rel.Target)
	if !ok {
		return nil
	}
	ofItem, err := s.pkg.Relationships(item)
	if err != nil {
		return err
	}
	for _, p := range ofItem {
		properties, ok := s.pkg.Part(p.Target)
		if !p.IsOf("customXmlProps") || !ok || p.External {
			continue
		}
		tree, _, err := docx.ReadTree(properties, maxStoreTags)
		if refusal := new(docx.Error); errors.As(err, &refusal) {
			continue
		}
		if err != nil {
			return err
		}
		id, _ := wml.Attr(tree.Root(), "itemID")
		s.add(strings.ToLower(id), rel)
	}
	return nil
}

// replace puts the stores that have changed into the file.
func (s *stores) replace(edit *docx.Edit) error {
	for _, st := range s.byID {
		if !st.changed {
			continue
		}
		text, err := docx.WriteTree(st.tree)
		if err != nil {
			return fmt.Errorf("write %s: %w", st.part.Name, err)
		}
		edit.Replace(st.part, text)
	}
	return nil
}

// node returns what the binding leads to, nil if that is not there, or no text.
func (s *stores) node(binding *etree.Element) (*node, error) {
	found, err := s.find(wml.AnyAttr(binding, "storeItemID"))
	spaces := parseMappings(wml.AnyAttr(binding, "prefixMappings"))
	for _, st := range found {
		if st.tree == nil {
			continue
		}
		if n := resolve(&st.tree.Element, wml.AnyAttr(binding, "xpath"), spaces); n != nil {
			n.store = st
			return n, nil
		}
	}
	return nil, err
}

// resolve returns the node that the path leads to from the document, nil if there
// is none. Paths are those that Word writes: steps of a name and an index, at the
// end an attribute or text().
func resolve(e *etree.Element, path string, spaces map[string]string) *node {
	steps := strings.Split(strings.TrimSpace(path), "/")
	if len(steps) < 2 || steps[0] != "" {
		return nil
	}
	for i, step := range steps[1:] {
		last := i == len(steps)-2
		switch key, isAttribute := strings.CutPrefix(step, "@"); {
		case last && isAttribute && e.Tag != "":
			return attributeNode(e, key, spaces)
		case last && (step == "text()" || step == "text()[1]") && e.Tag != "":
			continue
		}
		if e = follow(e, step, spaces); e == nil {
			return nil
		}
	}
	if len(e.ChildElements()) > 0 || strings.HasPrefix(strings.TrimSpace(e.Text()), "<") {
		return nil // no text, or the flat document that rich text is stored as
	}
	return &node{element: e}
}

// follow returns the child of e that a step leads to.
func follow(e *etree.Element, step string, spaces map[string]string) *etree.Element {
	name, index, ok := parseStep(step)
	if !ok {
		return nil
	}
	space, local, ok := expand(name, spaces)
	if !ok {
		return nil
	}
	for _, c := range e.ChildElements() {
		if c.Tag == local && c.NamespaceURI() == space {
			if index--; index == 0 {
				return c
			}
		}
	}
	return nil
}

// parseStep parses "ns0:name[2]".
func parseStep(step string) (name string, index int, ok bool) {
	name, rest, indexed := strings.Cut(step, "[")
	if !indexed {
		return name, 1, name != ""
	}
	index, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	return name, index, err == nil && index > 0 && name != ""
}

// expand returns the namespace and the local part of a name.
func expand(name string, spaces map[string]string) (space, local string, ok bool) {
	prefix, local, prefixed := strings.Cut(name, ":")
	if !prefixed {
		return "", name, true
	}
	space, ok = spaces[prefix]
	return space, local, ok
}

// attributeNode returns the attribute of e that the name leads to.
func attributeNode(e *etree.Element, name string, spaces map[string]string) *node {
	space, local, ok := expand(name, spaces)
	at := slices.IndexFunc(e.Attr, func(a etree.Attr) bool {
		return a.Key == local && (space == "") == (a.Space == "") && (space == "" || wml.Namespace(e, a.Space) == space)
	})
	if !ok || at < 0 {
		return nil
	}
	return &node{element: e, key: e.Attr[at].FullKey()}
}

// parseMappings parses the declarations of prefixes: xmlns:ns0='http://…'.
func parseMappings(s string) map[string]string {
	spaces := map[string]string{}
	for {
		_, rest, ok := strings.Cut(s, "xmlns:")
		prefix, rest, ok2 := strings.Cut(rest, "=")
		rest = strings.TrimSpace(rest)
		if !ok || !ok2 || rest == "" {
			return spaces
		}
		uri, after, ok := strings.Cut(rest[1:], rest[:1])
		if !ok {
			return spaces
		}
		spaces[strings.TrimSpace(prefix)] = uri
		s = after
	}
}

// text returns the text of the node.
func (n *node) text() string {
	if n.key != "" {
		return n.element.SelectAttrValue(n.key, "")
	}
	return n.element.Text()
}

// set gives the node another text.
func (n *node) set(text string) {
	if n.store.changed = true; n.key != "" {
		n.element.CreateAttr(n.key, text)
		return
	}
	n.element.Attr = slices.DeleteFunc(n.element.Attr, func(a etree.Attr) bool {
		return a.Key == "nil" && wml.Namespace(n.element, a.Space) == "http://www.w3.org/2001/XMLSchema-instance"
	})
	n.element.SetText(text)
}
