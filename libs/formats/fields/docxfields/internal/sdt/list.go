package sdt

import (
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Items returns the items of a drop-down list or combo box.
func (c *Control) Items() []*etree.Element {
	var items []*etree.Element
	for _, e := range c.kindOf.ChildElements() {
		if wml.Is(e, "listItem") {
			items = append(items, e)
		}
	}
	return items
}

// ItemText returns the display text and the value of an item.
func ItemText(item *etree.Element) (display, value string) {
	value, _ = wml.Attr(item, "value")
	if display, _ = wml.Attr(item, "displayText"); display == "" {
		display = value
	}
	return display, value
}

// item returns the item with the display text or the value, or nil if there is none.
func (c *Control) item(display, value string) *etree.Element {
	items := c.Items()
	at := slices.IndexFunc(items, func(e *etree.Element) bool {
		d, v := ItemText(e)
		return d == display && (value == "" || v == value)
	})
	if at < 0 && value != "" {
		at = slices.IndexFunc(items, func(e *etree.Element) bool {
			_, v := ItemText(e)
			return v == value
		})
	}
	if at < 0 {
		return nil
	}
	return items[at]
}

// Choose selects an item of a list, and returns the text to show and the text to store. A
// combo box accepts any text. For text without an item, nothing is selected.
func (c *Control) Choose(text, value string) (shown, stored string) {
	item := c.item(text, value)
	if item == nil || text == "" {
		wml.RemoveAttr(c.kindOf, "lastValue")
		return text, text
	}
	display, value := ItemText(item)
	wml.SetAttr(c.kindOf, "lastValue", value)
	return display, value
}
