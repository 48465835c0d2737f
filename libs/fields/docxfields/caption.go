package docxfields

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/fields"
)

// captions finds the texts that stand beside checkboxes. It keeps what it has
// found of each paragraph, by the sdt elements.
type captions map[*etree.Element]string

// of returns the text that a reader takes for that of the checkbox, "" if there
// is none: what follows it in its paragraph, or, where it stands alone in a cell,
// the text of the next cell.
func (t captions) of(c *control) string {
	p := above(c.sdt, "p")
	if p != nil {
		if _, known := t[c.sdt]; !known {
			t.paragraph(p)
		}
		if caption := t[c.sdt]; caption != "" {
			return caption
		}
	}
	if cell := c.cell(); cell != nil {
		return besideCell(cell)
	}
	if p == nil {
		return nextParagraph(c.sdt)
	}
	return ""
}

// paragraph finds the captions of all checkboxes of a paragraph. They follow
// their boxes, unless the last box ends the paragraph and something stands before
// the first one: "Yes ☐ No ☐".
func (t captions) paragraph(p *etree.Element) {
	boxes, texts := split(p)
	last := len(boxes)
	if last == 0 {
		return
	}
	before := texts[last] == ""
	for _, s := range texts[:last] {
		before = before && s != ""
	}
	for i, box := range boxes {
		if t[box] = texts[i+1]; before {
			t[box] = lastPhrase(texts[i])
		}
	}
}

// split returns the checkboxes of a paragraph, and the texts before, between and
// after them.
func split(p *etree.Element) (boxes []*etree.Element, texts []string) {
	r := textReader{left: maxOption}
	r.enter = func(e *etree.Element) bool {
		if !isCheckbox(e) {
			return true
		}
		boxes = append(boxes, e)
		texts = append(texts, trimCaption(r.text.String()))
		r.text.Reset()
		r.left = maxOption
		return false
	}
	// Each text has the same room: what is too long is cut, and the boxes behind
	// it are found all the same.
	r.whole(p)
	return boxes, append(texts, trimCaption(r.text.String()))
}

// whole is children that goes on where there is no room left for text.
func (r *textReader) whole(e *etree.Element) {
	for _, token := range e.Child {
		c, ok := token.(*etree.Element)
		if !ok {
			continue
		}
		if s, leaf := leafText(c); leaf {
			r.add(s)
		} else if r.enter(c) {
			r.whole(c)
		}
	}
}

// isCheckbox reports whether e is a control that is a checkbox.
func isCheckbox(e *etree.Element) bool {
	if !word(e, "sdt") {
		return false
	}
	pr := child(e, "sdtPr")
	if pr == nil {
		return false
	}
	for _, p := range pr.ChildElements() {
		if named(p, spaceWord14, "checkbox") || word(p, "checkbox") {
			return true
		}
	}
	return false
}

// trimCaption returns the text without what separates it from its neighbours.
func trimCaption(s string) string {
	return strings.TrimSpace(strings.Trim(fields.CleanLabel(s), " \u00A0,;:/|·•–—"))
}

// lastPhrase returns what follows the last question mark or colon, if anything
// does: "Do you agree? Yes".
func lastPhrase(s string) string {
	if i := strings.LastIndexAny(s, "?:"); i >= 0 && i < len(s)-1 {
		return trimCaption(s[i+1:])
	}
	return s
}

// above returns the nearest element of WordprocessingML called tag that e is in,
// nil if there is none in the same story.
func above(e *etree.Element, tag string) *etree.Element {
	for e = e.Parent(); e != nil && e.Tag != "txbxContent"; e = e.Parent() {
		if word(e, tag) {
			return e
		}
	}
	return nil
}

// cell returns the table cell that holds nothing but the checkbox, nil if there
// is none.
func (c *control) cell() *etree.Element {
	cell := child(c.content, "tc")
	if cell == nil {
		cell = above(c.sdt, "tc")
	}
	if cell == nil {
		return nil
	}
	boxes, texts := split(cell)
	if len(boxes) > 1 || strings.Join(texts, "") != "" && child(c.content, "tc") == nil {
		return nil
	}
	return cell
}

// besideCell returns the text of the next cell of the row, or of the one before
// if there is none.
func besideCell(cell *etree.Element) string {
	row := above(cell, "tr")
	if row == nil {
		return ""
	}
	var before, after string
	found := false
	for _, other := range cells(row, nil) {
		text := trimCaption(readText(other, maxOption))
		switch {
		case other == cell:
			found = true
		case found:
			after = text
			if boxes, _ := split(other); len(boxes) > 0 {
				after = ""
			}
			return after
		default:
			before = text
		}
	}
	return before
}

// cells appends the cells of a row, also those in controls.
func cells(e *etree.Element, found []*etree.Element) []*etree.Element {
	for _, c := range e.ChildElements() {
		if word(c, "tc") {
			found = append(found, c)
		} else if word(c, "sdt") || word(c, "sdtContent") || word(c, "customXml") {
			found = cells(c, found)
		}
	}
	return found
}

// nextParagraph returns the text of the paragraph that follows e, if that has no
// checkbox of its own.
func nextParagraph(e *etree.Element) string {
	next := e.NextSibling()
	if !word(next, "p") {
		return ""
	}
	boxes, texts := split(next)
	if len(boxes) > 0 {
		return ""
	}
	return texts[0]
}
