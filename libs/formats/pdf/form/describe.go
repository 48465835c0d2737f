package form

import (
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// maxOptions is how many options of a field are read. Package pdf reads no more.
const maxOptions = 1000

// Describe returns the details of all widgets of a file. The error is a Refusal if the file
// is at fault.
func Describe(file []byte) (d *Description, err error) {
	defer recoverDamage(&err)
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	m := f.readForm()
	d = &Description{Details: make(map[Ref]Details, len(m.widgets)), Signed: m.signed()}
	calculated := m.calculationOrder()
	index, first := map[string]int{}, map[string]Ref{}
	for _, w := range m.widgets {
		if w.kind == 0 {
			continue
		}
		key := w.key()
		details := m.details(w, index[key])
		details.Calculated = details.Calculated || calculated[w.fieldNode().owner]
		if index[key] == 0 {
			first[key] = w.ref
		} else if w.name == "" {
			details.First = first[key]
		}
		d.Details[w.ref] = details
		index[key]++
	}
	return d, nil
}

// recoverDamage turns a panic of pdfcpu into a refusal.
func recoverDamage(err *error) {
	if recover() != nil {
		*err = Damaged
	}
}

// details returns the details of a widget, which is the one with this index in its field.
func (m *form) details(w *widget, index int) Details {
	d := Details{Name: w.name, Calculated: m.hasCalculation(w)}
	switch w.kind {
	case kindText:
		d.MaxLength = max(0, m.integer(w.inherited("MaxLen")))
		d.Multiline = w.flags&flagMultiline != 0
		d.Password = w.flags&flagPassword != 0
		d.Comb = w.comb()
		d.Format = m.script(w, "F")
	case kindChoice:
		d.Editable = w.flags&(flagCombo|flagEdit) == flagCombo|flagEdit
		d.MultiSelect = w.flags&flagMultiSelect != 0 && w.flags&flagCombo == 0
		d.Options = m.options(w)
		d.Format = m.script(w, "F")
	case kindCheckbox, kindRadio:
		if d.State = w.state.text; len(d.State) > maxText {
			d.State = ""
		}
		d.Caption = m.caption(w, index)
	case kindPush:
		d.Icon = m.isIcon(w)
	case kindSignature:
		d.Signed = m.isSigned(w)
	}
	return d
}

// comb reports whether the characters stand in boxes of equal width.
func (w *widget) comb() bool {
	return w.flags&(flagComb|flagMultiline|flagPassword|flagFileSelect) == flagComb
}

// options returns the options of a choice field.
func (m *form) options(w *widget) []Option {
	list, owner := m.array(w.inherited("Opt"), 0)
	var out []Option
	for _, o := range list[:min(len(list), maxOptions)] {
		if m.budget < 0 {
			break
		}
		o, _ = m.resolve(o, owner)
		pair, ok := o.(types.Array)
		if !ok {
			out = append(out, Option{Display: m.text(o, maxText)})
			continue
		}
		var option Option
		if len(pair) > 0 {
			option.Export = m.text(pair[0], maxText)
			option.Display = option.Export
		}
		if len(pair) > 1 {
			option.Display = m.text(pair[1], maxText)
		}
		if option.Export == option.Display {
			option.Export = ""
		}
		out = append(out, option)
	}
	return out
}

// action returns the additional action of a widget or its field, such as F for formatting.
func (m *form) action(w *widget, key string) (node, bool) {
	for _, n := range w.chain {
		if all, ok := m.sub(n, "AA"); ok {
			if a, ok := m.sub(all, key); ok {
				return a, true
			}
		}
	}
	return node{}, false
}

// script returns the beginning of the script of an additional action, or "".
func (m *form) script(w *widget, key string) string {
	a, ok := m.action(w, key)
	if !ok {
		return ""
	}
	return m.source(a, maxFormat)
}

// source returns the beginning of the script of an action, or "".
func (m *form) source(a node, most int) string {
	o, _ := m.resolve(a.Dict["JS"], a.owner)
	var s string
	if stream, ok := o.(types.StreamDict); ok {
		b, err := stream.DecodeLengthWithLimit(-1, maxScript)
		if err != nil {
			return ""
		}
		s = decodeText(b[:min(len(b), most)])
	} else {
		s = m.text(o, 2*most)
	}
	return cut(s, most)
}

// isXFA reports whether the form exists only as XFA.
func (m *form) isXFA() bool {
	return m.acro.Dict["XFA"] != nil && len(m.widgets) == 0
}

// calculates reports whether scripts would calculate fields when one is filled.
func (m *form) calculates(values []value) bool {
	if !slices.ContainsFunc(values, func(v value) bool { return len(v.groups) > 0 }) {
		return false
	}
	return len(m.calculationOrder()) > 0 || slices.ContainsFunc(m.widgets, m.hasCalculation)
}

func (m *form) hasCalculation(w *widget) bool {
	_, ok := m.action(w, "C")
	return ok
}

// calculationOrder returns the objects of the fields that scripts calculate.
func (m *form) calculationOrder() map[int]bool {
	out := map[int]bool{}
	if m.acro.Dict == nil {
		return out
	}
	list, _ := m.array(m.acro.Dict["CO"], m.acro.owner)
	for _, o := range list[:min(len(list), maxFieldNodes)] {
		if ref, ok := o.(types.IndirectRef); ok {
			out[int(ref.ObjectNumber)] = true
		}
	}
	return out
}

// isIcon reports whether a push button is meant to show a picture.
func (m *form) isIcon(w *widget) bool {
	a, ok := m.sub(w.node, "A")
	if !ok {
		a, ok = m.action(w, "U") // on release of the mouse button
	}
	if !ok || strings.Contains(m.source(a, maxText), "buttonImportIcon") {
		return true
	}
	mk, _ := m.sub(w.node, "MK")
	position := m.integer(mk.Dict["TP"])
	_, icon := m.sub(mk, "I")
	return icon && position >= 1 && position <= 6
}
