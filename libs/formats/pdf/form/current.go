package form

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/appearance"
)

// drawMissing draws the current values of widgets that have no appearance. It reports
// whether all widgets are drawn, so that viewers need not draw any: they would also replace
// the appearances of this package, in fonts of their own.
func (f *filler) drawMissing() bool {
	all := true
	for _, w := range f.widgets {
		if w.kind == 0 || w.kind == kindSignature || f.isDrawn(w) {
			continue
		}
		all = f.drawCurrent(w) == nil && all
	}
	return all
}

func (f *filler) isDrawn(w *widget) bool {
	ap, _ := f.sub(w.node, "AP")
	_, ok := f.sub(ap, "N")
	return ok
}

// drawCurrent draws the value that a widget has.
func (f *filler) drawCurrent(w *widget) error {
	if w.kind == kindCheckbox || w.kind == kindRadio {
		state := off
		if v := f.file.name(w.inherited("V")); v == w.state.name {
			state = v
		}
		return f.setState(w, state)
	}
	s, err := f.current(w)
	if err != nil {
		return err
	}
	return f.show(w, s)
}

func (f *filler) current(w *widget) (appearance.Stream, error) {
	look := f.look(w)
	switch w.kind {
	case kindPush:
		look.Align = 1
		return f.painter.Text(look, look.Caption)
	case kindText:
		return f.painter.Text(look, f.text(w.inherited("V"), maxValue))
	}
	options := f.options(w)
	var displays []string
	var selected []int
	values := f.currentChoice(w)
	chosen := make(map[string]bool, len(values))
	for _, v := range values {
		chosen[v] = true
	}
	for i, o := range options {
		displays = append(displays, o.Display)
		export := o.Export
		if export == "" {
			export = o.Display
		}
		if chosen[export] {
			selected = append(selected, i)
		}
	}
	switch {
	case w.flags&flagCombo == 0:
		return f.painter.List(look, displays, selected)
	case len(selected) > 0:
		return f.painter.Text(look, displays[selected[0]])
	case len(values) > 0:
		return f.painter.Text(look, values[0])
	}
	return f.painter.Text(look, "")
}

// currentChoice returns the export values that are selected.
func (f *filler) currentChoice(w *widget) []string {
	o, owner := f.resolve(w.inherited("V"), 0)
	if o == nil {
		return nil
	}
	list, ok := o.(types.Array)
	if !ok {
		list = types.Array{o}
	}
	var out []string
	for _, e := range list[:min(len(list), maxOptions)] {
		e, _ = f.resolve(e, owner)
		out = append(out, f.text(e, maxText))
	}
	return out
}
