// Package sdt reads and changes content controls (w:sdt) of all kinds: their properties
// and their content.
package sdt

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Kind is the kind of a content control.
type Kind int

// The kinds of content controls, with Word's names.
const (
	Rich Kind = iota
	Plain
	DropDown
	Combo
	Date
	Checkbox
	Picture
)

// FieldType returns the type of a field that only the kind of its control determines.
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

// Control is a content control in its part.
type Control struct {
	// SDT is the w:sdt, Pr its w:sdtPr, and Content its w:sdtContent. Pr is never nil.
	// Content may be nil until MakeContent is called.
	SDT, Pr, Content *etree.Element
	Kind             Kind
	// kindOf is the child of Pr that determines the kind, or nil if there is none.
	kindOf *etree.Element
	// in determines what stays when the content is emptied; nil for a control that is
	// never emptied.
	in *Structure
	// broken reports whether a complex field only begins or only ends within the content.
	broken bool
}

// Of returns the control at e. It reports false if e is not a control or has no
// properties. in may be nil for a control whose content does not change.
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

// MakeContent adds an empty content to a control that has none.
func (c *Control) MakeContent() {
	if c.Content == nil {
		c.Content = wml.New(c.SDT, "sdtContent")
		c.SDT.AddChild(c.Content)
	}
}

// setKind finds the child of the properties that determines the kind of control.
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

// DropKind turns a control that can only contain something else into a rich text control.
func (c *Control) DropKind() {
	if c.kindOf != nil {
		c.kindOf.Remove()
	}
	c.Kind, c.kindOf = Rich, nil
}

// HoldsText reports whether the control is a text control, which may contain boxes as
// text.
func (c *Control) HoldsText() bool { return c.Kind == Rich || c.Kind == Plain }

// OldProperty returns a property of the field in the older format: a child element or
// attribute of the properties, or an attribute of the tag.
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

// ShowContent records that the content is not a placeholder.
func (c *Control) ShowContent() {
	if e := wml.Child(c.Pr, "showingPlcHdr"); e != nil {
		e.Remove()
	}
}

// Binding returns the element with the data binding, or nil if there is none.
func (c *Control) Binding() *etree.Element {
	for _, e := range c.Pr.ChildElements() {
		if e.Tag == "dataBinding" && (wml.IsElement(e) || e.NamespaceURI() == wml.Space2012) {
			return e
		}
	}
	return nil
}

// Unbind removes the data bindings of the control. With them, Word would show the stored
// text in place of the value.
func (c *Control) Unbind() {
	for e := c.Binding(); e != nil; e = c.Binding() {
		e.Remove()
	}
}
