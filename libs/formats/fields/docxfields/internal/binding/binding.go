// Package binding reads and writes what content controls are bound to: the nodes of
// custom XML parts, and the properties of the document.
package binding

import (
	"errors"
	"fmt"
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

// Stores are the parts that controls show nodes of: custom XML, and properties of
// the document.
type Stores struct {
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

// NewStores returns the stores of the package, which are looked for when the first
// one is asked for.
func NewStores(pkg *docx.Package) *Stores { return &Stores{pkg: pkg} }

// Filled notes that the control at sdt was filled and its node has a new text.
func (s *Stores) Filled(n *Node, sdt *etree.Element) {
	if s.set == nil {
		s.set, s.filled = map[nodeKey]bool{}, map[*etree.Element]bool{}
	}
	s.set[n.where()], s.filled[sdt] = true, true
}

// Changed reports whether any node has a new text.
func (s *Stores) Changed() bool { return len(s.set) > 0 }

// IsNew reports whether the node has a text that the control at sdt was not filled
// with.
func (s *Stores) IsNew(n *Node, sdt *etree.Element) bool { return !s.filled[sdt] && s.set[n.where()] }

// find returns the store with the identifier, or all of them for "", parsed where
// they can be.
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

// read parses the store, once. Word ignores custom XML that it cannot read.
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

// findAll finds the stores by relationships.
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

// add notes the store that the relationship leads to.
func (s *Stores) add(id string, rel docx.Relationship) {
	part, ok := s.pkg.Part(rel.Target)
	if ok && !rel.External && part.XML && part.Size > 0 && part.Size <= maxStore && s.byID[id] == nil {
		s.byID[id] = &store{part: part}
		s.all = append(s.all, s.byID[id])
	}
}

// addCustom notes the custom XML part that the relationship leads to, by the
// identifier that its properties give.
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

// Replace puts the stores that have changed into the file.
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

// Node returns what the binding leads to, nil if that is not there, or no text.
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

// store is a part that controls show nodes of.
type store struct {
	part *docx.Part
	// tree is nil until a node is looked for, and broken set if there is none.
	tree    *etree.Document
	broken  bool
	changed bool
}
