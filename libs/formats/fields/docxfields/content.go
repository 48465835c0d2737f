package docxfields

import (
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// level is what a control stands around.
type level int

const (
	levelInline level = iota
	levelBlock
	levelCell
	levelRow
)

// level returns what the control stands around: its content says, or what it
// stands in where there is none.
func (c *sdtControl) level() level {
	if l, ok := contentLevel(c.content); ok {
		return l
	}
	for e := c.sdt.Parent(); e != nil; e = e.Parent() {
		switch e.Tag {
		case "body", "tc", "hdr", "ftr", "footnote", "endnote", "txbxContent", "docPartBody":
			return levelBlock
		case "tr":
			return levelCell
		case "tbl":
			return levelRow
		case "p":
			return levelInline
		}
	}
	return levelInline
}

// contentLevel returns what the first element below e that tells is.
func contentLevel(e *etree.Element) (level, bool) {
	for _, c := range e.ChildElements() {
		switch c.Tag {
		case "p", "tbl":
			return levelBlock, true
		case "tc":
			return levelCell, true
		case "tr":
			return levelRow, true
		case "r", "hyperlink", "fldSimple", "smartTag":
			return levelInline, true
		}
		if l, ok := contentLevel(c); ok {
			return l, ok
		}
	}
	return levelInline, false
}

// keeps reports whether something at or below e has to stay when the control is
// emptied: a control of another field, the end of a section, or a mark of a
// complex field that goes on outside.
func (c *sdtControl) keeps(e *etree.Element) bool {
	h := c.in.holds[e]
	return h&holdsKept != 0 || c.broken && h&holdsMark != 0
}

// clear empties the control but for what keeps names, bookmarks and the like. It
// returns the element that runs go into, at which index; nil if the control has
// no room for text.
func (c *sdtControl) clear() (*etree.Element, int) {
	open, least := c.openFields(c.content, 0, 0)
	c.broken = open != 0 || least < 0
	if c.level() == levelInline {
		return c.content, c.sweep(c.content)
	}
	host := c.host()
	if host == nil {
		return nil, 0
	}
	c.clearBlocks(c.content, host)
	return host, c.sweep(host)
}

// host returns the paragraph that a value goes into: the first one outside of
// tables, or the first at all. It is made where there is none.
func (c *sdtControl) host() *etree.Element {
	if p := c.firstParagraph(c.content, false); p != nil {
		return p
	}
	if p := c.firstParagraph(c.content, true); p != nil {
		return p
	}
	p := wml.New(c.content, "p")
	switch c.level() {
	case levelBlock:
		c.content.InsertChildAt(0, p)
		return p
	case levelCell:
		cell := wml.Child(c.content, "tc")
		if cell == nil {
			cell = wml.New(c.content, "tc")
			c.content.AddChild(cell)
		}
		cell.AddChild(p)
		return p
	}
	return nil
}

// firstParagraph returns the first paragraph below e that is not in a control of
// another field; those in tables only if tables is set.
func (c *sdtControl) firstParagraph(e *etree.Element, tables bool) *etree.Element {
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

// clearBlocks removes what stands beside host below e. Cells and rows stay, and
// are emptied; so does a paragraph behind a table that stays, if nothing else but a
// table follows: a cell must not end with one, and two would become one.
func (c *sdtControl) clearBlocks(e, host *etree.Element) {
	var gone []*etree.Element
	var kept *etree.Element
	since := 0 // where what goes behind kept begins
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

// keepApart lets an empty paragraph stay behind the table that kept ends with: one
// of those that were to go from the index on, or a new one.
func (c *sdtControl) keepApart(kept *etree.Element, gone []*etree.Element, from int) []*etree.Element {
	at := slices.IndexFunc(gone[from:], func(e *etree.Element) bool { return wml.Is(e, "p") })
	if at < 0 {
		kept.Parent().InsertChildAt(kept.Index()+1, wml.New(kept, "p"))
		return gone
	}
	c.hollow(gone[from+at])
	return slices.Delete(gone, from+at, from+at+1)
}

// endsWith reports whether the last block of e, or e itself, is called tag.
func endsWith(e *etree.Element, tag string) bool {
	blocks := blocksOf(e)
	return e.Tag == tag || len(blocks) > 0 && endsWith(blocks[len(blocks)-1], tag)
}

// beginsWith reports whether the first block of e, or e itself, is called tag.
func beginsWith(e *etree.Element, tag string) bool {
	blocks := blocksOf(e)
	return e.Tag == tag || len(blocks) > 0 && beginsWith(blocks[0], tag)
}

// blocksOf returns the blocks that a control or another wrapper is around.
func blocksOf(e *etree.Element) []*etree.Element {
	if e.Tag != "sdt" && e.Tag != "sdtContent" && e.Tag != "customXml" && e.Tag != "ins" {
		return nil
	}
	return slices.DeleteFunc(e.ChildElements(), func(c *etree.Element) bool {
		return wml.IsProperties(c) || wml.IsMarker(c)
	})
}

// removeAll removes siblings, and saves the markers in them. It begins with the
// last one: those behind have to be counted anew each time.
func removeAll(gone []*etree.Element, host *etree.Element) {
	for _, e := range gone {
		rescueMarkers(e, host)
	}
	for _, e := range slices.Backward(gone) {
		e.Remove()
	}
}

// hollow empties all paragraphs at and below e that are not in a control of
// another field.
func (c *sdtControl) hollow(e *etree.Element) {
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

// isInside reports whether e is below outer.
func isInside(e, outer *etree.Element) bool {
	for e = e.Parent(); e != nil; e = e.Parent() {
		if e == outer {
			return true
		}
	}
	return false
}

// sweep removes the runs of a paragraph, or of the content of an inline control,
// and returns the index at which others take their place.
func (c *sdtControl) sweep(host *etree.Element) int {
	var gone []*etree.Element
	for _, e := range host.ChildElements() {
		switch {
		case wml.IsProperties(e) || wml.IsMarker(e) || c.in.owned[e]:
			continue
		case c.keeps(e):
			c.sweepInside(e)
			continue
		case e.Tag == "r" && wml.HasChild(e, "commentReference"):
			continue
		}
		gone = append(gone, e)
	}
	if len(gone) == 0 {
		return afterProperties(host)
	}
	at := gone[0].Index()
	removeAll(gone, host)
	return at
}

// sweepInside sweeps what holds something that stays.
func (c *sdtControl) sweepInside(e *etree.Element) {
	if content := wml.Child(e, "sdtContent"); content != nil {
		e = content
	}
	c.sweep(e)
}

// afterProperties returns the index behind the properties of a paragraph.
func afterProperties(host *etree.Element) int {
	if properties := wml.Child(host, "pPr"); properties != nil {
		return properties.Index() + 1
	}
	return 0
}

// rescueMarkers moves the markers below e, which is about to be removed, to the
// end of host.
func rescueMarkers(e, host *etree.Element) {
	for _, below := range e.ChildElements() {
		if wml.IsMarker(below) {
			host.AddChild(below)
		} else {
			rescueMarkers(below, host)
		}
	}
}

// openFields returns how many complex fields are open behind e, if so many are
// before it, and the least number on the way. Where a field begins or ends in the
// content but not both, it would be damaged without its marks.
func (c *sdtControl) openFields(e *etree.Element, open, least int) (int, int) {
	for _, below := range e.ChildElements() {
		switch {
		case c.in.owned[below] || c.in.holds[below]&holdsMark == 0:
			continue
		case wml.Is(below, "fldChar"):
			switch kind, _ := wml.Attr(below, "fldCharType"); kind {
			case "begin":
				open++
			case "end":
				open--
			}
			least = min(least, open)
		default:
			open, least = c.openFields(below, open, least)
		}
	}
	return open, least
}
