package docxfields

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/fields"
	"github.com/rectohq/recto/libs/fields/detect"
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
	for i, p := range paragraphs {
		if len(p.forms) == 0 {
			continue
		}
		context := sha256.Sum256([]byte(strings.Join(strings.Fields(p.text), " ")))
		for _, form := range p.forms {
			if len(places) >= detect.MaxBlanks {
				return places
			}
			place := p.formPlace(form)
			hash := detect.Hash(kindForm, val(child(form.data, "name")), context[:])
			seen[hash]++
			place.field.ID = detect.ID(hash, seen[hash])
			places = append(places, orderedPlace{textPlace: place, paragraph: i, start: form.start})
		}
	}
	return places
}

// formPlace returns the place of a form field, without its id.
func (p *paragraph) formPlace(form formField) textPlace {
	label := val(child(form.data, "statusText"))
	if label == "" {
		label = val(child(form.data, "name"))
	}
	place := textPlace{field: fields.Field{Type: fields.Text, Label: label, Source: fields.Detected}, at: form.run}
	switch {
	case child(form.data, "checkBox") != nil:
		formCheckbox(&place, child(form.data, "checkBox"))
	case child(form.data, "ddList") != nil:
		formList(&place, child(form.data, "ddList"))
	default:
		p.formText(&place, form)
	}
	return place
}

// formText makes the place one of text.
func (p *paragraph) formText(place *textPlace, form formField) {
	switch val(child(child(form.data, "textInput"), "type")) {
	case "date", "currentDate":
		place.field.Type = fields.Date
	case "number":
		place.field.Type = fields.Number
	default:
		place.field.Type = detect.TypeOf(place.field.Label)
	}
	place.field.Text = strings.TrimSpace(strings.ReplaceAll(p.text[form.start:form.end], object, ""))
	label := place.field.Label
	place.fill = func(f fields.Filling, pics pictureSetter) error {
		return p.fillText(form.start, form.end, f, pics, label)
	}
}

// formCheckbox makes the place one box: what follows it is its option.
func formCheckbox(place *textPlace, box *etree.Element) {
	option := place.field.Label
	if option == "" {
		option = "Yes"
	}
	place.field.Type = fields.Checkbox
	place.field.Options = []fields.Option{{Display: option}}
	state := child(box, "checked")
	if switchedOn(state) || state == nil && switchedOn(child(box, "default")) {
		place.field.Selected = []string{option}
	}
	place.fill = func(f fields.Filling, _ pictureSetter) error {
		setFormState(box, "checked", switchText(slices.Contains(f.Selected, option)))
		return nil
	}
}

// switchedOn reports whether a switch is on: it is there and does not say that it is off.
func switchedOn(e *etree.Element) bool {
	if e == nil {
		return false
	}
	switch val(e) {
	case "0", "false", "off":
		return false
	}
	return true
}

func switchText(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// setFormState sets a child of e that holds the state of a form field; it comes
// before the list entries of a drop-down and behind all else.
func setFormState(e *etree.Element, tag, value string) {
	state := child(e, tag)
	if state == nil {
		state = newWord(e, tag)
		if entry := child(e, "listEntry"); entry != nil {
			e.InsertChildAt(entry.Index(), state)
		} else {
			e.AddChild(state)
		}
	}
	setAttribute(state, "val", value)
}

// formList makes the place a choice of the list's entries.
func formList(place *textPlace, list *etree.Element) {
	place.field.Type = fields.Dropdown
	var entries []string
	for _, e := range list.ChildElements() {
		if word(e, "listEntry") && len(entries) < maxItems {
			entries = append(entries, val(e))
		}
	}
	for _, e := range entries {
		if strings.TrimSpace(e) != "" {
			place.field.Options = append(place.field.Options, fields.Option{Display: e})
		}
	}
	if chosen := count(val(child(list, "result"))); chosen < len(entries) {
		place.field.Text = strings.TrimSpace(entries[chosen])
	}
	place.fill = func(f fields.Filling, _ pictureSetter) error {
		if at := slices.Index(entries, f.Text); at >= 0 {
			setFormState(list, "result", strconv.Itoa(at))
		}
		return nil
	}
}
