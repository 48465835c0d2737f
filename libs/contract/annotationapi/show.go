package annotationapi

import "github.com/rectohq/recto/libs/formats/fields"

// ShowPDF is Show for a field of a PDF.
func ShowPDF(f fields.Field) Field {
	shown := Show(f)
	shown.FormProperties = &FormProperties{ReadOnly: f.ReadOnly}
	if f.Type.HasLength() {
		shown.MaxLength = f.Max
	}
	return shown
}

// Show returns f as the API represents it. Its position is that of its first place.
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
	if len(f.Places) > 0 {
		shown.PageNumber, shown.BoundingBox = &f.Places[0].Page, boxOf(f.Places[0])
	}
	return shown
}

// boxOf returns the box of a place. Widgets may hang over the edge of their page; the box
// is the part on the page.
func boxOf(p fields.Place) *BoundingBox {
	b := BoundingBox{Page: p.Page}
	b.Left, b.Top, b.Width, b.Height = p.Box.Shown()
	return &b
}

// shownValue returns the value of f as a request would send it, or nil if f is empty.
func shownValue(f fields.Field) any {
	switch {
	case f.Type == fields.Checkbox && len(f.Selected) > 0:
		return f.Displayed(f.Selected)
	case f.Type != fields.Checkbox && f.Text != "":
		return f.Text
	default:
		return nil
	}
}
