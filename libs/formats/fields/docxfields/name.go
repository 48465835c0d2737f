package docxfields

import "github.com/beevik/etree"

// The namespaces of WordprocessingML, transitional and strict.
const (
	spaceWord       = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	spaceWordStrict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
)

// The namespaces of Word's extensions and of markup compatibility.
const (
	spaceWord14        = "http://schemas.microsoft.com/office/word/2010/wordml"
	spaceWord15        = "http://schemas.microsoft.com/office/word/2012/wordml"
	spaceCompatibility = "http://schemas.openxmlformats.org/markup-compatibility/2006"
)

// isWord reports whether e is an element of WordprocessingML, by its namespace:
// prefixes say nothing.
func isWord(e *etree.Element) bool {
	space := e.NamespaceURI()
	return space == spaceWord || space == spaceWordStrict
}

// word reports whether e is the element of WordprocessingML called tag.
func word(e *etree.Element, tag string) bool {
	return e != nil && e.Tag == tag && isWord(e)
}

// named reports whether e is the element called tag of the namespace.
func named(e *etree.Element, space, tag string) bool {
	return e != nil && e.Tag == tag && e.NamespaceURI() == space
}

// child returns the first child of e that is the element of WordprocessingML
// called tag, nil if there is none or e is nil.
func child(e *etree.Element, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, token := range e.Child {
		if c, ok := token.(*etree.Element); ok && word(c, tag) {
			return c
		}
	}
	return nil
}

// attribute returns the value of the attribute called key of e. It is in the
// namespace of e, or in none, as some programs write it; e may be nil.
func attribute(e *etree.Element, key string) (string, bool) {
	if e == nil {
		return "", false
	}
	for i := range e.Attr {
		a := &e.Attr[i]
		if a.Key == key && a.Space != "xmlns" && (a.Space == e.Space || a.Space == "" || a.NamespaceURI() == e.NamespaceURI()) {
			return a.Value, true
		}
	}
	return "", false
}

// anyAttribute returns the value of the attribute called key of e, whatever its
// namespace is: Word gives the elements of its extensions attributes of
// WordprocessingML.
func anyAttribute(e *etree.Element, key string) string {
	for _, a := range e.Attr {
		if a.Key == key && a.Space != "xmlns" {
			return a.Value
		}
	}
	return ""
}

// val returns the attribute val of e, "" if it has none or e is nil.
func val(e *etree.Element) string {
	v, _ := attribute(e, "val")
	return v
}

// newWord returns a new element called tag with the namespace prefix of like, an
// element of WordprocessingML that is going to be above or beside it.
func newWord(like *etree.Element, tag string) *etree.Element {
	e := etree.NewElement(tag)
	e.Space = like.Space
	return e
}

// setAttribute sets the attribute called key, in the namespace of e. E stands in
// its place already, since that decides which prefixes mean what.
func setAttribute(e *etree.Element, key, value string) {
	space := e.NamespaceURI()
	for i := range e.Attr {
		a := &e.Attr[i]
		if a.Key == key && a.Space != "xmlns" && (a.Space == e.Space || a.Space == "" || a.NamespaceURI() == space) {
			a.Value = value
			return
		}
	}
	e.CreateAttr(prefixFor(e, space)+":"+key, value)
}

// prefixFor returns a prefix that means the namespace for the attributes of e,
// and declares one if there is none: attributes take no part in the default
// namespace.
func prefixFor(e *etree.Element, space string) string {
	if e.Space != "" {
		return e.Space
	}
	for above := e; above != nil; above = above.Parent() {
		for _, a := range above.Attr {
			if a.Space == "xmlns" && a.Value == space && meaning(e, a.Key) == space {
				return a.Key
			}
		}
	}
	prefix := "w"
	for meaning(e, prefix) != "" {
		prefix += "x"
	}
	e.CreateAttr("xmlns:"+prefix, space)
	return prefix
}

// meaning returns the namespace that the prefix stands for at e, "" for none.
func meaning(e *etree.Element, prefix string) string {
	for ; e != nil; e = e.Parent() {
		for _, a := range e.Attr {
			if a.Space == "xmlns" && a.Key == prefix {
				return a.Value
			}
		}
	}
	return ""
}
