package sdt

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// MaxValue bounds how much of the value of a control is read, in characters.
const MaxValue = 10_000

// Text returns the text of the control, or "" for a placeholder.
func (c *Control) Text() string {
	if c.ShowsPlaceholder() {
		return ""
	}
	return runs.Read(c.Content, MaxValue)
}

// SetText sets the text of the control. Setting "" on a control that shows its
// placeholder changes nothing.
func (c *Control) SetText(text string) {
	if text == "" && c.ShowsPlaceholder() {
		return
	}
	format := c.Format()
	host, at := c.Clear()
	if host == nil {
		return
	}
	lines := []string{text}
	if c.isBlock(host) && c.Kind == Rich {
		lines = strings.Split(text, "\n")
	}
	if c.Kind == Plain && strings.Contains(text, "\n") {
		c.takeLines()
	}
	runs.Insert(host, at, format, lines[0])
	for _, line := range lines[1:] {
		host = paragraphAfter(host)
		runs.Insert(host, len(host.Child), format, line)
	}
	c.ShowContent()
}

// takeLines lets a plain text control contain several lines. An inline control becomes a
// rich text control, which looks the same: in inline plain text, LibreOffice puts the
// lines in the wrong order, which would show in every PDF. A bound control must stay plain
// text.
func (c *Control) takeLines() {
	if c.Level() == Inline && c.Binding() == nil {
		c.DropKind()
		return
	}
	wml.SetAttr(c.kindOf, "multiLine", "1") // required for line breaks
}

// paragraphAfter adds a paragraph after p with its properties. If a section ends with p,
// it then ends with the new paragraph.
func paragraphAfter(p *etree.Element) *etree.Element {
	next := wml.New(p, "p")
	p.Parent().InsertChildAt(p.Index()+1, next)
	if properties := wml.Child(p, "pPr"); properties != nil {
		copied := properties.Copy()
		next.AddChild(copied)
		for _, tag := range []string{"pPrChange"} {
			wml.RemoveChild(copied, tag)
		}
		wml.RemoveChild(properties, "sectPr")
	}
	return next
}
