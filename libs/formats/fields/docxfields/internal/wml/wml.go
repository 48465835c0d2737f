// Package wml names the elements and attributes of WordprocessingML, finds them in
// the trees of parts, and tells where they stand.
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

// IsElement reports whether e is an element of WordprocessingML, by its namespace:
// prefixes say nothing.
func IsElement(e *etree.Element) bool {
	space := e.NamespaceURI()
	return space == Space || space == SpaceStrict
}

// Is reports whether e is the element of WordprocessingML called tag.
func Is(e *etree.Element, tag string) bool {
	return e != nil && e.Tag == tag && IsElement(e)
}

// Named reports whether e is the element called tag of the namespace.
func Named(e *etree.Element, space, tag string) bool {
	return e != nil && e.Tag == tag && e.NamespaceURI() == space
}

// Child returns the first child of e that is the element of WordprocessingML
// called tag, nil if there is none or e is nil.
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

// ChildByTag returns the child of e called tag, whatever its namespace is.
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

// New returns a new element called tag with the namespace prefix of like, an
// element of WordprocessingML that is going to be above or beside it.
func New(like *etree.Element, tag string) *etree.Element {
	e := etree.NewElement(tag)
	e.Space = like.Space
	return e
}

// Nearest returns the nearest element of WordprocessingML at or above e.
func Nearest(e *etree.Element) *etree.Element {
	for e.Parent() != nil && !IsElement(e) {
		e = e.Parent()
	}
	return e
}
