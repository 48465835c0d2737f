package pdffields

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/layout"
)

// choose completes the field of boxes to tick.
func (l *line) choose(f *fields.Field, b detect.Blank) {
	f.Boxes = true
	for _, o := range b.Options {
		p, ok := l.boxPlace(o)
		if !ok {
			continue
		}
		f.Options = append(f.Options, fields.Option{Display: o.Option})
		f.Places = append(f.Places, p)
		if o.Ticked {
			f.Selected = append(f.Selected, o.Option)
		}
	}
}

// boxPlace returns the place of a box to tick. It reports false if the box is nowhere on the
// page.
func (l *line) boxPlace(o detect.Box) (fields.Place, bool) {
	pieces := l.within(layout.Span{Start: o.Start, End: o.End})
	if len(pieces) == 0 {
		return fields.Place{}, false
	}
	place := fields.Place{Page: l.page.number, Option: o.Option, Cover: o.Ticked}
	box, between := l.between(o)
	switch {
	case between:
	case pieces[0].kind == textPiece && o.Ticked:
		box, place.Glyph = pieces[0].box, true
	case pieces[0].kind == textPiece:
		box = square(pieces[0].box)
	default:
		box = pieces[0].box
	}
	place.Box = l.page.fractions(box)
	return place, true
}

// Sizes of a mark between brackets, as multiples of the height of the font. Its sides may
// reach into the characters of the brackets, whose lines are at their outer edges: a single
// space between them is too narrow for a mark that can be read.
const (
	// markSize is the size of a mark.
	markSize = 0.55
	// markMargin is the distance of a printed mark from the top and the bottom of its font.
	markMargin = 0.1
)

// between returns the box for a mark between brackets. If there is a mark, it is the box of
// that mark. It reports false if the box to tick is not made of brackets.
func (l *line) between(o detect.Box) (layout.Box, bool) {
	if !strings.ContainsAny(l.Text[o.Start:o.Start+1], "[(") {
		return layout.Box{}, false
	}
	opening, closing := l.within(layout.Span{Start: o.Start, End: o.Start + 1}), l.within(layout.Span{Start: o.End - 1, End: o.End})
	if len(opening) == 0 || len(closing) == 0 {
		return layout.Box{}, false
	}
	a, b := opening[0].box, closing[0].box
	inner := layout.Box{Left: a.Right, Top: max(a.Top, b.Top), Right: b.Left, Bottom: min(a.Bottom, b.Bottom)}
	width, height := inner.Right-inner.Left, inner.Bottom-inner.Top
	if width <= 0 || height <= 0 { // the closing one is on the next line
		return layout.Box{}, false
	}
	if o.Ticked {
		inner.Top, inner.Bottom = inner.Top+markMargin*height, inner.Bottom-markMargin*height
		return inner, true
	}
	return squareOf(inner, min(b.Right-a.Left, markSize*height)), true
}

// square returns the square in the middle of a character's box, which is as high as the
// font.
func square(b layout.Box) layout.Box { return squareOf(b, min(b.Right-b.Left, b.Bottom-b.Top)) }

// squareOf returns the square with these sides in the middle of a box.
func squareOf(b layout.Box, side float64) layout.Box {
	x, y := (b.Left+b.Right)/2, (b.Top+b.Bottom)/2
	return layout.Box{Left: x - side/2, Top: y - side/2, Right: x + side/2, Bottom: y + side/2}
}
