package form

import "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

// maxFieldNodes is how many nodes of the tree of fields are read.
const maxFieldNodes = 200_000

// readFields walks the tree of fields below the AcroForm dictionary.
func (m *form) readFields() {
	if m.acro.Dict == nil {
		return
	}
	list, owner := m.array(m.acro.Dict["Fields"], m.acro.owner)
	w := &fieldWalk{form: m}
	for _, o := range list {
		w.walk(o, owner, nil)
	}
}

type fieldWalk struct {
	*form
	nodes int
}

// walk reads a field with its kids. above holds its ancestors, the nearest first.
func (w *fieldWalk) walk(o types.Object, owner int, above []node) {
	w.nodes++
	n, ok := w.dict(o, owner)
	if !ok {
		return
	}
	if w.nodes > maxFieldNodes || len(above) > maxDepth {
		w.unread = true
		return
	}
	if _, ok := o.(types.IndirectRef); ok {
		if w.reachable[n.owner] {
			return
		}
		w.reachable[n.owner] = true
	}
	chain := append([]node{n}, above...)
	field := &widget{node: n, chain: chain}
	if w.file.name(field.inherited("FT")) == "Sig" {
		w.addSignature(field.inherited("V"), field.inherited("Lock"))
	}
	kids, owner := w.array(n.Dict["Kids"], n.owner)
	for _, kid := range kids {
		w.walk(kid, owner, chain)
	}
}

// attached reports whether the field of a widget can be found from the AcroForm
// dictionary.
func (m *form) attached(w *widget) bool {
	for _, n := range w.chain {
		if m.reachable[n.owner] {
			return true
		}
	}
	return false
}
