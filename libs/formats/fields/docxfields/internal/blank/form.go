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
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// kindForm is the kind of form fields in ids of blanks.
const kindForm detect.Kind = "form"

// maxItems bounds the items of a drop-down form field.
const maxItems = 1000

// formPlaces returns the form fields of the paragraphs that older Words made:
// w:ffData in complex fields.
func formPlaces(paragraphs []*paragraph.Paragraph) []orderedPlace {
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
			place := formPlace(p, form, formLabels{labels, i, next})
			hash := detect.Hash(kindForm, wml.Val(wml.Child(form.Data, "name")), context[:])
			seen[hash]++
			place.Field.ID = detect.ID(hash, seen[hash])
			places = append(places, orderedPlace{Place: place, paragraph: i, start: form.Start})
		}
	}
	return places
}

// formLabels tells what a form field is called by the text around it: its
// paragraph, and where the next one begins in that.
type formLabels struct {
	*detect.Labels
	paragraph, next int
}

// formPlace returns the place of a form field, without its id. What its author
// says in the status bar names it, or else its name, unless it is one that Word
// gives, such as "Text1": then the text around it does.
func formPlace(p *paragraph.Paragraph, form paragraph.Form, around formLabels) Place {
	label, given := wml.Val(wml.Child(form.Data, "statusText")), true
	if label == "" {
		label = wml.Val(wml.Child(form.Data, "name"))
		given = strings.TrimRight(label, "0123456789") == label && label != ""
	}
	place := Place{Field: fields.Field{Type: fields.Text, Label: label, Source: fields.Detected}, At: form.Run, in: p, ranges: []textRange{{form.Start, form.End}}}
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
		formText(p, &place, form, textType)
	}
	return place
}

// formText makes the place one of text, of type t where the form field allows any.
func formText(p *paragraph.Paragraph, place *Place, form paragraph.Form, t fields.Type) {
	switch wml.Val(wml.Child(wml.Child(form.Data, "textInput"), "type")) {
	case "date", "currentDate":
		place.Field.Type = fields.Date
	case "number":
		place.Field.Type = fields.Number
	default:
		place.Field.Type = t
	}
	place.Field.Text = strings.TrimSpace(strings.ReplaceAll(p.Text[form.Start:form.End], runs.Object, ""))
	label := place.Field.Label
	place.Fill = func(f fields.Filling, pics Pictures) error {
		return fillText(p, textRange{form.Start, form.End}, f, pics, label)
	}
}

// formCheckbox makes the place one box. What it is ticked for is the text beside
// it, or what it is called.
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

// switchText returns the value of a switch that is on or off.
func switchText(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// setFormState sets a child of e that holds the state of a form field; it comes
// before the list entries of a drop-down and behind all else.
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

// formList makes the place a choice of the list's entries.
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
