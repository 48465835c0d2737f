package pdffields

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/pdf/form"
)

// Order returns the order that writes the values into the places of their fields. The keys
// of values are IDs of found, which may have been redefined by a registry. The pictures of
// the order are those of the values, each once, in the order of the returned list. The error
// names an ID that is not in found.
func Order(found []fields.Field, values map[string]fields.Filling) (form.Order, []fields.Picture, error) {
	o := ordering{indices: map[[32]byte]int{}}
	written := 0
	for i := range found {
		v, ok := values[found[i].ID]
		if !ok {
			continue
		}
		written++
		o.write(&found[i], v)
	}
	if written < len(values) {
		return form.Order{}, nil, fmt.Errorf("fill the field %q: the document has no field with this ID", unknownID(found, values))
	}
	return o.order, o.pictures, nil
}

// unknownID returns the first ID of values that is not in found.
func unknownID(found []fields.Field, values map[string]fields.Filling) string {
	known := make(map[string]bool, len(found))
	for i := range found {
		known[found[i].ID] = true
	}
	var unknown []string
	for id := range values {
		if !known[id] {
			unknown = append(unknown, id)
		}
	}
	return slices.Min(unknown)
}

// ordering is an order under construction.
type ordering struct {
	order    form.Order
	pictures []fields.Picture
	// indices are the indices of the pictures by their hashes.
	indices map[[32]byte]int
}

// write adds a value to the order.
func (o *ordering) write(f *fields.Field, v fields.Filling) {
	value := form.Value{Field: f.ID, Text: textOf(f, v)}
	value.Export, value.Shown = selectedOf(f, v)
	for _, p := range v.Pictures {
		value.Pictures = append(value.Pictures, o.picture(p))
	}
	selected := make(map[string]bool, len(v.Selected))
	for _, name := range v.Selected {
		selected[name] = true
	}
	covers, erased := form.Value{}, form.Value{}
	for _, p := range f.Places {
		on := p.Option != "" && selected[p.Option] && !v.Written
		switch {
		case p.Widget != nil:
			value.Widgets = append(value.Widgets, form.Widget{Ref: form.Ref{Page: p.Page, Annotation: *p.Widget}, On: on})
		case p.Continued:
			covers.Stamps = append(covers.Stamps, stampAt(p))
		case p.Option != "" && p.Cover: // a mark is printed already
			if !on && !v.Written {
				erased.Stamps = append(erased.Stamps, form.Stamp{Page: p.Page, Box: p.Box, Cover: true, EmptyBox: p.Glyph})
			}
		case p.Option == "" || on:
			value.Stamps = append(value.Stamps, stampAt(p))
		}
	}
	if f.Source != fields.Detected || value.Text != "" || len(value.Pictures) > 0 {
		o.add(covers) // first, because a value may extend over what is hidden
	} else {
		uncover(value.Stamps) // without a value, a blank stays as it is
	}
	o.add(erased)
	o.add(value)
}

// uncover makes stamps hide nothing.
func uncover(stamps []form.Stamp) {
	for i := range stamps {
		stamps[i].Cover = false
	}
}

// add adds a value that is written somewhere. A stamp without a value is one only if it
// hides something.
func (o *ordering) add(v form.Value) {
	if v.Text == "" && len(v.Pictures) == 0 {
		v.Stamps = slices.DeleteFunc(v.Stamps, func(s form.Stamp) bool { return !s.Tick && !s.Cover })
	}
	if len(v.Widgets)+len(v.Stamps) > 0 {
		o.order.Values = append(o.order.Values, v)
	}
}

// stampAt returns the stamp for a place that has no widget.
func stampAt(p fields.Place) form.Stamp {
	return form.Stamp{Page: p.Page, Box: p.Box, Size: p.Size, Multiline: p.Multiline, Cover: p.Cover, Tick: p.Option != ""}
}

// picture returns the index of a picture in the order.
func (o *ordering) picture(p fields.Picture) int {
	at, known := o.indices[p.SHA256]
	if !known {
		at = len(o.pictures)
		o.indices[p.SHA256] = at
		o.pictures = append(o.pictures, p)
		o.order.Pictures = append(o.order.Pictures, form.Picture{
			MediaType: p.MediaType, Width: p.Width, Height: p.Height, Orientation: p.Orientation, Size: p.Size,
		})
	}
	return at
}

// textOf returns the text that places without boxes show.
func textOf(f *fields.Field, v fields.Filling) string {
	switch {
	case len(v.Pictures) > 0:
		return ""
	case v.Type == fields.Checkbox:
		return strings.Join(f.Displayed(v.Selected), ", ")
	case v.Type == fields.Date && f.Format != "":
		return formatDate(f.Format, v.Text)
	case v.Type == fields.SSN && f.Max != nil && *f.Max < len("123-45-6789"):
		return strings.ReplaceAll(v.Text, "-", "")
	}
	return v.Text
}

// selectedOf returns the export values and the display texts of the selected options of a
// choice field.
func selectedOf(f *fields.Field, v fields.Filling) (export, shown []string) {
	if len(v.Selected) == 0 {
		return nil, nil
	}
	if v.Type != fields.Checkbox {
		return []string{v.Value}, []string{v.Text}
	}
	values := make(map[string]string, len(f.Options))
	for _, o := range f.Options {
		values[o.Display] = o.Value
	}
	shown = f.Displayed(v.Selected)
	for _, display := range shown {
		export = append(export, cmp.Or(values[display], display))
	}
	return export, shown
}
