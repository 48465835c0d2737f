package binding

import (
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Node is the target of a binding: an element without children, or an attribute.
type Node struct {
	element *etree.Element
	key     string
	store   *store
}

// nodeKey identifies a node.
type nodeKey struct {
	element *etree.Element
	key     string
}

// where returns the key of the node.
func (n *Node) where() nodeKey { return nodeKey{n.element, n.key} }

// Text returns the text of the node.
func (n *Node) Text() string {
	if n.key != "" {
		return n.element.SelectAttrValue(n.key, "")
	}
	return n.element.Text()
}

// Set changes the text of the node.
func (n *Node) Set(text string) {
	if n.store.changed = true; n.key != "" {
		n.element.CreateAttr(n.key, text)
		return
	}
	n.element.Attr = slices.DeleteFunc(n.element.Attr, func(a etree.Attr) bool {
		return a.Key == "nil" && wml.Namespace(n.element, a.Space) == "http://www.w3.org/2001/XMLSchema-instance"
	})
	n.element.SetText(text)
}
