package sdt

import (
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Clear empties the control, but keeps controls of other fields, bookmarks and similar
// markers. It returns the element and child index for new runs, or nil if the control has
// no room for text.
func (c *Control) Clear() (*etree.Element, int) {
	open, least := c.openFields(c.Content, 0, 0)
	c.broken = open != 0 || least < 0
	if c.Level() == Inline {
		return c.Content, c.sweep(c.Content)
	}
	host := c.host()
	if host == nil {
		return nil, 0
	}
	c.clearBlocks(c.Content, host)
	return host, c.sweep(host)
}

// host returns the paragraph for a value: the first one outside of tables, or else the
// first one of all. If there is none it creates one.
func (c *Control) host() *etree.Element {
	if p := c.firstParagraph(c.Content, false); p != nil {
		return p
	}
	if p := c.firstParagraph(c.Content, true); p != nil {
		return p
	}
	p := wml.New(c.Content, "p")
	switch c.Level() {
	case Block:
		c.Content.InsertChildAt(0, p)
		return p
	case Cell:
		cell := wml.Child(c.Content, "tc")
		if cell == nil {
			cell = wml.New(c.Content, "tc")
			c.Content.AddChild(cell)
		}
		cell.AddChild(p)
		return p
	}
	return nil
}

// firstParagraph returns the first paragraph below e that is not in a control of another
// field. It searches tables only if tables is set.
func (c *Control) firstParagraph(e *etree.Element, tables bool) *etree.Element {
	for _, below := range e.ChildElements() {
		switch {
		case wml.Is(below, "p"):
			return below
		case c.in.owned[below], below.Tag == "sdtPr", !tables && wml.Is(below, "tbl"):
			continue
		}
		if p := c.firstParagraph(below, tables); p != nil {
			return p
		}
	}
	return nil
}

// clearBlocks removes the blocks below e other than host. Cells and rows stay and are
// emptied. So does a paragraph after a remaining table if another table or nothing
// follows: a cell must not end with a table, and adjacent tables would merge.
func (c *Control) clearBlocks(e, host *etree.Element) {
	var gone []*etree.Element
	var kept *etree.Element
	since := 0 // index in gone of the first block after kept
	part := func(next *etree.Element) {
		if kept != nil && endsWith(kept, "tbl") && (next == nil || beginsWith(next, "tbl")) && len(gone) > since {
			gone = c.keepApart(kept, gone, since)
		}
		kept, since = next, len(gone)
	}
	for _, b := range e.ChildElements() {
		switch {
		case wml.IsProperties(b) || wml.IsMarker(b):
		case b == host:
			part(b)
		case isInside(host, b):
			c.clearBlocks(b, host)
			part(b)
		case b.Tag == "tc" || b.Tag == "tr" || c.keeps(b):
			c.hollow(b)
			part(b)
		default:
			gone = append(gone, b)
		}
	}
	part(nil)
	removeAll(gone, host)
}

// keepApart keeps an empty paragraph after the table at the end of kept: one of the
// blocks in gone, from the index on, or a new one.
func (c *Control) keepApart(kept *etree.Element, gone []*etree.Element, from int) []*etree.Element {
	at := slices.IndexFunc(gone[from:], func(e *etree.Element) bool { return wml.Is(e, "p") })
	if at < 0 {
		kept.Parent().InsertChildAt(kept.Index()+1, wml.New(kept, "p"))
		return gone
	}
	c.hollow(gone[from+at])
	return slices.Delete(gone, from+at, from+at+1)
}

// endsWith reports whether e, or its last block, is called tag.
func endsWith(e *etree.Element, tag string) bool {
	blocks := blocksOf(e)
	return e.Tag == tag || len(blocks) > 0 && endsWith(blocks[len(blocks)-1], tag)
}

// beginsWith reports whether e, or its first block, is called tag.
func beginsWith(e *etree.Element, tag string) bool {
	blocks := blocksOf(e)
	return e.Tag == tag || len(blocks) > 0 && beginsWith(blocks[0], tag)
}

// blocksOf returns the blocks within a control or another wrapper.
func blocksOf(e *etree.Element) []*etree.Element {
	if e.Tag != "sdt" && e.Tag != "sdtContent" && e.Tag != "customXml" && e.Tag != "ins" {
		return nil
	}
	return slices.DeleteFunc(e.ChildElements(), func(c *etree.Element) bool {
		return wml.IsProperties(c) || wml.IsMarker(c)
	})
}

// removeAll removes siblings and rescues the markers in them. It starts with the last
// one, because each removal renumbers the siblings after it.
func removeAll(gone []*etree.Element, host *etree.Element) {
	for _, e := range gone {
		rescueMarkers(e, host)
	}
	for _, e := range slices.Backward(gone) {
		e.Remove()
	}
}

// hollow empties all paragraphs at and below e that are not in a control of another
// field.
func (c *Control) hollow(e *etree.Element) {
	if c.in.owned[e] {
		return
	}
	if wml.Is(e, "p") {
		c.sweep(e)
		return
	}
	for _, below := range e.ChildElements() {
		c.hollow(below)
	}
}

// isInside reports whether e is a descendant of outer.
func isInside(e, outer *etree.Element) bool {
	for e = e.Parent(); e != nil; e = e.Parent() {
		if e == outer {
			return true
		}
	}
	return false
}
