package pdffields

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// defineButtons completes a field of checkboxes or radio buttons. Each state is an option;
// widgets with the same state are copies. The names of options are those that places have.
func (f *formField) defineButtons(labels *labels) {
	names := f.optionNames(labels)
	var selected []string
	for i, w := range f.widgets {
		name := names[stateOf(w)]
		f.field.Places[i].Option = name
		if w.Checked && !slices.Contains(selected, name) {
			selected = append(selected, name)
		}
	}
	f.field.Boxes = true
	if f.kind == pdf.Radio {
		f.field.Type, f.field.Text = fields.Dropdown, strings.Join(selected, ", ")
		return
	}
	f.field.Type, f.field.Selected = fields.Checkbox, selected
	if len(f.field.Options) > 1 && len(selected) < 2 {
		one := 1 // checkboxes with one name exclude each other
		f.field.Max = &one
	}
}

// stateOf returns the name of the on-state of a button.
func stateOf(w widget) string { return cmp.Or(w.Details.State, w.Value, "Yes") }

// optionNames adds an option for each state, and returns their names by state.
func (f *formField) optionNames(labels *labels) map[string]string {
	names := make(map[string]string, len(f.widgets))
	used := make(map[string]int, len(f.widgets))
	several := slices.ContainsFunc(f.widgets, func(w widget) bool { return stateOf(w) != stateOf(f.widgets[0]) })
	for _, w := range f.widgets {
		state := stateOf(w)
		if names[state] != "" {
			continue
		}
		name := distinct(optionName(w, several || f.kind == pdf.Radio, labels), used)
		names[state] = name
		f.field.Options = append(f.field.Options, fields.Option{Display: name})
	}
	return names
}

// distinct returns a name, numbered if it was used before.
func distinct(name string, used map[string]int) string {
	used[name]++
	if n := used[name]; n > 1 {
		return distinct(name+" ("+strconv.Itoa(n)+")", used)
	}
	return name
}

// optionName returns the name of an option: the caption that the form gives it, or the name
// of the state. States of several buttons that are mere numbers are named by the text next
// to the button, and the state of a single checkbox that says nothing is "Yes".
func optionName(w widget, several bool, labels *labels) string {
	state := stateOf(w)
	if caption := oneLine(w.Details.Caption); caption != "" {
		return caption
	}
	if several && bare(state) {
		return cmp.Or(labels.option(w), state)
	}
	if !several && bare(state) {
		return "Yes"
	}
	return state
}

// bare reports whether the name of a state says nothing to people.
func bare(state string) bool {
	if strings.Trim(state, "0123456789") == "" {
		return true
	}
	switch strings.ToLower(state) {
	case "on", "x", "true", "checked", "check", "selected", "choice", "yes":
		return true
	}
	return false
}

// oneLine returns s with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
