package sdt

import (
	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Level is the kind of content around which a control is placed.
type Level int

// The levels of controls: runs in a paragraph, paragraphs and tables, cells of a row, or
// rows of a table.
const (
	Inline Level = iota
	Block
	Cell
	Row
)

// Level returns the level of the control, from its content or, if it is empty, from its
// parent.
func (c *Control) Level() Level {
	if l, ok := contentLevel(c.Content); ok {
		return l
	}
	for e := c.SDT.Parent(); e != nil; e = e.Parent() {
		switch e.Tag {
		case "body", "tc", "hdr", "ftr", "footnote", "endnote", "txbxContent", "docPartBody":
			return Block
		case "tr":
			return Cell
		case "tbl":
			return Row
		case "p":
			return Inline
		}
	}
	return Inline
}

// contentLevel returns the level of the first element below e that determines one.
func contentLevel(e *etree.Element) (Level, bool) {
	for _, c := range e.ChildElements() {
		switch c.Tag {
		case "p", "tbl":
			return Block, true
		case "tc":
			return Cell, true
		case "tr":
			return Row, true
		case "r", "hyperlink", "fldSimple", "smartTag":
			return Inline, true
		}
		if l, ok := contentLevel(c); ok {
			return l, ok
		}
	}
	return Inline, false
}

// isBlock reports whether the control contains whole paragraphs, and host is one of
// them.
func (c *Control) isBlock(host *etree.Element) bool {
	return wml.Is(host, "p") && c.Level() != Row
}
