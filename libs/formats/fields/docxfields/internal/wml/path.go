package wml

import (
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// Paths determines the paths of elements in their part. It caches sibling counts: a body
// can have 100 000 paragraphs, and as many fields.
type Paths map[*etree.Element]int

// Of returns the path of e in its part, for example "/w:document[1]/w:body[1]/w:sdt[2]".
// Indexes count siblings of the same name. WordprocessingML elements always have the
// prefix w; others have the prefix used in the part.
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

// count records the index of each child of the parent among its siblings of the same
// name.
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

// shownName returns the name of e as written in paths.
func shownName(e *etree.Element) string {
	if IsElement(e) {
		return "w:" + e.Tag
	}
	return e.FullTag()
}
