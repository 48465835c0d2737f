package docxfields

import (
	"slices"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/fields"
	"github.com/rectohq/recto/libs/fields/detect"
)

// drawnBox is a box to tick that is drawn as text in a control, and its option
// among all of the control.
type drawnBox struct {
	paragraph *paragraph
	box       detect.Box
	option    string
}

// drawnBoxes returns the boxes in the text of a control that says it is a field of
// checkboxes without being a checkbox itself.
func (c *control) drawnBoxes() []drawnBox {
	m := &modelReader{skip: func(e *etree.Element) bool { return c.part.owned[e] }}
	if c.level() == levelInline {
		r := &runReader{modelReader: m, p: &paragraph{element: c.content}}
		r.inline(c.content)
		r.p.text = r.text.String()
		m.paragraphs = append(m.paragraphs, r.p)
	} else {
		m.blocks(c.content, nil)
	}
	var found []drawnBox
	used := map[string]int{}
	for _, b := range detect.Find(seenAll(m.paragraphs)) {
		for _, o := range b.Options {
			if len(found) < maxOptions {
				found = append(found, drawnBox{m.paragraphs[b.Paragraph], o, unique(o.Option, used)})
			}
		}
	}
	return found
}

// nameDrawn gives a field the options of the boxes that its first control draws.
func (d *Document) nameDrawn(f *fields.Field) {
	c := d.places[f.ID][0].control
	if c == nil || len(f.Options) > 0 {
		return
	}
	for _, b := range c.drawnBoxes() {
		f.Options = append(f.Options, fields.Option{Display: b.option})
		if f.Text = ""; b.box.Ticked {
			f.Selected = append(f.Selected, b.option)
		}
	}
}

// tickDrawn ticks the boxes of the selected options, and clears the others. It
// reports false if the control draws none.
func (c *control) tickDrawn(selected []string) bool {
	boxes := c.drawnBoxes()
	for _, b := range boxes {
		if ticked := slices.Contains(selected, b.option); ticked != b.box.Ticked {
			b.paragraph.setBox(b.box, ticked)
		}
	}
	if len(boxes) > 0 {
		c.showContent()
	}
	return len(boxes) > 0
}

// controlAround returns the control of the kind that shows the text at the offset,
// nil if none does: one that is no field by its tag.
func (p *paragraph) controlAround(offset int, k kind) *control {
	for e := p.elementAt(offset); e != nil; e = e.Parent() {
		if !word(e, "sdt") || child(e, "sdtPr") == nil {
			continue
		}
		c := &control{sdt: e, pr: child(e, "sdtPr")}
		if c.setKind(); c.kind == k {
			return c
		}
	}
	return nil
}
