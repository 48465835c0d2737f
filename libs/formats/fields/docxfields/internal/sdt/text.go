package sdt

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// MaxValue bounds what is read of the value of a control, in characters.
const MaxValue = 10_000

// Text returns what the control shows, "" for a placeholder.
func (c *Control) Text() string {
	if c.ShowsPlaceholder() {
		return ""
	}
	return runs.Read(c.Content, MaxValue)
}

// SetText lets the control show the text. Nothing changes where it shows its
// placeholder and goes on to do so.
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

// takeLines lets a control of plain text hold several lines. One among other text
// becomes one of rich text, which is the same to its reader: LibreOffice puts the
// lines of plain text in the wrong order there, and so into every PDF. What is
// bound has to stay plain.
func (c *Control) takeLines() {
	if c.Level() == Inline && c.Binding() == nil {
		c.DropKind()
		return
	}
	wml.SetAttr(c.kindOf, "multiLine", "1") // a line break is not let stand otherwise
}

// paragraphAfter adds a paragraph behind p with its properties. A section that
// ends with p ends with the new one then.
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
