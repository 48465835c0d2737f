// Package control finds the content controls that are fields, reads the definitions of
// the fields, and fills the controls.
package control

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Control is a content control that is a field or is bound to a custom XML part.
type Control struct {
	sdt.Control
	part *Part
	// ID is the ID of its field, or "" if it is not a field but only bound to a custom
	// XML part.
	ID string
	// tag is the field definition in the tag. suffix is the end of the tag if several
	// controls belong to the field.
	tag    fields.Tag
	suffix string
	// option is its option in a checkbox field.
	option string
	// single means that it is a text control that represents one checkbox, whose state is
	// ticked. boxed means that its text contains boxes.
	single, ticked, boxed bool
	// drawn holds the boxes in its text if it is not single, and question is the question
	// that they answer.
	drawn    []detect.Box
	question string
	// twins are the same control in other branches of an mc:AlternateContent.
	twins []*Control
}

// checkboxInfix separates the field ID from the suffix that distinguishes a field's
// checkboxes in their tags.
const checkboxInfix = "-checkbox-"

// setField parses the tag. If the tag has no field ID it leaves the control unchanged.
func (c *Control) setField() {
	tag := strings.TrimSpace(wml.Val(wml.Child(c.Pr, "tag")))
	switch parsed, ok := fields.ParseTag(tag); {
	case ok:
		c.tag = parsed
	case fields.ValidID(tag):
		c.tag = fields.Tag{FieldID: tag}
	case c.Kind == sdt.Checkbox:
		c.tag.FieldID = c.part.choiceAround(c.SDT)
	}
	if c.tag.FieldID == "" {
		return
	}
	c.readOldProperties()
	c.ID = c.tag.FieldID
	at := strings.LastIndex(c.ID, checkboxInfix)
	if at > 0 && fields.ValidID(c.ID[:at]) && c.isBox() {
		c.ID, c.suffix = c.ID[:at], c.ID[at+len(checkboxInfix):]
		c.tag.Type = fields.Checkbox
	}
}

// isBox reports whether the control is a checkbox: a checkbox control, one whose tag
// declares a checkbox, or one whose content begins with a box.
func (c *Control) isBox() bool {
	return c.Kind == sdt.Checkbox || c.tag.Type == fields.Checkbox || c.tag.Type == "" && c.HoldsText() && c.Content != nil &&
		detect.BeginsWithBox(strings.TrimSpace(runs.Read(c.Content, maxOption)))
}

// readOldProperties reads the older properties for whatever the tag does not define.
func (c *Control) readOldProperties() {
	if c.tag.Type == "" {
		for _, name := range []string{"fieldType", "fieldTypeShort"} {
			if t, ok := fields.ParseType(c.OldProperty(name)); ok && c.tag.Type == "" {
				c.tag.Type = t
			}
		}
	}
	if c.tag.Multiple == nil {
		switch strings.ToLower(c.OldProperty("fieldMultipleImage")) {
		case "true", "1", "on":
			c.tag.Multiple = new(true)
		case "false", "0", "off":
			c.tag.Multiple = new(false)
		}
	}
	if c.tag.Label == "" {
		c.tag.Label = fields.CleanLabel(c.OldProperty("displayLabel"))
	}
}

// Field returns the field definition from this control alone. The options of checkboxes
// are added once all of them are known.
func (c *Control) Field() fields.Field {
	f := fields.Field{
		ID: c.ID, Type: c.tag.Type, Label: c.tag.Label, Multiple: c.tag.Multiple, Source: fields.ContentControl,
	}
	if f.Type == "" && c.holdsBox() {
		f.Type = fields.Checkbox
	}
	if f.Type == "" {
		f.Type = c.Kind.FieldType()
	}
	if f.Label == "" {
		f.Label = c.Alias()
	}
	if c.Kind == sdt.DropDown || c.Kind == sdt.Combo {
		f.Options = c.listOptions()
	}
	if len(f.Options) == 0 && f.Type.HasOptions() {
		f.Options = c.tag.Options
	}
	if c.Kind != sdt.Checkbox && c.Kind != sdt.Picture && f.Type != fields.Image {
		f.Text = c.Text()
	}
	if c.Kind == sdt.Date && f.Type == fields.Date {
		f.Text = c.Day(f.Text)
	}
	return f
}

// holdsBox reports whether the control contains a checkbox control of its own field.
func (c *Control) holdsBox() bool {
	inner := c.part.around[c.SDT]
	return inner != nil && inner.Kind == sdt.Checkbox
}

// Typed reports whether the control declares the type of its field, by its tag or by its
// kind. Any value fits into a text control, so its kind declares nothing.
func (c *Control) Typed() bool {
	return c.tag.Type != "" || !c.HoldsText() || c.holdsBox()
}
