package wml

import (
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// Paths tells where elements are in their part. It keeps what it has counted: a
// body can have 100 000 paragraphs, and as many fields.
type Paths map[*etree.Element]int

// Of returns where e is in its part, for example
// "/w:document[1]/w:body[1]/w:sdt[2]". Indexes count the siblings of the same
// name. Elements of WordprocessingML have the prefix w, whatever the part calls
// it; others have that of the part.
func (p Paths) Of(e *etree.Element) string {
	var steps []string
	for ; e != nil && e.Tag != ""; e = e.Parent() {
		if p[e] == 0 {
			p.count(e.Parent())
		}
		steps = append(steps, shownName(e)+"["+strconv.Itoa(max(1, p[e]))+"]")
	}
	slices.Reverse(steps)
	return "/" + strings.Join(steps, "/")
}

// count notes which of the siblings of its name each child of the parent is.
func (p Paths) count(parent *etree.Element) {
	if parent == nil {
		return
	}
	counts := map[string]int{}
	for _, token := range parent.Child {
		if e, ok := token.(*etree.Element); ok {
			name := shownName(e)
			counts[name]++
			p[e] = counts[name]
		}
	}
}

// shownName returns the name of e as paths show it.
func shownName(e *etree.Element) string {
	if IsElement(e) {
		return "w:" + e.Tag
	}
	return e.FullTag()
}
