package form

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Bounds of what is read of the structure of a tagged file. maxKids is how many kids of
// structure elements are looked at for all widgets.
const (
	maxElements = 1_000_000
	maxKids     = 10_000_000
)

// tags are the structure elements of the objects of a tagged file, by their keys.
type tags struct {
	*file
	elements map[int]types.Object
	// nodes is the number of nodes that have been read, and kids the number of kids that
	// have been looked at.
	nodes, kids int
}

// readTags reads the parent tree of a file: ISO 32000-1, 14.7.4.4.
func (f *file) readTags() *tags {
	t := &tags{file: f, elements: map[int]types.Object{}}
	if root, ok := f.dict(f.root["StructTreeRoot"], 0); ok {
		t.read(root.Dict["ParentTree"], 0)
	}
	return t
}

// read reads a node of the number tree.
func (t *tags) read(o types.Object, depth int) {
	n, ok := t.dict(o, 0)
	if t.nodes++; !ok || depth > maxDepth || t.nodes > maxElements {
		return
	}
	pairs, _ := t.array(n.Dict["Nums"], 0)
	for i := 0; i+1 < len(pairs) && len(t.elements) < maxElements; i += 2 {
		t.elements[t.integer(pairs[i])] = pairs[i+1]
	}
	kids, _ := t.array(n.Dict["Kids"], 0)
	for _, kid := range kids {
		t.read(kid, depth+1)
	}
}

// tag is the object reference by which a structure element refers to a widget. It is
// a kid of the element or, if index is not negative, one of its kids.
type tag struct {
	element, reference node
	kids               types.Array
	index, owner       int
}

// find finds the tag of a widget.
func (t *tags) find(w *widget) (tag, bool) {
	if w.Dict["StructParent"] == nil {
		return tag{}, false
	}
	element, ok := t.dict(t.elements[t.integer(w.Dict["StructParent"])], 0)
	if !ok {
		return tag{}, false
	}
	o, owner := t.resolve(element.Dict["K"], element.owner)
	if n, ok := t.refersTo(o, owner, w); ok {
		return tag{element: element, reference: n, index: -1}, true
	}
	kids, _ := o.(types.Array)
	for i, o := range kids {
		if t.kids++; t.kids > maxKids {
			break
		}
		if n, ok := t.refersTo(o, owner, w); ok {
			return tag{element, n, kids, i, owner}, true
		}
	}
	return tag{}, false
}

// refersTo reports whether a kid of a structure element is a reference to a widget.
func (t *tags) refersTo(kid types.Object, owner int, w *widget) (node, bool) {
	n, ok := t.dict(kid, owner)
	if !ok {
		return n, false
	}
	ref, ok := n.Dict["Obj"].(types.IndirectRef)
	return n, ok && int(ref.ObjectNumber) == w.owner
}

// tag makes the structure element of a widget refer to what is drawn instead, so that the
// file stays tagged: ISO 32000-1, 14.7.4.3. Widgets may share an appearance, but not an
// object that belongs to an element, so the appearance gets an object around it.
func (l *layer) tag(w *widget, a placement) placement {
	t, ok := l.tags.find(w)
	if !ok {
		return a
	}
	d := types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Form"),
		"BBox":         array([]float64{a.box.left - 1, a.box.bottom - 1, a.box.right + 1, a.box.top + 1}),
		"Resources":    types.Dict{"XObject": types.Dict{"Field": a.ref}},
		"StructParent": w.Dict["StructParent"],
	}
	ref := l.filler.add(stream(d, invocation("Field", a.matrix)))
	l.set(t.reference, "Obj", ref)
	return placement{ref, matrix{1, 0, 0, 1, 0, 0}, a.box}
}

// untag removes the reference of a structure element to a widget that is not drawn.
func (l *layer) untag(w *widget) {
	t, ok := l.tags.find(w)
	if !ok {
		return
	}
	rest := slices.Concat(t.kids[:max(0, t.index)], t.kids[t.index+1:])
	switch {
	case len(rest) == 0:
		l.set(t.element, "K", nil)
	case t.owner == t.element.owner:
		l.set(t.element, "K", rest)
	default:
		l.ctx.Table[t.owner].Object = rest
		l.changed[t.owner] = true
	}
}
