// Package sdt reads and changes content controls (w:sdt), whatever they are for: what
// they say of themselves, and what they show.
package sdt

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Kind is which kind of content control one is.
type Kind int

// The kinds of content controls, as Word calls them.
const (
	Rich Kind = iota
	Plain
	DropDown
	Combo
	Date
	Checkbox
	Picture
)

// FieldType returns the type of a field that only its control tells of.
func (k Kind) FieldType() fields.Type {
	switch k {
	case DropDown, Combo:
		return fields.Dropdown
	case Date:
		return fields.Date
	case Checkbox:
		return fields.Checkbox
	case Picture:
		return fields.Image
	default:
		return fields.Text
	}
}

// Control is a content control as it stands in its part.
type Control struct {
	// SDT is the w:sdt, Pr its w:sdtPr, and Content its w:sdtContent, which is what
	// the control shows. Pr is never nil, nor is Content once it was made.
	SDT, Pr, Content *etree.Element
	Kind             Kind
	// kindOf is the child of Pr that says the kind, nil if there is none.
	kindOf *etree.Element
	// in tells what stays in the content when it is emptied; nil for a control that
	// is not.
	in *Structure
	// broken tells that a complex field begins or ends in the content, but not
	// both.
	broken bool
}

// Of returns the control that e is; it reports false if e is none or has no
// properties. In may be nil for a control whose content stays as it is.
func Of(e *etree.Element, in *Structure) (c Control, ok bool) {
	if !wml.Is(e, "sdt") {
		return Control{}, false
	}
	c = Control{SDT: e, Pr: wml.Child(e, "sdtPr"), Content: wml.Child(e, "sdtContent"), in: in}
	if c.Pr == nil {
		return Control{}, false
	}
	c.setKind()
	return c, true
}

// MakeContent gives a control without content an empty one.
func (c *Control) MakeContent() {
	if c.Content == nil {
		c.Content = wml.New(c.SDT, "sdtContent")
		c.SDT.AddChild(c.Content)
	}
}

// setKind finds the child of the properties that says what kind of control it
// is.
func (c *Control) setKind() {
	for _, e := range c.Pr.ChildElements() {
		switch {
		case wml.Named(e, wml.Space2010, "checkbox"), wml.Is(e, "checkbox"):
			c.Kind, c.kindOf = Checkbox, e
		case wml.Is(e, "dropDownList"):
			c.Kind, c.kindOf = DropDown, e
		case wml.Is(e, "comboBox"):
			c.Kind, c.kindOf = Combo, e
		case wml.Is(e, "date"):
			c.Kind, c.kindOf = Date, e
		case wml.Is(e, "picture"):
			c.Kind, c.kindOf = Picture, e
		case wml.Is(e, "text"):
			c.Kind, c.kindOf = Plain, e
		}
	}
}

// DropKind makes a rich text control of one that can only hold something else.
func (c *Control) DropKind() {
	if c.kindOf != nil {
		c.kindOf.Remove()
	}
	c.Kind, c.kindOf = Rich, nil
}

// HoldsText reports whether the control is one of text, which can have drawn
// boxes.
func (c *Control) HoldsText() bool { return c.Kind == Rich || c.Kind == Plain }

// OldProperty returns a property of the field: that of an element of the
// properties, or an attribute of them or of the tag.
func (c *Control) OldProperty(name string) string {
	if e := wml.Child(c.Pr, name); e != nil {
		return wml.Val(e)
	}
	if v, ok := wml.Attr(c.Pr, name); ok {
		return v
	}
	v, _ := wml.Attr(wml.Child(c.Pr, "tag"), name)
	return v
}

// Alias returns the title of the control.
func (c *Control) Alias() string { return fields.CleanLabel(wml.Val(wml.Child(c.Pr, "alias"))) }

// ShowsPlaceholder reports whether the content is a placeholder.
func (c *Control) ShowsPlaceholder() bool { return wml.IsOn(wml.Child(c.Pr, "showingPlcHdr")) }

// ShowContent notes that the content is no placeholder.
func (c *Control) ShowContent() {
	if e := wml.Child(c.Pr, "showingPlcHdr"); e != nil {
		e.Remove()
	}
}

// Binding returns the element that binds the control to a node of a custom XML
// part, nil if there is none.
func (c *Control) Binding() *etree.Element {
	for _, e := range c.Pr.ChildElements() {
		if e.Tag == "dataBinding" && (wml.IsElement(e) || e.NamespaceURI() == wml.Space2012) {
			return e
		}
	}
	return nil
}

// Unbind removes the bindings of the control: Word would show what is stored, in
// place of what was filled in.
func (c *Control) Unbind() {
	for e := c.Binding(); e != nil; e = c.Binding() {
		e.Remove()
	}
}
