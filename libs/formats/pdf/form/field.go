package form

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// fillText writes a text. A signature field shows it without having a value.
func (f *filler) fillText(v value, group []*widget) error {
	if group[0].kind == kindText {
		f.setValue(group, textString(v.Text))
	}
	for _, w := range group {
		s, err := f.painter.Text(f.look(w), v.Text)
		if err != nil {
			return err
		}
		if err := f.show(w, s); err != nil {
			return err
		}
	}
	return nil
}

// fillChoice writes the selected options of a dropdown or list.
func (f *filler) fillChoice(v value, group []*widget) error {
	f.setValue(group, choiceValue(v.Value))
	for _, w := range group {
		if w.flags&flagCombo != 0 {
			f.drop(w, "I")
			s, err := f.painter.Text(f.look(w), v.Text)
			if err != nil {
				return err
			}
			if err := f.show(w, s); err != nil {
				return err
			}
			continue
		}
		if err := f.fillList(v, w); err != nil {
			return err
		}
	}
	return nil
}

// choiceValue returns the value of a choice field: the export values, or else the text.
func choiceValue(v Value) types.Object {
	switch {
	case len(v.Export) > 1:
		var all types.Array
		for _, s := range v.Export {
			all = append(all, textString(s))
		}
		return all
	case len(v.Export) == 1:
		return textString(v.Export[0])
	case v.Text != "":
		return textString(v.Text)
	}
	return nil
}

// fillList writes the selected options of one widget of a list.
func (f *filler) fillList(v value, w *widget) error {
	options := f.options(w)
	selected := selection(options, v.Value)
	f.drop(w, "TI") // the first option to show follows the selection
	f.drop(w, "I")
	if len(selected) > 0 && !f.signed() {
		f.set(w.fieldNode(), "I", types.NewIntegerArray(selected...))
	}
	displays := make([]string, len(options))
	for i, o := range options {
		displays[i] = o.Display
	}
	s, err := f.painter.List(f.look(w), displays, selected)
	if err != nil {
		return err
	}
	return f.show(w, s)
}

// setValue sets the value of the fields of all widgets. nil removes it.
func (f *filler) setValue(group []*widget, v types.Object) {
	for _, w := range group {
		n, own := w.fieldNode(), v
		if v == nil && f.remains(w) {
			own = types.HexLiteral("")
		}
		if n.Dict["V"] != nil || own != nil {
			f.set(n, "V", own)
		}
		f.drop(w, "RV")                         // the same text with markup
		for _, kid := range w.chain[:w.field] { // else it would override that of the field
			if kid.Dict["V"] != nil {
				f.set(kid, "V", nil)
			}
		}
	}
}

// remains reports whether a field without a value of its own has one nonetheless: that of an
// ancestor, or the selection (/I), which stays in a signed file and counts if there is no
// value.
func (f *filler) remains(w *widget) bool {
	switch w.kind {
	case kindText, kindChoice:
		above := w.chain[w.field+1:]
		return slices.ContainsFunc(above, func(n node) bool { return n.Dict["V"] != nil }) ||
			f.signed() && w.inherited("I") != nil
	}
	return false
}

// drop removes an attribute that belongs to the old value from the widget and its field. In
// a signed file it stays, because signatures only permit changes of the value itself.
func (f *filler) drop(w *widget, key string) {
	if f.signed() {
		return
	}
	for _, n := range w.chain[:w.field+1] {
		if n.Dict[key] != nil {
			f.set(n, key, nil)
		}
	}
}

// selection returns the indices of the selected options, in ascending order. An option that
// is there twice is selected once.
func selection(options []Option, v Value) []int {
	var out []int
	find := func(match func(Option) bool) {
		if i := slices.IndexFunc(options, match); i >= 0 && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for i, export := range v.Export {
		find(func(o Option) bool {
			shown := i >= len(v.Shown) || v.Shown[i] == o.Display
			return shown && (o.Export == export || o.Export == "" && o.Display == export)
		})
	}
	if len(v.Export) == 0 && v.Text != "" {
		find(func(o Option) bool { return o.Display == v.Text })
	}
	slices.Sort(out)
	return out
}

// fillButtons sets the state of the checkboxes or radio buttons of a field. One radio
// button is on at most, unless those of equal state are on in unison. The flag that keeps
// people from switching a radio button off does not apply: to clear a form is to reset it.
func (f *filler) fillButtons(v value, group []*widget) error {
	on := f.states(v, group)
	chosen := off
	for _, w := range group {
		if on[w] && chosen == off {
			chosen = w.state.name
		}
	}
	f.setValue(group, types.Name(chosen))
	for _, w := range group {
		state := off
		if on[w] {
			state = w.state.name
		}
		if err := f.setState(w, state); err != nil {
			return err
		}
	}
	return nil
}

// states returns which buttons of a field become on.
func (f *filler) states(v value, group []*widget) map[*widget]bool {
	out := map[*widget]bool{}
	chosen := ""
	for _, w := range group {
		if v.on[w] && (w.kind == kindCheckbox || chosen == "") {
			out[w] = true
			if chosen == "" {
				chosen = w.state.name
			}
		}
	}
	for _, w := range group {
		_, listed := v.on[w]
		unison := w.kind == kindCheckbox && !listed || w.kind == kindRadio && w.flags&flagRadiosInUnison != 0
		if unison && chosen != "" && w.state.name == chosen {
			out[w] = true
		}
	}
	return out
}

// setState sets the state of one button, and draws it if it has no appearance.
func (f *filler) setState(w *widget, state string) error {
	if !w.state.drawn {
		look := f.look(w)
		unchecked, err := f.object(f.painter.Button(look, false))
		if err != nil {
			return err
		}
		checked, err := f.object(f.painter.Button(look, true))
		if err != nil {
			return err
		}
		f.setAppearance(w, types.Dict{off: unchecked, w.state.name: checked})
	}
	f.set(w.node, "AS", types.Name(state))
	return nil
}

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
