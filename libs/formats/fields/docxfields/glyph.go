package docxfields

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// Checkboxes need not be controls for checkboxes: authors also draw them as
// characters, in controls of text. Such a control stands for one box if it holds
// nothing but that, or nothing yet; or for as many as are drawn in its text, which
// stays as it is.

// drawnBoxes are the boxes that are drawn in a paragraph of a control.
type drawnBoxes struct {
	p     *paragraph
	label string
	boxes []detect.Box
}

// readDrawn returns the paragraphs of the control's content, outside of controls
// of other fields, and the boxes that are drawn in them.
func (c *control) readDrawn() ([]*paragraph, []drawnBoxes) {
	paragraphs := readContent(&c.sdtControl, c.part.owns, c.part.shared.styles)
	var drawn []drawnBoxes
	for _, b := range detect.Find(seenAll(paragraphs)) {
		if b.Kind == detect.Boxes {
			drawn = append(drawn, drawnBoxes{paragraphs[b.Paragraph], b.Label, b.Options})
		}
	}
	return paragraphs, drawn
}

// holdsText reports whether the control is one of text, which can have drawn
// boxes.
func (c *sdtControl) holdsText() bool { return c.kind == kindRich || c.kind == kindPlain }

// readBoxes finds out what a control of text that is a field of checkboxes stands
// for: one box, or those that are drawn in its text.
func (c *control) readBoxes() {
	text := strings.TrimSpace(c.text())
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
		c.drawn = []detect.Box{{Option: trimCaption(text)}}
	default:
		c.question = drawn[0].label
		for _, d := range drawn {
			c.drawn = append(c.drawn, d.boxes...)
		}
		c.drawn = c.drawn[:min(len(c.drawn), maxOptions)]
	}
}

// answers reports whether the text of a control ticks or clears a box that is
// drawn nowhere.
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
	return strings.Replace(text, d.p.text[b.Start:b.End], "", 1)
}

// hasWords reports whether there is more in the text than what separates words.
func hasWords(text string) bool { return trimCaption(text) != "" }

// drawnOptions adds the boxes that are drawn in the text of the control to its
// field.
func (c *control) drawnOptions(f *fields.Field, used map[string]int) {
	for i := range c.drawn {
		b := &c.drawn[i]
		if len(f.Options) >= maxOptions {
			return
		}
		b.Option = unique(b.Option, used)
		f.Options = append(f.Options, fields.Option{Display: b.Option})
		if b.Ticked {
			f.Selected = append(f.Selected, b.Option)
		}
	}
	for _, twin := range c.twins {
		twin.drawn = c.drawn
	}
}

// fillBoxes ticks and clears the boxes that the control of text stands for. Options
// that a registry has given to one without boxes are written.
func (c *control) fillBoxes(f fields.Filling) error {
	_, drawn := c.readDrawn()
	switch {
	case f.Written, !c.single && c.drawn == nil:
		return c.fillText(strings.Join(f.Selected, ", "), "")
	case len(drawn) > 0 && !c.showsPlaceholder():
		c.tickDrawn(drawn, f)
	case c.single:
		c.showMark(boxMark(c.ticks(f)))
	default:
		c.markBefore(boxMark(slices.Contains(f.Selected, c.drawn[0].Option)))
	}
	return c.store(runs.Read(c.content, runs.MaxValue))
}

// tickDrawn ticks and clears the boxes that are drawn.
func (c *control) tickDrawn(drawn []drawnBoxes, f fields.Filling) {
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
		d.p.tick(d.boxes, selected)
	}
}

// boxMark returns the box of a state, as Word draws it.
func boxMark(ticked bool) mark {
	m := mark{0x2610, "MS Gothic"}
	if ticked {
		m.code = 0x2612
	}
	return m
}

// showMark lets the control show the mark, and nothing else.
func (c *sdtControl) showMark(m mark) {
	format := c.format()
	host, at := c.clear()
	if host == nil {
		return
	}
	m.addTo(runs.Insert(host, at, format, ""))
	c.showContent()
}

// markBefore puts the mark in front of the text of the control.
func (c *sdtControl) markBefore(m mark) {
	first := c.firstRun(c.content)
	if first == nil {
		c.showMark(m)
		return
	}
	format := wml.Child(first, "rPr")
	at := first.Index()
	runs.Insert(first.Parent(), at, format, " ")
	m.addTo(runs.Insert(first.Parent(), at, format, ""))
}

// captionInside returns the text that stands in the content of a control for a
// checkbox beside its mark, "" if there is none.
func (c *control) captionInside() string {
	text := strings.TrimSpace(runs.Read(c.content, 4*maxOption))
	if utf8.RuneCountInString(text) < 2 || c.showsPlaceholder() || answers(text) {
		return ""
	}
	p, start, end := c.findMark()
	if p == nil {
		return trimCaption(text)
	}
	if after := trimCaption(strings.ReplaceAll(p.text[end:], runs.Object, "")); after != "" {
		return after
	}
	return trimCaption(strings.ReplaceAll(p.text[:start], runs.Object, ""))
}

// findMark returns where the mark of a control for a checkbox is drawn, a nil
// paragraph if it is not.
func (c *control) findMark() (p *paragraph, start, end int) {
	paragraphs, drawn := c.readDrawn()
	if len(drawn) > 0 {
		b := drawn[0].boxes[0]
		return drawn[0].p, b.Start, b.End
	}
	marks := "✓✔✗✘" + string(c.mark(true).code) + string(c.mark(false).code)
	for _, p := range paragraphs {
		if at := strings.IndexAny(p.text, marks); at >= 0 {
			_, n := utf8.DecodeRuneInString(p.text[at:])
			return p, at, at + n
		}
		for _, piece := range p.pieces {
			if wml.Is(piece.element, "sym") {
				return p, piece.start, piece.end
			}
		}
	}
	return nil, 0, 0
}

// changeMark changes the mark of a control for a checkbox, and nothing else of its
// content.
func (c *control) changeMark(m mark) {
	p, start, end := c.findMark()
	if p == nil {
		c.markBefore(m)
		return
	}
	p.split(start)
	p.split(end)
	first := p.pieces[p.firstAt(start)].element
	run := first.Parent()
	if !wml.Is(run, "r") {
		c.showMark(m)
		return
	}
	tail := runAfter(run, first.Index())
	m.addTo(runs.Insert(run.Parent(), run.Index()+1, wml.Child(run, "rPr"), ""))
	for _, piece := range p.pieces {
		if piece.start >= start && piece.end <= end {
			piece.element.Parent().RemoveChild(piece.element)
		}
	}
	for _, e := range []*etree.Element{run, tail} {
		if isBare(e) {
			e.Remove()
		}
	}
}

// runAfter moves what a run has from the index on to a new run behind it.
func runAfter(run *etree.Element, index int) *etree.Element {
	tail := runs.Insert(run.Parent(), run.Index()+1, wml.Child(run, "rPr"), "")
	for _, token := range slices.Clone(run.Child[index:]) {
		run.RemoveChild(token)
		tail.AddChild(token)
	}
	return tail
}

// isBare reports whether a run has nothing but its properties.
func isBare(run *etree.Element) bool {
	for _, e := range run.ChildElements() {
		if !wml.Is(e, "rPr") {
			return false
		}
	}
	return true
}
