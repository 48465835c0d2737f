package pdffields

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// formField is a field of the form under construction.
type formField struct {
	field   fields.Field
	kind    pdf.FieldType
	widgets []widget
}

// widget is a widget and its page.
type widget struct {
	*pdf.Field
	page *page
}

// addWidget adds a widget to its field. Widgets with one name are one field. Widgets of
// another kind than the first one cannot hold its value and are left out.
func (c *collection) addWidget(p *page, w *pdf.Field) {
	if w.Type == pdf.Button && !w.Details.Icon || w.Type == pdf.Signature && w.Details.Signed {
		return
	}
	id := idOf(w)
	form := c.byForm[id]
	if form == nil {
		form = &formField{field: fields.Field{ID: id, Source: fields.AcroForm}, kind: w.Type}
		c.byForm[id], c.forms = form, append(c.forms, form)
	}
	if form.kind == w.Type {
		form.widgets = append(form.widgets, widget{w, p})
	}
}

// idOf returns the ID of the field of a widget. It is derived from the name, or from the
// place of the first widget in the file if there is no name.
func idOf(w *pdf.Field) string {
	name := cmp.Or(w.Name, w.Details.Name)
	if strings.TrimSpace(name) == "" {
		first := form.Ref{Page: w.Page, Annotation: w.Annotation}
		if w.Details.First != (form.Ref{}) {
			first = w.Details.First
		}
		name = fmt.Sprintf("\x00page %d field %d", first.Page, first.Annotation+1) // which no name begins with
	}
	return fields.IDOf(name)
}

// finishWidgets completes the fields of the form.
func (c *collection) finishWidgets(labels *labels) {
	for _, form := range c.forms {
		sortPlaces(form.widgets, func(w widget) fields.Place { return fields.Place{Page: w.Page, Box: w.Box} })
		form.define(labels)
		c.add(form.field)
	}
}

// define completes a field from its widgets.
func (f *formField) define(labels *labels) {
	f.field.Label = f.label(labels)
	f.field.ReadOnly = true
	for _, w := range f.widgets {
		f.field.Required = f.field.Required || w.Required
		f.field.ReadOnly = f.field.ReadOnly && w.ReadOnly
		at := w.Annotation
		f.field.Places = append(f.field.Places, fields.Place{Page: w.Page, Box: w.Box, Widget: &at, Multiline: w.Details.Multiline})
	}
	switch f.kind {
	case pdf.Checkbox, pdf.Radio:
		f.defineButtons(labels)
	case pdf.Choice:
		f.defineChoice()
	case pdf.Signature:
		f.field.Type = fields.Signature
	case pdf.Button:
		f.field.Type = fields.Image
	default:
		f.defineText()
	}
}

// defineText completes a text field.
func (f *formField) defineText() {
	first := f.widgets[0]
	f.field.Type, f.field.Format = textType(first, f.field.Label)
	if n := first.Details.MaxLength; n > 0 {
		f.field.Max = &n
	}
	for _, w := range f.widgets {
		if f.field.Text == "" && !w.Details.Password { // fields are shown to people
			f.field.Text = w.Value
		}
	}
	if f.field.Format != "" {
		f.field.Text = isoDate(f.field.Format, f.field.Text)
	}
}

// defineChoice completes a dropdown or a list. A dropdown that takes any text, or has no
// options, is a text field.
func (f *formField) defineChoice() {
	first := f.widgets[0]
	f.field.Options = choices(first.Field)
	switch {
	case len(f.field.Options) == 0 || first.Details.Editable:
		f.field.Options = nil
		f.defineText()
		f.field.Text = cmp.Or(strings.Join(first.Selected, ", "), f.field.Text)
	case first.Details.MultiSelect:
		f.field.Type, f.field.Written = fields.Checkbox, true
		f.field.Selected = first.Selected
	default:
		f.field.Type = fields.Dropdown
		f.field.Text = cmp.Or(strings.Join(first.Selected, ", "), shownAs(f.field.Options, first.Value))
	}
}

// choices returns the options of a choice field. Repeated options are left out, and so are
// empty ones, because an empty value clears the field.
func choices(w *pdf.Field) []fields.Option {
	all := make([]fields.Option, 0, max(len(w.Details.Options), len(w.Options)))
	for _, o := range w.Details.Options {
		all = append(all, fields.Option{Display: o.Display, Value: o.Export})
	}
	if len(all) == 0 {
		for _, o := range w.Options {
			all = append(all, fields.Option{Display: o})
		}
	}
	seen := make(map[string]bool, len(all))
	kept := all[:0]
	for _, o := range all {
		if strings.TrimSpace(o.Display) == "" || seen[o.Display] {
			continue
		}
		seen[o.Display] = true
		if o.Value == o.Display {
			o.Value = ""
		}
		kept = append(kept, o)
	}
	return kept
}

// shownAs returns the display text of a value in the file.
func shownAs(options []fields.Option, value string) string {
	for _, o := range options {
		if value != "" && o.Value == value {
			return o.Display
		}
	}
	return value
}
