package docxfields

import (
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// elementPath returns where e is in its part, for example
// "/w:document[1]/w:body[1]/w:sdt[2]". Indexes count the siblings of the same
// name. Elements of WordprocessingML have the prefix w, whatever the part calls
// it; others have that of the part.
func elementPath(e *etree.Element) string {
	var steps []string
	for ; e != nil && e.Tag != ""; e = e.Parent() {
		steps = append(steps, shownName(e)+"["+strconv.Itoa(ordinal(e))+"]")
	}
	slices.Reverse(steps)
	return "/" + strings.Join(steps, "/")
}

// shownName returns the name of e as paths show it.
func shownName(e *etree.Element) string {
	if isWord(e) {
		return "w:" + e.Tag
	}
	return e.FullTag()
}

// ordinal returns which of the siblings of its name e is, from 1.
func ordinal(e *etree.Element) int {
	parent := e.Parent()
	if parent == nil {
		return 1
	}
	n := 1
	for _, sibling := range parent.Child {
		other, ok := sibling.(*etree.Element)
		switch {
		case !ok:
		case other == e:
			return n
		case other.Tag == e.Tag && other.NamespaceURI() == e.NamespaceURI():
			n++
		}
	}
	return n
}
