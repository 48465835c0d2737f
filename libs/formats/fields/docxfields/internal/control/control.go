// Package control finds the content controls that are fields, tells what they say of
// these, and fills them.
package control

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Control is a content control that is a field, or shows a custom XML part.
type Control struct {
	sdt.Control
	part *Part
	// ID is that of its field, "" if it is none: it shows a custom XML part then.
	ID string
	// tag is what the tag says of the field, and suffix the end of the tag of a
	// control that is one of several of a field.
	tag    fields.Tag
	suffix string
	// option is what it stands for in a field of checkboxes.
	option string
	// single tells that it is a control of text that stands for one checkbox, which
	// is ticked or not, and boxed that boxes are drawn in it.
	single, ticked, boxed bool
	// drawn are the checkboxes that are drawn in its text, if it is not single, and
	// question is what they answer there.
	drawn    []detect.Box
	question string
	// twins show the same in other branches of mc:AlternateContent.
	twins []*Control
}

// checkboxInfix stands between the id of a field and what distinguishes one of
// its checkboxes in their tags.
const checkboxInfix = "-checkbox-"

// setField reads the tag. Without the id of a field it leaves the control as it
// is.
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

// isBox reports whether the control is a checkbox: a control for one, one whose
// tag says so, or one that has a box for its content.
func (c *Control) isBox() bool {
	return c.Kind == sdt.Checkbox || c.tag.Type == fields.Checkbox || c.tag.Type == "" && c.HoldsText() && c.Content != nil &&
		detect.BeginsWithBox(strings.TrimSpace(runs.Read(c.Content, maxOption)))
}

// readOldProperties reads what the properties say of the field beside the tag,
// where that says nothing.
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

// Field returns what the control alone says of its field. Options of checkboxes
// are added when all of them are known.
func (c *Control) Field() fields.Field {
	f := fields.Field{
		ID: c.ID, Type: c.tag.Type, Label: c.tag.Label, Multiple: c.tag.Multiple, Source: fields.ContentControl,
	}
	if inner := c.part.around[c.SDT]; f.Type == "" && inner != nil && inner.Kind == sdt.Checkbox {
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
