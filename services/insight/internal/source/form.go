package source

import (
	"cmp"
	"strings"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// formFields returns the fields of a PDF's form. Widgets with the same name are one field,
// at the place of the first and with their distinct values: text widgets share one value,
// while each box has its own.
func formFields(widgets []pdf.Field) []Field {
	var found []Field
	var values [][]string // of each field in found
	at := map[string]int{}
	seen := map[[2]string]bool{} // names with a value
	for _, w := range widgets {
		if w.Type == pdf.Button {
			continue
		}
		i, known := at[w.Name]
		if !known {
			i = len(found)
			at[w.Name] = i
			found, values = append(found, formField(w)), append(values, nil)
		}
		if v := valueOf(w); v != "" && !seen[[2]string{w.Name, v}] {
			seen[[2]string{w.Name, v}] = true
			values[i] = append(values[i], v)
		}
	}
	for i := range found {
		found[i].FieldValue = strings.Join(values[i], ", ")
	}
	return found
}

// formField returns the field of a widget, without a value.
func formField(w pdf.Field) Field {
	f := Field{
		Field: insightapi.Field{FieldID: fields.IDOf(w.Name), FieldType: typeOf(w).InsightName()},
		Box:   &w.Box, Page: w.Page, Reasoning: "The PDF has a form field here.", Confidence: 1,
	}
	if label := cmp.Or(w.Label, w.Name); label != "" {
		f.FieldLabel = &label
	}
	return f
}

// typeOf returns the field type of a widget. That of a text widget follows from its label.
func typeOf(w pdf.Field) fields.Type {
	switch w.Type {
	case pdf.Checkbox:
		return fields.Checkbox
	case pdf.Radio, pdf.Choice:
		return fields.Dropdown
	case pdf.Signature:
		return fields.Signature
	default:
		return detect.TypeOf(cmp.Or(w.Label, w.Name))
	}
}

// valueOf returns the value of a widget, "" for none.
func valueOf(w pdf.Field) string {
	switch {
	case (w.Type == pdf.Checkbox || w.Type == pdf.Radio) && !w.Checked:
		return ""
	case w.Type == pdf.Choice && len(w.Selected) > 0:
		return strings.Join(w.Selected, ", ")
	}
	return w.Value
}
