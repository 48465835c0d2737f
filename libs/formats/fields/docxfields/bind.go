package docxfields

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/binding"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/date"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// binding returns the element that binds the control to a node of a custom XML
// part, nil if there is none.
func (c *sdtControl) binding() *etree.Element {
	for _, e := range c.pr.ChildElements() {
		if e.Tag == "dataBinding" && (wml.IsElement(e) || e.NamespaceURI() == wml.Space2012) {
			return e
		}
	}
	return nil
}

// unbind removes the bindings of the control: Word would show what is stored, in
// place of what was filled in.
func (c *sdtControl) unbind() {
	for e := c.binding(); e != nil; e = c.binding() {
		e.Remove()
	}
}

// bound returns the text of the node that the control shows, "" if there is none.
func (c *control) bound() string {
	if n := c.node(); n != nil {
		return n.Text()
	}
	return ""
}

// node returns what the control shows, nil if it is bound to nothing that is
// there. That a store cannot be read is found when it is written.
func (c *control) node() *binding.Node {
	if c.binding() == nil {
		return nil
	}
	n, err := c.part.shared.stores.Node(c.binding())
	if err != nil {
		return nil
	}
	return n
}

// store puts the text into what the control is bound to. A control that is bound
// to nothing that is there is bound no more.
func (c *control) store(text string) error {
	binding := c.binding()
	if binding == nil {
		return nil
	}
	n, err := c.part.shared.stores.Node(binding)
	if err != nil {
		return err
	}
	if n == nil {
		c.unbind()
		return nil
	}
	n.Set(text)
	c.part.shared.stores.Written(n, c.sdt)
	return nil
}

// boolText writes a boolean the way the node has it already.
func boolText(before string, b bool) string {
	switch before = strings.TrimSpace(before); {
	case b && (before == "0" || before == "1"):
		return "1"
	case before == "0" || before == "1":
		return "0"
	case b:
		return "true"
	default:
		return "false"
	}
}

// showStored lets the controls that show a node with a new text show that, and
// reports whether there are any.
func (p *controls) showStored() (changed bool) {
	for _, c := range p.all {
		n := c.node()
		if n == nil || !p.shared.stores.IsNew(n, c.sdt) {
			continue
		}
		changed = true
		c.show(n.Text())
	}
	return changed
}

// show shows the text of a node as Word would.
func (c *control) show(text string) {
	switch c.kind {
	case kindCheckbox:
		c.setChecked(saysYes(text))
	case kindPicture:
	case kindDropDown, kindCombo:
		shown, _ := c.choose("", "")
		for _, item := range c.listItems() {
			if display, value := itemText(item); value == text {
				shown, _ = c.choose(display, value)
			}
		}
		if shown == "" {
			shown = runs.Clean(text)
		}
		c.setText(shown)
	case kindDate:
		if day := text[:min(len(text), len(date.ISO))]; date.IsDay(day) {
			text = day // what is stored can have a time
		}
		shown, _ := c.setDate(runs.Clean(text))
		c.setText(shown)
	default:
		c.setText(runs.Clean(text))
	}
}
