package docxfields

import (
	"cmp"
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/wml"
)

// blankPlaces returns the blanks of the paragraphs.
func blankPlaces(paragraphs []*paragraph) []orderedPlace {
	blanks := detect.Find(seenAll(paragraphs))
	places := make([]orderedPlace, 0, len(blanks))
	for i := range blanks {
		b := &blanks[i]
		places = append(places, blankPlace(paragraphs[b.Paragraph], b))
	}
	return places
}

// seenAll returns the paragraphs as blanks are looked for in them.
func seenAll(paragraphs []*paragraph) []detect.Paragraph {
	seen := make([]detect.Paragraph, len(paragraphs))
	for i, p := range paragraphs {
		seen[i] = p.seen()
	}
	return seen
}

// take marks a range of the text as belonging to a field.
func (p *paragraph) take(start, end int) {
	p.marks = append(p.marks, detect.Mark{Start: start, End: end, Look: detect.Taken})
}

// seen returns the paragraph as blanks are looked for in it.
func (p *paragraph) seen() detect.Paragraph {
	slices.SortStableFunc(p.marks, func(a, b detect.Mark) int { return cmp.Compare(a.Start, b.Start) })
	return detect.Paragraph{Text: p.text, Marks: p.marks, Cell: p.cell, Contents: p.contents}
}

// blankPlace returns the place of a blank.
func blankPlace(p *paragraph, b *detect.Blank) orderedPlace {
	place := textPlace{
		field: fields.Field{ID: b.ID, Type: b.Type, Label: b.Label, Source: fields.Detected},
		at:    p.elementAt(b.Start),
		in:    p, ranges: []textRange{{b.Start, b.End}},
	}
	switch b.Kind {
	case detect.Boxes:
		place.field.Boxes, place.ranges = true, nil
		for _, o := range b.Options {
			place.field.Options = append(place.field.Options, fields.Option{Display: o.Option})
			place.ranges = append(place.ranges, textRange{o.Start, o.End})
			if o.Ticked {
				place.field.Selected = append(place.field.Selected, o.Option)
			}
		}
		place.fill = func(f fields.Filling, _ pictureSetter) error {
			p.tick(b.Options, f.Selected)
			return nil
		}
	default:
		place.fill = func(f fields.Filling, pics pictureSetter) error {
			return fillBlank(p, b, f, pics)
		}
	}
	return orderedPlace{textPlace: place, paragraph: b.Paragraph, start: b.Start}
}

// fillBlank writes a value into a blank. An empty one leaves the blank as it is:
// it is a blank still. Behind a label a space comes first.
func fillBlank(p *paragraph, b *detect.Blank, f fields.Filling, pics pictureSetter) error {
	if f.Text == "" && len(f.Pictures) == 0 && len(f.Selected) == 0 {
		return nil
	}
	if p.led(b.Start) {
		return fillLeader(p, b, f, pics)
	}
	if b.Kind == detect.After {
		for q := p; q != nil; q = q.twin {
			q.space(b.Start)
		}
	}
	return fillText(p, textRange{b.Start, b.End}, f, pics, b.Label)
}

// space puts a space behind the piece that ends at the offset, so that what is
// put in there stands apart from it.
func (p *paragraph) space(offset int) {
	for _, layer := range p.layers(offset - 1) {
		layer.split(offset)
		if at := layer.firstAt(offset) - 1; at >= 0 && layer.pieces[at].element.Tag == "t" {
			e := layer.pieces[at].element
			runs.SetText(e, strings.TrimRight(runs.Text(e), " ")+" ")
		}
	}
}

// fillText writes a value in place of a range of the text, with its twin's.
func fillText(p *paragraph, r textRange, f fields.Filling, pics pictureSetter, label string) error {
	for q := p; q != nil; q = q.twin {
		f := f
		if c := q.controlAround(r.start, kindDate); c != nil && len(f.Pictures) == 0 {
			f.Text, _ = c.setDate(f.Text)
		}
		made, err := shown(f, pics, label)
		if err != nil {
			return err
		}
		q.settle(r.start)
		q.replace(r.start, r.end, made)
	}
	return nil
}

// shown returns what a value looks like in running text: its text, its ticked
// options one after the other, or its pictures.
func shown(f fields.Filling, pics pictureSetter, label string) (runs.Content, error) {
	if len(f.Pictures) == 0 {
		return runs.Written(cmp.Or(f.Text, strings.Join(f.Selected, ", "))), nil
	}
	drawings := make([]*etree.Element, 0, len(f.Pictures))
	for _, picture := range f.Pictures {
		drawing, err := pics.Draw(picture, drawing.TextBox(), label)
		if err != nil {
			return nil, err
		}
		drawings = append(drawings, drawing)
	}
	return func(*etree.Element) []*etree.Element {
		copies := make([]*etree.Element, len(drawings)) // every branch of an alternative gets its own
		for i, drawing := range drawings {
			copies[i] = drawing.Copy()
		}
		return copies
	}, nil
}

// tick ticks the boxes of the selected options, and clears the others.
func (p *paragraph) tick(boxes []detect.Box, selected []string) {
	for _, b := range boxes {
		if ticked := slices.Contains(selected, b.Option); ticked != b.Ticked {
			for q := p; q != nil; q = q.twin {
				q.setBox(b, ticked)
			}
		}
	}
}

// setBox ticks or clears one box, in the way it is drawn.
func (p *paragraph) setBox(b detect.Box, ticked bool) {
	symbol := false
	for _, layer := range p.layers(b.Start) {
		if e := layer.elementAt(b.Start); wml.Is(e, "sym") {
			if c := layer.controlAround(b.Start, kindCheckbox); c != nil {
				c.setCheckedProperty(ticked)
			}
			setSymbol(e, ticked)
			symbol = true
		}
	}
	if symbol {
		return
	}
	text := boxText(p.text[b.Start:b.End], ticked)
	for _, layer := range p.layers(b.Start) {
		if c := layer.controlAround(b.Start, kindCheckbox); c != nil {
			c.setCheckedProperty(ticked)
			if m := c.mark(ticked); !runs.IsSymbolFont(m.font) {
				text = string(m.code)
			}
		}
	}
	p.settle(b.Start)
	p.replace(b.Start, b.End, runs.Written(text))
}

// boxText returns how a box looks that was drawn as old.
func boxText(old string, ticked bool) string {
	sign := " "
	if ticked {
		sign = "X"
	}
	switch old[0] {
	case '[':
		return "[" + sign + "]"
	case '(':
		// "(X)" is the number of a paragraph.
		return strings.ReplaceAll("( "+sign+" )", "   ", "  ")
	}
	if ticked {
		return "☒"
	}
	return "☐"
}
