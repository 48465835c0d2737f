package control

import (
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/caption"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
)

// drawnBoxes holds the boxes in a paragraph of a control.
//
// Checkboxes need not be checkbox controls: authors also write them as characters in text
// controls. Such a control represents one checkbox if it contains only that or is still
// empty. Otherwise it represents all boxes in its text, which itself stays unchanged.
type drawnBoxes struct {
	p     *paragraph.Paragraph
	label string
	boxes []detect.Box
}

// readDrawn returns the paragraphs of the control's content, except for controls of other
// fields, and the boxes in them.
func (c *Control) readDrawn() ([]*paragraph.Paragraph, []drawnBoxes) {
	paragraphs := paragraph.ReadControl(&c.Control, c.part.structure.Owns, c.part.document.styles)
	var drawn []drawnBoxes
	for _, b := range detect.Find(paragraph.Detectable(paragraphs)) {
		if b.Kind == detect.Boxes {
			drawn = append(drawn, drawnBoxes{paragraphs[b.Paragraph], b.Label, b.Options})
		}
	}
	return paragraphs, drawn
}

// readBoxes determines what a text control of a checkbox field represents: one checkbox,
// or the boxes in its text.
func (c *Control) readBoxes() {
	text := strings.TrimSpace(c.Text())
	if text == "" || answers(text) {
		c.single, c.ticked = true, saysYes(text)
		return
	}
	_, drawn := c.readDrawn()
	c.boxed = len(drawn) > 0
	switch {
	case len(drawn) == 1 && len(drawn[0].boxes) == 1 && !hasWords(withoutBox(drawn[0], text)):
		c.single, c.ticked = true, drawn[0].boxes[0].Ticked
	case len(drawn) == 0:
		c.drawn = []detect.Box{{Option: caption.Trim(text)}}
	default:
		c.question = drawn[0].label
		for _, d := range drawn {
			c.drawn = append(c.drawn, d.boxes...)
		}
		c.drawn = c.drawn[:min(len(c.drawn), maxOptions)]
	}
}

// readDeclaredBoxes determines whether a text control whose tag declares options has a box
// in its text for each of them. If the texts of the boxes are others, the options are
// those of the boxes in order.
func (c *Control) readDeclaredBoxes() {
	if c.ShowsPlaceholder() {
		return
	}
	_, drawn := c.readDrawn()
	var boxes []detect.Box
	for _, d := range drawn {
		boxes = append(boxes, d.boxes...)
	}
	if len(boxes) == 0 || len(boxes) != len(c.tag.Options) {
		return
	}
	named := !slices.ContainsFunc(boxes, func(b detect.Box) bool { return !hasOption(c.tag.Options, b.Option) })
	for i := range boxes {
		if !named {
			boxes[i].Option = c.tag.Options[i].Display
		}
	}
	c.boxed, c.question, c.drawn = true, drawn[0].label, boxes
}

// answers reports whether the text of a control states that a checkbox is ticked or
// cleared, without containing a box.
func answers(text string) bool {
	switch strings.ToLower(text) {
	case "0", "false", "no", "off", "✓", "✔":
		return true
	}
	return saysYes(text)
}

// withoutBox returns the text without its box.
func withoutBox(d drawnBoxes, text string) string {
	b := d.boxes[0]
	return strings.Replace(text, d.p.Text[b.Start:b.End], "", 1)
}

// hasWords reports whether the text contains more than separators.
func hasWords(text string) bool { return caption.Trim(text) != "" }

// drawnOptions adds the boxes in the control's text to its field.
func (c *Control) drawnOptions(f *fields.Field, used map[string]int) {
	for i := range c.drawn {
		b := &c.drawn[i]
		if len(f.Options) >= maxOptions {
			return
		}
		repeated := len(c.tag.Options) > 0 && hasOption(f.Options, b.Option) // the field occurs again
		if !repeated {
			b.Option = unique(b.Option, used)
			f.Options = append(f.Options, fields.Option{Display: b.Option})
		}
		if b.Ticked && !slices.Contains(f.Selected, b.Option) {
			f.Selected = append(f.Selected, b.Option)
		}
	}
	for _, twin := range c.twins {
		twin.drawn = c.drawn
	}
}

// fillBoxes ticks and clears the checkboxes that a text control represents. If the
// options come from a registry and have no boxes, it writes them as text.
func (c *Control) fillBoxes(f fields.Filling) error {
	_, drawn := c.readDrawn()
	switch {
	case f.Written, !c.single && c.drawn == nil:
		return c.fillText(strings.Join(f.Selected, separator), "")
	case len(drawn) > 0 && !c.ShowsPlaceholder():
		c.tickDrawn(drawn, f)
	case c.single:
		c.ShowMark(sdt.Box(c.ticks(f)))
	default:
		c.MarkBefore(sdt.Box(slices.Contains(f.Selected, c.drawn[0].Option)))
	}
	return c.store(runs.Read(c.Content, sdt.MaxValue))
}

// tickDrawn ticks and clears the boxes in the text.
func (c *Control) tickDrawn(drawn []drawnBoxes, f fields.Filling) {
	at := 0
	for _, d := range drawn {
		var selected []string
		for i := range d.boxes {
			b := &d.boxes[i]
			ticked := c.single && c.ticks(f)
			if !c.single && at < len(c.drawn) {
				ticked = slices.Contains(f.Selected, c.drawn[at].Option)
			}
			if at++; ticked {
				selected = append(selected, b.Option)
			}
		}
		d.p.Tick(d.boxes, selected)
	}
}
