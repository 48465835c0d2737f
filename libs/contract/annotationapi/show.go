package annotationapi

import (
	"slices"

	"github.com/rectohq/recto/libs/fields"
)

// Merge returns the fields of a document: those that were found in its file, in
// their order, with what the registry says of them, and then those that only the
// registry knows and that nothing can be written to. The first len(found) can be
// filled. Each id is there once in found, and once in registry.
func Merge(found []fields.Field, registry []Definition) []fields.Field {
	defined := make(map[string]Definition, len(registry))
	for _, d := range registry {
		defined[d.FieldID] = d
	}
	merged := make([]fields.Field, 0, len(found)+len(registry))
	for _, f := range found {
		if d, ok := defined[f.ID]; ok {
			f = d.apply(f)
			delete(defined, f.ID)
		}
		merged = append(merged, f)
	}
	for _, d := range registry {
		if _, ok := defined[d.FieldID]; ok {
			merged = append(merged, d.apply(fields.Field{ID: d.FieldID}))
		}
	}
	return merged
}

// apply returns f as d has it. What d leaves out stays as the file says. Options
// stay for a type that needs some, also if it is another one than the file's.
func (d Definition) apply(f fields.Field) fields.Field {
	f.Source, f.Type = fields.Registry, fields.Type(d.Type)
	if d.Label != nil {
		f.Label = *d.Label
	}
	if d.Required != nil {
		f.Required = *d.Required
	}
	switch {
	case d.Options != nil:
		f.Options = d.options(f.Options)
	case !f.Type.HasOptions():
		f.Options = nil
	}
	if d.Min != nil {
		f.Min = d.Min
	}
	if d.Max != nil {
		f.Max = d.Max
	}
	if d.Multiple != nil {
		f.Multiple = d.Multiple
	}
	return f
}

// options returns the options of d, with what the list items of the file stand
// for: the registry knows only what they display.
func (d Definition) options(found []fields.Option) []fields.Option {
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

// Show returns f as the API shows it. It has no place on a page yet.
func Show(f fields.Field) Field {
	shown := Field{
		FieldID: f.ID, Type: string(f.Type), FieldType: f.Type.InsightName(),
		Required: f.Required, Min: f.Min, Max: f.Max,
		Source: string(f.Source), Value: shownValue(f), XMLPath: f.XMLPath,
	}
	if f.Label != "" {
		shown.Label = &f.Label
	}
	if choices := f.Choices(); len(choices) > 0 {
		options := make([]string, 0, len(choices))
		for _, o := range choices {
			options = append(options, o.Display)
		}
		shown.Options = &options
	}
	if f.Type.HasImages() {
		shown.Multiple = f.Multiple
	}
	return shown
}

// shownValue is what f holds, as a request would send it; nil for nothing.
func shownValue(f fields.Field) any {
	switch {
	case f.Type == fields.Checkbox && len(f.Selected) > 0:
		return f.Selected
	case f.Type != fields.Checkbox && f.Text != "":
		return f.Text
	default:
		return nil
	}
}
