package docxfields

import (
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// maxCaption bounds the text of a caption, in characters.
const maxCaption = fields.MaxLabel

// captions finds the texts that stand beside checkboxes. It keeps what it has
// found: one paragraph, cell or row can hold thousands of them.
type captions struct {
	// texts are those that were found in paragraphs, by the sdt elements.
	texts map[*etree.Element]string
	// single tells of cells whether they hold one checkbox and nothing else.
	single map[*etree.Element]bool
	// rows are the cells of rows.
	rows map[*etree.Element][]*etree.Element
	// boxes are the controls of text that are checkboxes as well.
	boxes map[*etree.Element]bool
}

// newCaptions returns captions that know nothing yet.
func newCaptions() captions {
	return captions{map[*etree.Element]string{}, map[*etree.Element]bool{}, map[*etree.Element][]*etree.Element{}, map[*etree.Element]bool{}}
}

// note notes that a control of text is a checkbox as well.
func (t captions) note(c *sdtControl) { t.boxes[c.sdt] = true }

// of returns the text that a reader takes for that of the checkbox, "" if there
// is none: what follows it in its paragraph, or, where it stands alone in a cell,
// the text of the next cell.
func (t captions) of(c *sdtControl) string {
	p := wml.Above(c.sdt, "p")
	if p != nil {
		if _, known := t.texts[c.sdt]; !known {
			t.paragraph(p)
		}
		if caption := t.texts[c.sdt]; caption != "" {
			return caption
		}
	}
	if cell := t.cell(c); cell != nil {
		return t.besideCell(cell)
	}
	if p == nil {
		return t.nextParagraph(c.sdt)
	}
	return ""
}

// paragraph finds the captions of all checkboxes of a paragraph. They follow
// their boxes, unless the last box ends the paragraph and something stands before
// the first one: "Yes ☐ No ☐".
func (t captions) paragraph(p *etree.Element) {
	boxes, texts := t.split(p)
	last := len(boxes)
	if last == 0 {
		return
	}
	before := texts[last] == ""
	for _, s := range texts[:last] {
		before = before && s != ""
	}
	for i, box := range boxes {
		if t.texts[box] = texts[i+1]; before {
			t.texts[box] = lastPhrase(texts[i])
		}
	}
}

// split returns the checkboxes of a paragraph, and the texts before, between and
// after them.
func (t captions) split(p *etree.Element) (boxes []*etree.Element, texts []string) {
	boxes, texts = runs.Split(p, maxCaption, func(e *etree.Element) bool { return t.boxes[e] || isCheckbox(e) })
	for i := range texts {
		texts[i] = trimCaption(texts[i])
	}
	return boxes, texts
}

// isCheckbox reports whether e is a control that is a checkbox.
func isCheckbox(e *etree.Element) bool {
	if !wml.Is(e, "sdt") {
		return false
	}
	pr := wml.Child(e, "sdtPr")
	if pr == nil {
		return false
	}
	for _, p := range pr.ChildElements() {
		if wml.Named(p, wml.Space2010, "checkbox") || wml.Is(p, "checkbox") {
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

// cell returns the table cell that holds nothing but the checkbox, nil if there
// is none.
func (t captions) cell(c *sdtControl) *etree.Element {
	if cell := wml.Child(c.content, "tc"); cell != nil {
		return cell
	}
	cell := wml.Above(c.sdt, "tc")
	if cell == nil {
		return nil
	}
	single, known := t.single[cell]
	if !known {
		boxes, texts := t.split(cell)
		single = len(boxes) == 1 && strings.Join(texts, "") == ""
		t.single[cell] = single
	}
	if !single {
		return nil
	}
	return cell
}

// besideCell returns the text of the next cell of the row, or, if there is none,
// of the one before. A cell with checkboxes of its own says nothing of others.
func (t captions) besideCell(cell *etree.Element) string {
	row := wml.Above(cell, "tr")
	if row == nil {
		return ""
	}
	if t.rows[row] == nil {
		t.rows[row] = wml.Cells(row, nil)
	}
	all := t.rows[row]
	at := slices.Index(all, cell)
	beside := at + 1
	if beside == len(all) {
		beside = at - 1
	}
	if at < 0 || beside < 0 {
		return ""
	}
	if boxes, texts := t.split(all[beside]); len(boxes) == 0 {
		return texts[0]
	}
	return ""
}

// nextParagraph returns the text of the paragraph that follows e, if that has no
// checkbox of its own.
func (t captions) nextParagraph(e *etree.Element) string {
	next := e.NextSibling()
	if !wml.Is(next, "p") {
		return ""
	}
	boxes, texts := t.split(next)
	if len(boxes) > 0 {
		return ""
	}
	return texts[0]
}
