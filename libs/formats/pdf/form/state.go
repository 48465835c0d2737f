package form

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// state is the on-state of a checkbox or radio button.
type state struct {
	// name is the name in the file, whose bytes may be in any encoding. text is the same for
	// people, and differs from that of any other state of the field.
	name, text string
	// drawn reports whether the widget has an appearance for it.
	drawn bool
}

// off is the name of the state of buttons that are off.
const off = "Off"

// chooseStates finds the on-states of all buttons, and chooses names for the missing ones. The
// order of the fields is fixed, because they share the budget for texts.
func (m *form) chooseStates() {
	groups := m.groups()
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		group := groups[key]
		switch group[0].kind {
		case kindCheckbox:
			m.nameStates(group, func(int) string { return "Yes" })
		case kindRadio:
			m.nameStates(group, func(i int) string { return strconv.Itoa(i + 1) })
		}
	}
}

// nameStates sets the on-states of the widgets of a field. choose returns a name for a
// widget without one, by its index.
func (m *form) nameStates(group []*widget, choose func(int) string) {
	taken := map[string]bool{}
	for _, w := range group {
		if w.state = m.stateOf(w); w.state.name != "" {
			taken[w.state.name] = true
		}
	}
	next := len(group)
	for i, w := range group {
		if w.state.name != "" {
			continue
		}
		w.state.name = choose(i)
		for ; w.kind == kindRadio && taken[w.state.name]; next++ {
			w.state.name = choose(next)
		}
		taken[w.state.name] = true
	}
	describeStates(group)
}

// describeStates sets the texts of the on-states of a field.
func describeStates(group []*widget) {
	texts, taken := map[string]string{}, map[string]int{}
	for _, w := range group {
		name := w.state.name
		if _, known := texts[name]; !known {
			own := nameText(name)
			text := own
			for taken[text] > 0 {
				taken[own]++
				text = own + " (" + strconv.Itoa(taken[own]) + ")"
			}
			texts[name] = text
			taken[text]++
		}
		w.state.text = texts[name]
	}
}

// nameText returns a name for people. Names should be UTF-8, but older programs write them in
// the encoding of text strings.
func nameText(name string) string {
	if !utf8.ValidString(name) {
		name = decodeText([]byte(name))
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, name)
}

// stateOf returns the state that the file names, or none.
func (m *form) stateOf(w *widget) state {
	current := m.file.name(w.Dict["AS"])
	ap, _ := m.sub(w.node, "AP")
	for _, key := range []string{"N", "D"} { // D is the appearance of a button that is pressed
		o, owner := m.resolve(ap.Dict[key], ap.owner)
		if n, ok := o.(types.Dict); ok {
			if name := m.drawnState(node{n, owner}, current); name != "" {
				return state{name: name, drawn: key == "N"}
			}
		}
	}
	if current == off {
		current = ""
	}
	return state{name: current}
}

// drawnState returns the state other than Off that has an appearance. Of several it is the
// current one, or else the first by name. Names count as texts that are read, because widgets
// may share them.
func (m *form) drawnState(n node, current string) string {
	if current != "" && current != off {
		if _, ok := m.sub(n, current); ok {
			return current
		}
	}
	first := ""
	for name := range n.Dict {
		if m.budget -= len(name) + 1; m.budget < 0 {
			return ""
		}
		if _, ok := m.sub(n, name); ok && name != off && name != "" && (first == "" || name < first) {
			first = name
		}
	}
	return first
}

// caption returns the display text that /Opt gives to the state of a button: by the number
// that is its name, or else by the widget's place in the field.
func (m *form) caption(w *widget, index int) string {
	list, _ := m.array(w.inherited("Opt"), 0)
	if n, err := strconv.Atoi(w.state.name); err == nil && n >= 0 && n < len(list) {
		index = n
	}
	if index >= len(list) {
		return ""
	}
	return m.text(list[index], maxText)
}
