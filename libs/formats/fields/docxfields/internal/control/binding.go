package control

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/binding"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/date"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
)

// bound returns the text of the node to which the control is bound, or "" if there is
// none.
func (c *Control) bound() string {
	if n := c.node(); n != nil {
		return n.Text()
	}
	return ""
}

// node returns the target of the control's data binding, or nil if it has no valid one.
// An error of the store is reported when the store is written.
func (c *Control) node() *binding.Node {
	if c.Binding() == nil {
		return nil
	}
	n, err := c.part.document.stores.Node(c.Binding())
	if err != nil {
		return nil
	}
	return n
}

// store writes the text into the target of the control's data binding. A binding without
// a target is removed.
func (c *Control) store(text string) error {
	bound := c.Binding()
	if bound == nil {
		return nil
	}
	n, err := c.part.document.stores.Node(bound)
	if err != nil {
		return err
	}
	if n == nil {
		c.Unbind()
		return nil
	}
	n.Set(text)
	c.part.document.stores.Filled(n, c.SDT)
	return nil
}

// boolText formats a boolean in the way that the node already uses.
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

// ShowStored updates the controls bound to a node with a new text, and reports whether
// there are any.
func (p *Part) ShowStored() (changed bool) {
	for _, c := range p.all {
		n := c.node()
		if n == nil || !p.document.stores.IsNew(n, c.SDT) {
			continue
		}
		changed = true
		c.show(n.Text())
	}
	return changed
}

// show shows the text of a node as Word would.
func (c *Control) show(text string) {
	switch c.Kind {
	case sdt.Checkbox:
		c.setChecked(saysYes(text))
	case sdt.Picture:
	case sdt.DropDown, sdt.Combo:
		shown, _ := c.Choose("", "")
		for _, item := range c.Items() {
			if display, value := sdt.ItemText(item); value == text {
				shown, _ = c.Choose(display, value)
			}
		}
		if shown == "" {
			shown = runs.Clean(text)
		}
		c.SetText(shown)
	case sdt.Date:
		if day := text[:min(len(text), len(date.ISO))]; date.IsDay(day) {
			text = day // the stored value may include a time
		}
		shown, _ := c.SetDate(runs.Clean(text))
		c.SetText(shown)
	default:
		c.SetText(runs.Clean(text))
	}
}
