package control

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/caption"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// captionInside returns the text next to the mark within a checkbox control, or "" if
// there is none.
func (c *Control) captionInside() string {
	text := strings.TrimSpace(runs.Read(c.Content, 4*maxOption))
	if utf8.RuneCountInString(text) < 2 || c.ShowsPlaceholder() || answers(text) {
		return ""
	}
	p, start, end := c.findMark()
	if p == nil {
		return caption.Trim(text)
	}
	if after := caption.Trim(strings.ReplaceAll(p.Text[end:], runs.Object, "")); after != "" {
		return after
	}
	return caption.Trim(strings.ReplaceAll(p.Text[:start], runs.Object, ""))
}

// findMark returns the position of the mark in a checkbox control, or a nil paragraph if
// there is none.
func (c *Control) findMark() (p *paragraph.Paragraph, start, end int) {
	paragraphs, drawn := c.readDrawn()
	if len(drawn) > 0 {
		b := drawn[0].boxes[0]
		return drawn[0].p, b.Start, b.End
	}
	marks := "✓✔✗✘" + string(c.Mark(true).Code) + string(c.Mark(false).Code)
	for _, p := range paragraphs {
		if at := strings.IndexAny(p.Text, marks); at >= 0 {
			_, n := utf8.DecodeRuneInString(p.Text[at:])
			return p, at, at + n
		}
		for _, piece := range p.Pieces {
			if wml.Is(piece.Element, "sym") {
				return p, piece.Start, piece.End
			}
		}
	}
	return nil, 0, 0
}

// changeMark changes the mark of a checkbox control and nothing else in its content.
func (c *Control) changeMark(m sdt.Mark) {
	p, start, end := c.findMark()
	if p == nil {
		c.MarkBefore(m)
		return
	}
	p.Split(start)
	p.Split(end)
	first := p.Pieces[p.FirstAt(start)].Element
	run := first.Parent()
	if !wml.Is(run, "r") {
		c.ShowMark(m)
		return
	}
	tail := runAfter(run, first.Index())
	m.AddTo(runs.Insert(run.Parent(), run.Index()+1, wml.Child(run, "rPr"), ""))
	for _, piece := range p.Pieces {
		if piece.Start >= start && piece.End <= end {
			piece.Element.Parent().RemoveChild(piece.Element)
		}
	}
	for _, e := range []*etree.Element{run, tail} {
		if isBare(e) {
			e.Remove()
		}
	}
}

// runAfter moves the children of a run from the index on to a new run after it.
func runAfter(run *etree.Element, index int) *etree.Element {
	tail := runs.Insert(run.Parent(), run.Index()+1, wml.Child(run, "rPr"), "")
	for _, token := range slices.Clone(run.Child[index:]) {
		run.RemoveChild(token)
		tail.AddChild(token)
	}
	return tail
}

// isBare reports whether a run has nothing but properties.
func isBare(run *etree.Element) bool {
	for _, e := range run.ChildElements() {
		if !wml.Is(e, "rPr") {
			return false
		}
	}
	return true
}
