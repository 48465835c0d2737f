package sdt

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Format returns a copy of the run properties for a new value, or nil for none. They are
// those of the first run of the content unless it is a placeholder, those that the
// control defines for its text, or those of the placeholder without its placeholder
// style.
func (c *Control) Format() *etree.Element {
	own := wml.Child(c.Pr, "rPr")
	run := c.firstRun(c.Content)
	placeholder := c.ShowsPlaceholder()
	var format *etree.Element
	switch {
	case run != nil && !placeholder:
		format = wml.Child(run, "rPr")
	case own != nil:
		format = own
	case run != nil:
		format = wml.Child(run, "rPr")
	default:
		format = c.markFormat()
	}
	if format == nil {
		return nil
	}
	var dropped []string
	if style := wml.Val(wml.Child(format, "rStyle")); style == runs.PlaceholderStyle || placeholder && style == wml.Val(wml.Child(wml.Child(run, "rPr"), "rStyle")) {
		dropped = append(dropped, "rStyle")
	}
	format = runs.Properties(format)
	if placeholder && own == nil {
		dropped = append(dropped, "rStyle", "color", "highlight", "shd", "vanish", "webHidden")
	}
	for _, tag := range dropped {
		wml.DropByTag(format, tag)
	}
	return format
}

// firstRun returns the first run below e that is neither deleted nor in a control of
// another field.
func (c *Control) firstRun(e *etree.Element) *etree.Element {
	for _, below := range e.ChildElements() {
		switch {
		case wml.Is(below, "r"):
			if !wml.HasChild(below, "commentReference", "fldChar", "instrText") {
				return below
			}
			continue
		case c.in.owned[below], wml.Is(below, "del"), wml.Is(below, "moveFrom"), wml.IsProperties(below):
			continue
		}
		if run := c.firstRun(below); run != nil {
			return run
		}
	}
	return nil
}

// markFormat returns the properties of the paragraph mark where a value goes, which text
// typed there would have.
func (c *Control) markFormat() *etree.Element {
	p := c.firstParagraph(c.Content, true)
	if p == nil {
		return nil
	}
	return wml.Child(wml.Child(p, "pPr"), "rPr")
}
