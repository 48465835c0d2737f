package form

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Unnamed begins the names that this package gives to fields that have none. Such fields still
// count as fields without a name, so that filling one does not make it another field.
const Unnamed = "Recto unnamed "

// Adopt returns an update that lets PDFium recognize every widget that Describe describes, and
// keep the appearances that Fill has written. Without it, PDFium ignores widgets without
// a name and those that inherit their type over more than one level, and it replaces
// appearances if the form asks for that (NeedAppearances). The update is empty if there is
// nothing to do. Apply it to a copy that is only read or drawn.
//
// The error is a Refusal if the file is at fault.
func Adopt(file []byte) (r *Result, err error) {
	defer recoverDamage(&err)
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	m := f.readForm()
	for _, w := range m.widgets {
		if w.kind == 0 {
			continue
		}
		m.identify(w)
		if w.Dict["Kids"] != nil { // PDFium takes it for a field without a widget of its own
			delete(w.Dict, "Kids")
			m.change(w.node)
		}
	}
	m.keepAppearances()
	if len(m.changed) == 0 {
		return &Result{}, nil
	}
	return m.result(false)
}

// identify gives a widget what some viewers, such as PDFium, require of a widget: a type of
// its own or of its parent, and a name.
func (m *form) identify(w *widget) {
	parent := w.chain[min(1, len(w.chain)-1)]
	if w.Dict["FT"] == nil && parent.Dict["FT"] == nil {
		w.Dict["FT"] = types.Name(m.file.name(w.inherited("FT")))
		m.change(w.node)
	}
	if field := w.fieldNode(); w.name == "" {
		field.Dict["T"] = textString(Unnamed + w.key())
		m.change(field)
	}
}

// keepAppearances keeps the appearances of texts and choices that an appended revision has
// written, although the form asks for new ones: it clears that flag. It removes the other
// appearances, so that PDFium still draws them again.
func (m *form) keepAppearances() {
	if m.sections == nil || !m.boolean(m.acro.Dict["NeedAppearances"]) {
		return
	}
	var old []*widget
	kept := false
	for _, w := range m.widgets {
		switch {
		case w.kind != kindText && w.kind != kindChoice:
		case m.isCurrent(w):
			kept = true
		case w.Dict["AP"] != nil:
			old = append(old, w)
		}
	}
	if !kept {
		return
	}
	delete(m.acro.Dict, "NeedAppearances")
	m.change(m.acro)
	for _, w := range old {
		delete(w.Dict, "AP")
		m.change(w.node)
	}
}

// isCurrent reports whether an appended revision has written the appearance of a widget, with
// or after its field.
func (m *form) isCurrent(w *widget) bool {
	ap, _ := m.sub(w.node, "AP")
	normal, ok := ap.Dict["N"].(types.IndirectRef)
	if !ok {
		return false
	}
	revision := m.sections.Revision(int(normal.ObjectNumber))
	return revision > 0 && revision >= m.sections.Revision(w.fieldNode().owner)
}
