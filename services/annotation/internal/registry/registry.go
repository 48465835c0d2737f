// Package registry merges the fields found in the file of a document with the definitions
// that the document's owner registered.
package registry

import (
	"fmt"
	"slices"

	"github.com/rectohq/recto/libs/contract/annotationapi"
	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/problem"
)

// Merge returns the fields of a document: first those found in its file, in order, with
// the definitions of the registry applied, then those that exist only in the registry. Ids
// are unique in the registry.
func Merge(file File, registry []annotationapi.Definition) []fields.Field {
	defined := make(map[string]annotationapi.Definition, len(registry))
	for _, d := range registry {
		defined[d.FieldID] = d
	}
	merged := make([]fields.Field, 0, len(file.Fields)+len(registry))
	for _, f := range file.Fields {
		if d, ok := defined[f.ID]; ok {
			f = apply(d, f)
			delete(defined, f.ID)
		}
		merged = append(merged, f)
	}
	for _, d := range registry {
		if _, ok := defined[d.FieldID]; ok {
			merged = append(merged, ticked(apply(d, placed(d, file.Pages))))
		}
	}
	return merged
}

// Fillable returns the fields of Merge that have a place in the file: those found in it,
// and those that the registry places on a page.
func Fillable(file File, registry []annotationapi.Definition) []fields.Field {
	merged := Merge(file, registry)
	fillable := merged[:len(file.Fields)]
	for _, f := range merged[len(file.Fields):] {
		if len(f.Places) > 0 {
			fillable = append(fillable, f)
		}
	}
	return fillable
}

// apply returns f with the definition d applied. What d leaves out stays as in the file.
// Options of the file stay if the new type needs options, even if it differs from the
// file's type. A field of boxes keeps its boxes and their number: apply ignores what
// contradicts that, and Check reports it to the client that sends it.
func apply(d annotationapi.Definition, f fields.Field) fields.Field {
	boxes, limit := f.Boxes, formLimit(d, f)
	if counts := f.Type == fields.Checkbox; counts != (d.Type == string(fields.Checkbox)) {
		f.Min, f.Max = nil, nil // their unit changes: options or characters
	}
	if f.Source = fields.Registry; !boxes || takesBoxes(d.Type) {
		f.Type = fields.Type(d.Type)
	}
	if d.Label != nil {
		f.Label = *d.Label
	}
	if d.Required != nil {
		f.Required = *d.Required
	}
	switch renamed, ok := nameBoxes(d, f.Options); {
	case boxes && ok:
		f.Options = renamed
	case boxes:
	case d.Options != nil:
		f.Options, f.Written = options(d, f.Options), true
	case !f.Type.HasOptions():
		f.Options = nil
	}
	if f.Min != nil && f.Type == fields.Checkbox && *f.Min > len(f.Options) {
		f.Min = nil // the bound is from the file, which has more options
	}
	if d.Min != nil {
		f.Min = d.Min
	}
	if d.Max != nil && (limit == 0 || *d.Max <= limit) {
		f.Max = d.Max
	}
	if d.Multiple != nil {
		f.Multiple = d.Multiple
	}
	return f
}

// takesBoxes reports whether a field of the type can be filled by ticking boxes.
func takesBoxes(name string) bool {
	t := fields.Type(name)
	return t == fields.Checkbox || t == fields.Dropdown || t == fields.Gender
}

// nameBoxes returns the options that d defines for boxes: a subset of the current names,
// or new names for all boxes in order. It returns false if d defines no options, or
// options that fit neither form.
func nameBoxes(d annotationapi.Definition, boxes []fields.Option) ([]fields.Option, bool) {
	named := make([]fields.Option, 0, len(d.Options))
	for _, name := range d.Options {
		if slices.ContainsFunc(boxes, func(o fields.Option) bool { return o.Display == name }) {
			named = append(named, fields.Option{Display: name})
		}
	}
	if len(named) == len(d.Options) {
		return named, len(named) > 0
	}
	if len(d.Options) != len(boxes) {
		return nil, false
	}
	for i, name := range d.Options {
		boxes = slices.Clone(boxes)
		boxes[i] = fields.Option{Display: name, Box: boxes[i].Display}
	}
	return boxes, true
}

// options returns the options of d, with the values of the file's list items added: the
// registry knows only display texts.
func options(d annotationapi.Definition, found []fields.Option) []fields.Option {
	out := make([]fields.Option, 0, len(d.Options))
	for _, display := range d.Options {
		o := fields.Option{Display: display}
		if i := slices.IndexFunc(found, func(f fields.Option) bool { return f.Display == display }); i >= 0 {
			o.Value = found[i].Value
		}
		out = append(out, o)
	}
	return out
}

// Check returns all mismatches between the registry and the file, as a *problem.Error.
func Check(r annotationapi.PutFieldsRequest, file File) error {
	byID := make(map[string]fields.Field, len(file.Fields))
	for _, f := range file.Fields {
		byID[f.ID] = f
	}
	var problems problem.List
	for i, d := range r.Fields {
		path := fmt.Sprintf("fields.%d.", i)
		f, found := byID[d.FieldID] // the zero Field if the file does not have the field
		checkAgainst(d, f, path, &problems)
		checkLength(d, f, path, &problems)
		if !found {
			checkPlace(d, file, path, &problems)
		}
	}
	return problems.Err()
}

// boxCount formats a number of boxes.
func boxCount(n int) string {
	if n == 1 {
		return "1 box"
	}
	return fmt.Sprintf("%d boxes", n)
}

// checkAgainst checks the definition d, whose members begin at path, against f.
func checkAgainst(d annotationapi.Definition, f fields.Field, path string, problems *problem.List) {
	boxes := f.Boxes
	if boxes && !takesBoxes(d.Type) {
		problems.Check(path+"type", d.Type, &problem.Fault{
			Code: problem.CodeInvalidEnum, Message: fmt.Sprintf("must be checkbox, dropdown or gender: the file has %s for this field", boxCount(len(f.Options))),
			Resolution: "Send checkbox, dropdown or gender.",
		})
	}
	if _, ok := nameBoxes(d, f.Options); boxes && d.Options != nil && !ok {
		problems.Check(path+"options", fmt.Sprint(len(d.Options)), &problem.Fault{
			Code:       problem.CodeOutOfRange,
			Message:    fmt.Sprintf("must match the boxes of the file: the file has %s for this field, the request has %d options", boxCount(len(f.Options)), len(d.Options)),
			Resolution: fmt.Sprintf("Send a name for each of the %d boxes, in order, or a subset of their current names.", len(f.Options)),
		})
	}
	if t := fields.Type(d.Type); (t == fields.Checkbox || t == fields.Dropdown) && d.Options == nil && len(f.Options) == 0 {
		e := problem.Required(path + "options")
		e.Resolution = "Send the options: the file of the document has none for this field."
		problems.Add(e)
	}
}
