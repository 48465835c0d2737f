package annotationapi

import "github.com/rectohq/recto/libs/formats/fields"

// Show returns f as the API represents it, without its position on a page.
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
