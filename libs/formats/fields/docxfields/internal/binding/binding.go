// Package binding reads and writes the targets of data bindings of content controls: the
// nodes of custom XML parts, and the document properties.
package binding

import (
	"errors"
	"fmt"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// The store item IDs that Word uses for document properties. They are not custom XML
// parts, but controls can be bound to them in the same way.
const (
	coreStore     = "{6c3c8bc8-f283-45ae-878a-bab7291924a1}"
	extendedStore = "{6668398d-a668-4e3e-a5eb-62b293d839f1}"
)

// corePropertiesType is the type of the relationship to the core properties.
const corePropertiesType = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"

const (
	// maxStore bounds the size of a custom XML part to be changed, in bytes.
	// maxStoreTags bounds the number of tags in all of them together.
	maxStore     = 16 << 20
	maxStoreTags = 500_000
)

// Stores holds the parts to which controls can be bound: custom XML and document
// properties.
type Stores struct {
	pkg *docx.Package
	// byID maps store item IDs in lower case to stores; nil until the stores are needed.
	byID map[string]*store
	// all holds the stores in the order in which they were found.
	all  []*store
	tags int
	// set holds the nodes with a new text, and filled the controls from which it came.
	set    map[nodeKey]bool
	filled map[*etree.Element]bool
}

// NewStores returns the stores of the package. They are located when the first one is
// needed.
func NewStores(pkg *docx.Package) *Stores { return &Stores{pkg: pkg} }

// Filled records that the control at sdt was filled and that its node has a new text.
func (s *Stores) Filled(n *Node, sdt *etree.Element) {
	if s.set == nil {
		s.set, s.filled = map[nodeKey]bool{}, map[*etree.Element]bool{}
	}
	s.set[n.where()], s.filled[sdt] = true, true
}

// Changed reports whether any node has a new text.
func (s *Stores) Changed() bool { return len(s.set) > 0 }

// IsNew reports whether the node has a new text that did not come from the control at
// sdt.
func (s *Stores) IsNew(n *Node, sdt *etree.Element) bool { return !s.filled[sdt] && s.set[n.where()] }

// find returns the store with the ID, or all stores for "". It parses them if it can.
func (s *Stores) find(id string) ([]*store, error) {
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

// read parses the store once. Like Word, it ignores unreadable custom XML.
func (s *Stores) read(st *store) error {
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

// findAll finds the stores through relationships.
func (s *Stores) findAll() error {
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

// add records the target of the relationship as a store.
func (s *Stores) add(id string, rel docx.Relationship) {
	part, ok := s.pkg.Part(rel.Target)
	if ok && !rel.External && part.XML && part.Size > 0 && part.Size <= maxStore && s.byID[id] == nil {
		s.byID[id] = &store{part: part}
		s.all = append(s.all, s.byID[id])
	}
}

// addCustom records the custom XML part that is the target of the relationship, under the
// ID in its properties.
func (s *Stores) addCustom(rel docx.Relationship) error {
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

// Replace writes the changed stores into the file.
func (s *Stores) Replace(edit *docx.Edit) error {
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

// Node returns the target of the binding, or nil if it does not exist or is not text.
func (s *Stores) Node(binding *etree.Element) (*Node, error) {
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

// store is a part to which controls can be bound.
type store struct {
	part *docx.Part
	// tree is nil until a node is needed. broken is set if the part cannot be parsed.
	tree    *etree.Document
	broken  bool
	changed bool
}
