package blank

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/tabstop"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// kindForm is the kind of form fields in the IDs of blanks.
const kindForm detect.Kind = "form"

// maxItems bounds the items of a drop-down form field.
const maxItems = 1000

// formPlaces returns the legacy form fields of the paragraphs: w:ffData in complex
// fields.
func formPlaces(paragraphs []*paragraph.Paragraph, s *tabstop.Styles) []orderedPlace {
	var places []orderedPlace
	seen := make(map[string]int)
	var labels *detect.Labels
	for i, p := range paragraphs {
		if len(p.Forms) == 0 {
			continue
		}
		if labels == nil {
			labels = detect.LabelsOf(paragraph.Detectable(paragraphs))
		}
		context := sha256.Sum256([]byte(strings.Join(strings.Fields(p.Text), " ")))
		for n, form := range p.Forms {
			if len(places) >= detect.MaxBlanks {
				return places
			}
			next := len(p.Text)
			if n+1 < len(p.Forms) {
				next = max(form.End, p.Forms[n+1].Start)
			}
			place := formPlace(p, form, formLabels{labels, i, next}, s)
			hash := detect.Hash(kindForm, wml.Val(wml.Child(form.Data, "name")), context[:])
			seen[hash]++
			place.Field.ID = detect.ID(hash, seen[hash])
			places = append(places, orderedPlace{Place: place, paragraph: i, start: form.Start})
		}
	}
	return places
}

// formLabels finds the label of a form field in the text around it. It holds the field's
// paragraph, and where the next form field begins in it.
type formLabels struct {
	*detect.Labels
	paragraph, next int
}

// formPlace returns the place of a form field, without its ID. Its label is the author's
// status bar text, or else its name, unless that is one that Word assigns, such as
// "Text1". In that case the label comes from the text around it.
func formPlace(p *paragraph.Paragraph, form paragraph.Form, around formLabels, s *tabstop.Styles) Place {
	label, given := wml.Val(wml.Child(form.Data, "statusText")), true
	if label == "" {
		label = wml.Val(wml.Child(form.Data, "name"))
		given = strings.TrimRight(label, "0123456789") == label && label != ""
	}
	place := Place{Field: fields.Field{Type: fields.Text, Label: label, Source: fields.Detected}, Typed: true, At: form.Run, in: p, ranges: []textRange{{form.Start, form.End}}}
	textType := detect.TypeOf(label)
	box := wml.Child(form.Data, "checkBox")
	if box == nil && !given {
		if name, t := around.Value(around.paragraph, form.Start, form.End); name != "" {
			place.Field.Label, textType = name, t
		}
	}
	switch {
	case box != nil:
		option := around.Option(around.paragraph, form.End, around.next)
		if option != "" && !given {
			place.Field.Label = option
		}
		formCheckbox(&place, box, option)
	case wml.Child(form.Data, "ddList") != nil:
		formList(&place, wml.Child(form.Data, "ddList"))
	default:
		formText(p, &place, form, textType, s)
	}
	return place
}

// formCheckbox makes the place a single checkbox. Its option is the text next to it, or
// else the field's label.
func formCheckbox(place *Place, box *etree.Element, beside string) {
	option := cmp.Or(beside, place.Field.Label, "Yes")
	place.Field.Type = fields.Checkbox
	place.Field.Options, place.Field.Boxes = []fields.Option{{Display: option}}, true
	state := wml.Child(box, "checked")
	if wml.IsOn(state) || state == nil && wml.IsOn(wml.Child(box, "default")) {
		place.Field.Selected = []string{option}
	}
	place.Fill = func(f fields.Filling, _ Pictures) error {
		setFormState(box, "checked", switchText(slices.Contains(f.Selected, option)))
		return nil
	}
}

// switchText returns the attribute value of an on/off element.
func switchText(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// setFormState sets a child of e that holds the state of a form field. It goes before the
// list entries of a drop-down and after everything else.
func setFormState(e *etree.Element, tag, value string) {
	state := wml.Child(e, tag)
	if state == nil {
		state = wml.New(e, tag)
		if entry := wml.Child(e, "listEntry"); entry != nil {
			e.InsertChildAt(entry.Index(), state)
		} else {
			e.AddChild(state)
		}
	}
	wml.SetAttr(state, "val", value)
}

// formList makes the place a choice among the entries of the list.
func formList(place *Place, list *etree.Element) {
	place.Field.Type = fields.Dropdown
	var entries []string
	for _, e := range list.ChildElements() {
		if wml.Is(e, "listEntry") && len(entries) < maxItems {
			entries = append(entries, wml.Val(e))
		}
	}
	for _, e := range entries {
		if strings.TrimSpace(e) != "" {
			place.Field.Options = append(place.Field.Options, fields.Option{Display: e})
		}
	}
	if chosen := wml.Count(wml.Val(wml.Child(list, "result"))); chosen < len(entries) {
		place.Field.Text = strings.TrimSpace(entries[chosen])
	}
	place.Fill = func(f fields.Filling, _ Pictures) error {
		if at := slices.Index(entries, f.Text); at >= 0 {
			setFormState(list, "result", strconv.Itoa(at))
		}
		return nil
	}
}
