package blank

import (
	"cmp"
	"strings"

	"github.com/beevik/etree"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/drawing"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/paragraph"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/runs"
	"github.com/rectohq/recto/libs/formats/fields/docxfields/internal/sdt"
)

// blankPlaces returns the blanks of the paragraphs.
func blankPlaces(paragraphs []*paragraph.Paragraph) []orderedPlace {
	blanks := detect.Find(paragraph.Detectable(paragraphs))
	places := make([]orderedPlace, 0, len(blanks))
	for i := range blanks {
		b := &blanks[i]
		places = append(places, blankPlace(paragraphs[b.Paragraph], b))
	}
	return places
}

// blankPlace returns the place of a blank.
func blankPlace(p *paragraph.Paragraph, b *detect.Blank) orderedPlace {
	around := printedAt(p, b)
	place := Place{
		Field: fields.Field{ID: b.ID, Type: b.Type, Label: b.Label, Source: fields.Detected}, Typed: true,
		At: p.ElementAt(b.Start),
		in: p, ranges: []textRange{around.in},
	}
	switch b.Kind {
	case detect.Boxes:
		place.Field.Boxes, place.ranges = true, nil
		for _, o := range b.Options {
			place.Field.Options = append(place.Field.Options, fields.Option{Display: o.Option})
			place.ranges = append(place.ranges, textRange{o.Start, o.End})
			if o.Ticked {
				place.Field.Selected = append(place.Field.Selected, o.Option)
			}
		}
		place.Fill = func(f fields.Filling, _ Pictures) error {
			p.Tick(b.Options, f.Selected)
			return nil
		}
	default:
		place.Fill = func(f fields.Filling, pics Pictures) error {
			return fillBlank(p, b, around, f, pics)
		}
	}
	return orderedPlace{Place: place, paragraph: b.Paragraph, start: b.Start}
}

// fillBlank writes a value into a blank. An empty value leaves the blank unchanged. A
// value after a label is preceded by a space.
func fillBlank(p *paragraph.Paragraph, b *detect.Blank, around printed, f fields.Filling, pics Pictures) error {
	if f.Text == "" && len(f.Pictures) == 0 && len(f.Selected) == 0 {
		return nil
	}
	if p.Led(b.Start) {
		return fillLeader(p, b, f, pics)
	}
	if b.Kind == detect.After {
		for q := p; q != nil; q = q.Twin {
			q.Space(b.Start)
		}
	}
	if f.Text != "" {
		f.Text = around.complete(f.Text)
	}
	return fillText(p, around.in, f, pics, b.Label)
}

// fillText replaces a range of the text, and of its twin, with a value.
func fillText(p *paragraph.Paragraph, r textRange, f fields.Filling, pics Pictures, label string) error {
	for q := p; q != nil; q = q.Twin {
		f := f
		if c := q.ControlAround(r.start, sdt.Date); c != nil && len(f.Pictures) == 0 {
			f.Text, _ = c.SetDate(f.Text)
		}
		made, err := shown(f, pics, label)
		if err != nil {
			return err
		}
		q.Settle(r.start)
		q.Replace(r.start, r.end, made)
	}
	return nil
}

// shown returns the content that shows a value in running text: its text, its selected
// options one after another, or its pictures.
func shown(f fields.Filling, pics Pictures, label string) (runs.Content, error) {
	if len(f.Pictures) == 0 {
		return runs.Written(cmp.Or(f.Text, strings.Join(f.Selected, ", "))), nil
	}
	drawings := make([]*etree.Element, 0, len(f.Pictures))
	for _, picture := range f.Pictures {
		made, err := pics.Draw(picture, drawing.DefaultBox(), label)
		if err != nil {
			return nil, err
		}
		drawings = append(drawings, made)
	}
	return func(*etree.Element) []*etree.Element {
		copies := make([]*etree.Element, len(drawings)) // each branch of an alternative needs its own copy
		for i, made := range drawings {
			copies[i] = made.Copy()
		}
		return copies
	}, nil
}
