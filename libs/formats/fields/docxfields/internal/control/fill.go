package control

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
)

// separator stands between selected options that are written as text.
const separator = ", "

// Fill writes the value of its field into the control and its twins.
func (c *Control) Fill(f fields.Filling, label string) error {
	for _, c := range append([]*Control{c}, c.twins...) {
		if err := c.fillOne(f, label); err != nil {
			return err
		}
	}
	return nil
}

// fillOne writes the value of its field into the control. Locks restrict users in Word;
// the service fills locked controls too.
func (c *Control) fillOne(f fields.Filling, label string) error {
	switch {
	case c.Kind != sdt.Checkbox && c.part.surrounds(c):
		return nil // the controls in it show the value
	case len(f.Pictures) > 0:
		c.Unbind()
		return c.setPictures(f, label)
	case c.Kind == sdt.Checkbox:
		ticked := c.ticks(f)
		c.setChecked(ticked)
		return c.store(boolText(c.bound(), ticked))
	case f.Type == fields.Checkbox && c.HoldsText():
		return c.fillBoxes(f)
	case f.Type == fields.Checkbox:
		return c.fillText(strings.Join(f.Selected, separator), "")
	default:
		return c.fillText(f.Text, f.Value)
	}
}

// ticks reports whether the value ticks the checkbox. A text does if it is the checkbox's
// option or, if it is not a choice, means yes.
func (c *Control) ticks(f fields.Filling) bool {
	if f.Type.HasOptions() {
		return slices.Contains(f.Selected, c.option)
	}
	return c.option != "" && f.Text == c.option || saysYes(f.Text)
}

// saysYes reports whether the text of a field or of a custom XML part ticks a checkbox.
func saysYes(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "1", "true", "yes", "x", "on":
		return true
	}
	return false
}

// fillText writes text into a control that is not a checkbox. value is the value of a
// list item.
func (c *Control) fillText(text, value string) error {
	text = runs.Clean(text)
	stored := text
	switch c.Kind {
	case sdt.DropDown, sdt.Combo:
		text, stored = c.Choose(text, value)
	case sdt.Date:
		text, stored = c.SetDate(text)
	case sdt.Picture:
		if text != "" {
			c.DropKind() // a picture control cannot contain text
		}
	}
	c.SetText(text)
	return c.store(stored)
}

// setChecked ticks or clears the checkbox and shows the mark for its state.
func (c *Control) setChecked(ticked bool) {
	mark := c.Mark(ticked)
	c.NoteChecked(ticked)
	if c.captionInside() != "" {
		c.changeMark(mark)
		return
	}
	c.ShowMark(mark)
}
