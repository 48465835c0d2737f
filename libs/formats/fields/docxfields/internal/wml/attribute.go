package wml

import (
	"slices"

	"github.com/beevik/etree"
)

// Attr returns the value of e's attribute called key. The attribute is in the namespace
// of e or, as some programs write it, in none. e may be nil.
func Attr(e *etree.Element, key string) (string, bool) {
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

// AnyAttr returns the value of e's attribute called key in any namespace. Word gives
// elements of its extensions attributes in the namespace of WordprocessingML.
func AnyAttr(e *etree.Element, key string) string {
	for _, a := range e.Attr {
		if a.Key == key && a.Space != "xmlns" {
			return a.Value
		}
	}
	return ""
}

// Val returns the attribute val of e, or "" if it has none or e is nil.
func Val(e *etree.Element) string {
	v, _ := Attr(e, "val")
	return v
}

// IsOn reports whether an on/off element turns its property on.
func IsOn(e *etree.Element) bool {
	if e == nil {
		return false
	}
	v, given := Attr(e, "val")
	return !given || v != "0" && v != "false" && v != "off"
}

// Count returns the number in s, or 0 if it is not a number or is too large for a count.
func Count(s string) int {
	n := 0
	for _, r := range s {
		if r < '0' || r > '9' || n > 100_000 {
			return 0
		}
		n = n*10 + int(r-'0')
	}
	return n
}

// SetAttr sets the attribute called key in the namespace of e. e must already be in its
// tree, because that determines the meaning of prefixes.
func SetAttr(e *etree.Element, key, value string) {
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

// RemoveAttr removes the attribute called key, whatever its prefix.
func RemoveAttr(e *etree.Element, key string) {
	e.Attr = slices.DeleteFunc(e.Attr, func(a etree.Attr) bool { return a.Key == key && a.Space != "xmlns" })
}

// prefixFor returns a prefix of the namespace for attributes of e, and declares one if
// there is none: the default namespace does not apply to attributes.
func prefixFor(e *etree.Element, space string) string {
	if e.Space != "" {
		return e.Space
	}
	for above := e; above != nil; above = above.Parent() {
		for _, a := range above.Attr {
			if a.Space == "xmlns" && a.Value == space && Namespace(e, a.Key) == space {
				return a.Key
			}
		}
	}
	prefix := "w"
	for Namespace(e, prefix) != "" {
		prefix += "x"
	}
	e.CreateAttr("xmlns:"+prefix, space)
	return prefix
}

// Namespace returns the namespace of the prefix at e, or "" if it has none.
func Namespace(e *etree.Element, prefix string) string {
	for ; e != nil; e = e.Parent() {
		for _, a := range e.Attr {
			if a.Space == "xmlns" && a.Key == prefix {
				return a.Value
			}
		}
	}
	return ""
}
