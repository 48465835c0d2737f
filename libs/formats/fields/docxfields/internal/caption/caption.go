// Package caption finds the captions of checkboxes: the texts next to them.
package caption

import (
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Captions finds the captions of checkboxes. It caches results: one paragraph, cell or
// row can contain thousands of checkboxes.
type Captions struct {
	// texts maps sdt elements to captions found in paragraphs.
	texts map[*etree.Element]string
	// single reports whether a cell contains one checkbox and nothing else.
	single map[*etree.Element]bool
	// rows maps rows to their cells.
	rows map[*etree.Element][]*etree.Element
	// boxes holds the text controls that also act as checkboxes.
	boxes map[*etree.Element]bool
}

// maxCaption bounds the text of a caption, in characters.
const maxCaption = fields.MaxLabel

// New returns an empty cache.
func New() Captions {
	return Captions{map[*etree.Element]string{}, map[*etree.Element]bool{}, map[*etree.Element][]*etree.Element{}, map[*etree.Element]bool{}}
}

// Note records that a text control also acts as a checkbox.
func (t Captions) Note(c *sdt.Control) { t.boxes[c.SDT] = true }

// Of returns the caption of the checkbox, or "" if there is none: the text after it in
// its paragraph or, if the checkbox is alone in a cell, the text of an adjacent cell.
func (t Captions) Of(c *sdt.Control) string {
	p := wml.Above(c.SDT, "p")
	if p != nil {
		if _, known := t.texts[c.SDT]; !known {
			t.paragraph(p)
		}
		if caption := t.texts[c.SDT]; caption != "" {
			return caption
		}
	}
	if cell := t.cell(c); cell != nil {
		return t.besideCell(cell)
	}
	if p == nil {
		return t.nextParagraph(c.SDT)
	}
	return ""
}

// paragraph finds the captions of all checkboxes of a paragraph. Captions come after
// their boxes, unless the last box ends the paragraph and text precedes the first one:
// "Yes ☐ No ☐".
func (t Captions) paragraph(p *etree.Element) {
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

// split returns the checkboxes of a paragraph, and the texts before, between and after
// them.
func (t Captions) split(p *etree.Element) (boxes []*etree.Element, texts []string) {
	boxes, texts = runs.Split(p, maxCaption, func(e *etree.Element) bool { return t.boxes[e] || sdt.IsCheckbox(e) })
	for i := range texts {
		texts[i] = Trim(texts[i])
	}
	return boxes, texts
}

// cell returns the table cell that contains only the checkbox, or nil if there is none.
func (t Captions) cell(c *sdt.Control) *etree.Element {
	if cell := wml.Child(c.Content, "tc"); cell != nil {
		return cell
	}
	cell := wml.Above(c.SDT, "tc")
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

// besideCell returns the text of the next cell of the row or, if there is none, of the
// previous one. A cell with checkboxes of its own is not a caption.
func (t Captions) besideCell(cell *etree.Element) string {
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

// nextParagraph returns the text of the paragraph after e, unless it contains a checkbox.
func (t Captions) nextParagraph(e *etree.Element) string {
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

// Trim returns the text without separators at its ends.
func Trim(s string) string {
	return strings.TrimSpace(strings.Trim(fields.CleanLabel(s), " \u00A0,;:/|·•–—"))
}

// lastPhrase returns the text after the last question mark or colon, if there is any: "Do
// you agree? Yes".
func lastPhrase(s string) string {
	if i := strings.LastIndexAny(s, "?:"); i >= 0 && i < len(s)-1 {
		return Trim(s[i+1:])
	}
	return s
}
