// Package wml identifies the elements and attributes of WordprocessingML, finds them in
// the trees of parts, and determines their positions.
package wml

import "github.com/beevik/etree"

// The namespaces of WordprocessingML, transitional and strict.
const (
	Space       = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	SpaceStrict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
)

// The namespaces of Word's extensions and of markup compatibility.
const (
	Space2010          = "http://schemas.microsoft.com/office/word/2010/wordml"
	Space2012          = "http://schemas.microsoft.com/office/word/2012/wordml"
	SpaceCompatibility = "http://schemas.openxmlformats.org/markup-compatibility/2006"
)

// IsElement reports whether e is a WordprocessingML element. The namespace decides, not
// the prefix.
func IsElement(e *etree.Element) bool {
	space := e.NamespaceURI()
	return space == Space || space == SpaceStrict
}

// Is reports whether e is the WordprocessingML element called tag.
func Is(e *etree.Element, tag string) bool {
	return e != nil && e.Tag == tag && IsElement(e)
}

// Named reports whether e is the element called tag in the namespace.
func Named(e *etree.Element, space, tag string) bool {
	return e != nil && e.Tag == tag && e.NamespaceURI() == space
}

// Child returns the first WordprocessingML child of e called tag, or nil if there is none
// or e is nil.
func Child(e *etree.Element, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, token := range e.Child {
		if c, ok := token.(*etree.Element); ok && Is(c, tag) {
			return c
		}
	}
	return nil
}

// ChildByTag returns the child of e called tag in any namespace.
func ChildByTag(e *etree.Element, tag string) *etree.Element {
	for _, c := range e.ChildElements() {
		if c.Tag == tag {
			return c
		}
	}
	return nil
}

// HasChild reports whether e has a child with one of the tags.
func HasChild(e *etree.Element, tags ...string) bool {
	for _, tag := range tags {
		if Child(e, tag) != nil {
			return true
		}
	}
	return false
}

// New returns a new element called tag with the namespace prefix of like, a
// WordprocessingML element that will be its ancestor or sibling.
func New(like *etree.Element, tag string) *etree.Element {
	e := etree.NewElement(tag)
	e.Space = like.Space
	return e
}

// Nearest returns the nearest WordprocessingML element at or above e.
func Nearest(e *etree.Element) *etree.Element {
	for e.Parent() != nil && !IsElement(e) {
		e = e.Parent()
	}
	return e
}
