package docxfields

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// kindForm is the kind of form fields in ids of blanks.
const kindForm detect.Kind = "form"

// maxItems bounds the items of a drop-down form field.
const maxItems = 1000

// formPlaces returns the form fields of the paragraphs that older Words made:
// w:ffData in complex fields.
func formPlaces(paragraphs []*paragraph) []orderedPlace {
	var places []orderedPlace
	seen := make(map[string]int)
	var labels *detect.Labels
	for i, p := range paragraphs {
		if len(p.forms) == 0 {
			continue
		}
		if labels == nil {
			labels = detect.LabelsOf(seenAll(paragraphs))
		}
		context := sha256.Sum256([]byte(strings.Join(strings.Fields(p.text), " ")))
		for n, form := range p.forms {
			if len(places) >= detect.MaxBlanks {
				return places
			}
			next := len(p.text)
			if n+1 < len(p.forms) {
				next = max(form.end, p.forms[n+1].start)
			}
			place := formPlace(p, form, formLabels{labels, i, next})
			hash := detect.Hash(kindForm, wml.Val(wml.Child(form.data, "name")), context[:])
			seen[hash]++
			place.field.ID = detect.ID(hash, seen[hash])
			places = append(places, orderedPlace{textPlace: place, paragraph: i, start: form.start})
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
func formPlace(p *paragraph, form formField, around formLabels) textPlace {
	label, given := wml.Val(wml.Child(form.data, "statusText")), true
	if label == "" {
		label = wml.Val(wml.Child(form.data, "name"))
		given = strings.TrimRight(label, "0123456789") == label && label != ""
	}
	place := textPlace{field: fields.Field{Type: fields.Text, Label: label, Source: fields.Detected}, at: form.run, in: p, ranges: []textRange{{form.start, form.end}}}
	textType := detect.TypeOf(label)
	box := wml.Child(form.data, "checkBox")
	if box == nil && !given {
		if name, t := around.Value(around.paragraph, form.start, form.end); name != "" {
			place.field.Label, textType = name, t
		}
	}
	switch {
	case box != nil:
		option := around.Option(around.paragraph, form.end, around.next)
		if option != "" && !given {
			place.field.Label = option
		}
		formCheckbox(&place, box, option)
	case wml.Child(form.data, "ddList") != nil:
		formList(&place, wml.Child(form.data, "ddList"))
	default:
		formText(p, &place, form, textType)
	}
	return place
}

// formText makes the place one of text, of type t where the form field allows any.
func formText(p *paragraph, place *textPlace, form formField, t fields.Type) {
	switch wml.Val(wml.Child(wml.Child(form.data, "textInput"), "type")) {
	case "date", "currentDate":
		place.field.Type = fields.Date
	case "number":
		place.field.Type = fields.Number
	default:
		place.field.Type = t
	}
	place.field.Text = strings.TrimSpace(strings.ReplaceAll(p.text[form.start:form.end], runs.Object, ""))
	label := place.field.Label
	place.fill = func(f fields.Filling, pics pictureSetter) error {
		return fillText(p, textRange{form.start, form.end}, f, pics, label)
	}
}

// formCheckbox makes the place one box. What it is ticked for is the text beside
// it, or what it is called.
func formCheckbox(place *textPlace, box *etree.Element, beside string) {
	option := cmp.Or(beside, place.field.Label, "Yes")
	place.field.Type = fields.Checkbox
	place.field.Options, place.field.Boxes = []fields.Option{{Display: option}}, true
	state := wml.Child(box, "checked")
	if wml.IsOn(state) || state == nil && wml.IsOn(wml.Child(box, "default")) {
		place.field.Selected = []string{option}
	}
	place.fill = func(f fields.Filling, _ pictureSetter) error {
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
func formList(place *textPlace, list *etree.Element) {
	place.field.Type = fields.Dropdown
	var entries []string
	for _, e := range list.ChildElements() {
		if wml.Is(e, "listEntry") && len(entries) < maxItems {
			entries = append(entries, wml.Val(e))
		}
	}
	for _, e := range entries {
		if strings.TrimSpace(e) != "" {
			place.field.Options = append(place.field.Options, fields.Option{Display: e})
		}
	}
	if chosen := wml.Count(wml.Val(wml.Child(list, "result"))); chosen < len(entries) {
		place.field.Text = strings.TrimSpace(entries[chosen])
	}
	place.fill = func(f fields.Filling, _ pictureSetter) error {
		if at := slices.Index(entries, f.Text); at >= 0 {
			setFormState(list, "result", strconv.Itoa(at))
		}
		return nil
	}
}
