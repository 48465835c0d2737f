package docxtext

import "github.com/beevik/etree"

// isWord reports whether e is the WordprocessingML element called tag.
func isWord(e *etree.Element, tag string) bool {
	return e.Tag == tag && spaceOf(e.NamespaceURI()) == word
}

// child returns the first child of e that is the WordprocessingML element called tag, or
// nil if there is none or e is nil.
func child(e *etree.Element, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, c := range e.ChildElements() {
		if isWord(c, tag) {
			return c
		}
	}
	return nil
}

// value returns an attribute without a namespace or in the namespace of e, or "" if there
// is none or e is nil.
func value(e *etree.Element, key string) string {
	if e == nil {
		return ""
	}
	for _, a := range e.Attr {
		if a.Key == key && a.Space != "xmlns" && (a.Space == "" || a.Space == e.Space || e.Space == "") {
			return a.Value
		}
	}
	return ""
}

// val returns the attribute w:val.
func val(e *etree.Element) string { return value(e, "val") }
