package form

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// layer is the content that shows the widgets of a page. There is at least one.
type layer struct {
	*filler
	page
	widgets []*widget
	content bytes.Buffer
	// names holds the names of the page's resources by the numbers of their objects.
	names map[int]string
}

// flatten draws the widgets that are visible on a screen.
func (l *layer) flatten() error {
	for _, w := range l.widgets {
		hidden := l.integer(w.Dict["F"])&(flagHidden|flagNoView) != 0
		if !hidden && !l.rect(w.Dict["Rect"]).empty() {
			if err := l.drawStale(w); err != nil {
				return err
			}
			if a, ok := l.place(w); ok {
				l.add(w, a)
				continue
			}
		}
		l.untag(w)
	}
	if l.content.Len() > 0 {
		l.paint(l.page, l.content.Bytes())
	}
	return nil
}

// add draws a widget. Its optional content group, if it has one, applies to the drawing.
func (l *layer) add(w *widget, a placement) {
	a = l.tag(w, a)
	operators := invocation(l.name("XObject", "Field", a.ref), a.matrix)
	group, ok := l.sub(w.node, "OC")
	if !ok {
		l.content.Write(operators)
		return
	}
	ref := *types.NewIndirectRef(group.owner, l.generation(group.owner))
	if group.owner == w.owner { // it is not an object of its own
		ref = l.filler.add(group.Dict)
	}
	fmt.Fprintf(&l.content, "/OC /%s BDC\n%sEMC\n", l.name("Properties", "Layer", ref), operators)
}

// name returns the name of an object in the resources of the page.
func (l *layer) name(category, prefix string, ref types.IndirectRef) string {
	number := int(ref.ObjectNumber)
	if l.names[number] == "" {
		l.names[number] = l.resource(l.page, category, prefix, ref)
	}
	return l.names[number]
}

// placement is a form XObject, the matrix that places it on a page, and the box that it
// covers there.
type placement struct {
	ref    types.IndirectRef
	matrix matrix
	box    rect
}

// place returns where the page shows the appearance of a widget. It reports false if nothing
// of it is visible.
func (l *layer) place(w *widget) (a placement, ok bool) {
	s, ok := l.normal(w)
	if !ok || !l.completed(s, w) {
		return a, false
	}
	a.ref = *types.NewIndirectRef(s.owner, l.generation(s.owner))
	to := l.rect(w.Dict["Rect"])
	own := l.matrixOf(s)
	a.matrix, ok = fit(own.bounds(l.rect(s.Dict["BBox"])), to)
	a.box = to
	if l.integer(w.Dict["F"])&flagNoRotate != 0 {
		upright, _, _ := l.displayed(l.page)
		upright[4], upright[5] = 0, 0
		upright = matrix{1, 0, 0, 1, -to.left, -to.top}.times(upright).times(matrix{1, 0, 0, 1, to.left, to.top})
		a.matrix, a.box = a.matrix.times(upright), upright.bounds(to)
	}
	return a, ok
}

// normal returns the stream that is the normal appearance of a widget in its state.
func (f *file) normal(w *widget) (node, bool) {
	ap, _ := f.sub(w.node, "AP")
	o, owner := f.resolve(ap.Dict["N"], ap.owner)
	if states, ok := o.(types.Dict); ok {
		state := f.name(w.Dict["AS"])
		if v := f.name(w.inherited("V")); state == "" && states[v] != nil {
			state = v
		}
		if state == "" {
			state = off
		}
		o, owner = f.resolve(states[state], owner)
	}
	s, ok := o.(types.StreamDict)
	return node{s.Dict, owner}, ok && s.Dict != nil
}

// completed adds what an appearance may lack but a form XObject must have. It reports false
// if the stream is something else.
func (f *filler) completed(s node, w *widget) bool {
	switch f.file.name(s.Dict["Subtype"]) {
	case "":
		f.set(s, "Subtype", types.Name("Form"))
	case "Form":
	default:
		return false
	}
	if len(f.numbers(s.Dict["BBox"], 4)) < 4 {
		r, m := f.rect(w.Dict["Rect"]), f.matrixOf(s)
		width, height := r.width(), r.height()
		if math.Abs(m[0]) < math.Abs(m[1]) { // a quarter turn
			width, height = height, width
		}
		f.set(s, "BBox", array([]float64{0, 0, width, height}))
	}
	return true
}

// matrixOf returns the matrix of a form XObject.
func (f *file) matrixOf(s node) matrix {
	n := f.numbers(s.Dict["Matrix"], 6)
	if len(n) < 6 {
		return matrix{1, 0, 0, 1, 0, 0}
	}
	return matrix(n)
}

// fit returns the matrix that scales and moves one rectangle to another: ISO 32000-1,
// 12.5.5. It reports false if a rectangle is empty or out of proportion.
func fit(from, to rect) (matrix, bool) {
	x, y := to.width()/from.width(), to.height()/from.height()
	m := matrix{x, 0, 0, y, to.left - from.left*x, to.bottom - from.bottom*y}
	for _, n := range m {
		if !(math.Abs(n) <= maxCoordinate) { // or NaN
			return m, false
		}
	}
	return m, !from.empty() && !to.empty()
}

// bounds returns the smallest rectangle around a transformed one.
func (m matrix) bounds(r rect) rect {
	a, b := m.at(r.left, r.bottom), m.at(r.right, r.top)
	c, d := m.at(r.left, r.top), m.at(r.right, r.bottom)
	return rect{
		min(a[4], b[4], c[4], d[4]), min(a[5], b[5], c[5], d[5]),
		max(a[4], b[4], c[4], d[4]), max(a[5], b[5], c[5], d[5]),
	}
}

// times returns the matrix that transforms by m and then by n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// invocation returns the operators that draw an XObject.
func invocation(name string, m matrix) []byte {
	b := []byte("q ")
	for i, n := range m {
		if i < 4 { // of factors, only the relative precision matters
			b = strconv.AppendFloat(b, n, 'f', -1, 32)
		} else {
			b = strconv.AppendFloat(b, round(n), 'f', -1, 64)
		}
		b = append(b, ' ')
	}
	return fmt.Appendf(b, "cm /%s Do Q\n", name)
}
