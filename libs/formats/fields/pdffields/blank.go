package pdffields

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/fields/detect"
	"github.com/rectohq/recto/libs/formats/layout"
)

// minAfter is the least width of a blank after a label, in points.
const minAfter = 36

// blanksOf returns the blanks of lines as fields, in reading order.
func blanksOf(lines []line) []fields.Field {
	var found []fields.Field
	for _, b := range detect.Find(paragraphsOf(lines)) {
		l := &lines[b.Paragraph]
		field := fields.Field{ID: b.ID, Type: b.Type, Label: b.Label, Source: fields.Detected}
		if b.Kind == detect.Boxes {
			l.choose(&field, b)
		} else {
			field.Places = l.places(b)
		}
		if len(field.Places) == 0 {
			continue
		}
		if l.stands(b) && signatory(&field) {
			continue
		}
		found = append(found, field)
	}
	return found
}

// paragraphsOf returns the lines as detection takes them.
func paragraphsOf(lines []line) []detect.Paragraph {
	paragraphs := make([]detect.Paragraph, len(lines))
	for i := range lines {
		paragraphs[i] = lines[i].Paragraph
	}
	return paragraphs
}

// places returns the places of a blank: one for each line of text that it extends over.
func (l *line) places(b detect.Blank) []fields.Place {
	if b.Kind == detect.After {
		return l.after(b.Start)
	}
	var places []fields.Place
	var last layout.Box // in points
	for _, p := range l.within(layout.Span{Start: b.Start, End: b.End}) {
		box := p.box
		if p.kind == rulePiece {
			box = onRule(p)
		}
		if n := len(places); n > 0 && box.Top < last.Bottom && box.Bottom > last.Top {
			last = last.Union(box)
			places[n-1].Box = l.page.fractions(last)
			continue
		}
		last = box
		places = append(places, fields.Place{
			Page: l.page.number, Box: l.page.fractions(box), Size: textSize(p.size),
			Cover: b.Kind == detect.Prompt || l.overprints(b), Continued: len(places) > 0,
		})
	}
	switch {
	case len(places) == 1 && last.Right-last.Left < enough*places[0].Size:
		return l.widened(places[0], last)
	case len(places) > 0 && b.Kind == detect.Line && places[0].Box.Right <= places[0].Box.Left:
		return nil
	}
	return places
}

// enough is the width of a blank that is not widened, as a multiple of the size of its text.
const enough = 8

// widened returns a narrow place, whose box is b in points, with the free space to its
// right, so that a value need not become tiny. Only the text of the blank itself is hidden.
func (l *line) widened(p fields.Place, b layout.Box) []fields.Place {
	wide := b
	wide.Right = max(b.Right, min(l.freeUntil(b), b.Left+3*enough*p.Size))
	all := []fields.Place{p}
	if all[0].Box = l.page.fractions(wide); p.Cover {
		all[0].Cover = false
		p.Continued = true
		all = append(all, p)
	}
	return all
}

// freeUntil returns the right end of the free space after a box, in points: the next text,
// vertical line or form field, or the margin.
func (l *line) freeUntil(b layout.Box) float64 {
	end, middle, gap := l.page.right, (b.Top+b.Bottom)/2, (b.Bottom-b.Top)/4
	s := survey{page: l.page}
	for _, w := range s.around(b.Top, b.Bottom, b.Left, max(end, b.Right)) {
		switch {
		case w.b.Top > middle || w.b.Bottom < middle:
		case w.b.Left >= b.Right-1:
			end = min(end, w.b.Left-gap)
		case w.b.Right > b.Right+2: // the box is a part of this word
			end = min(end, b.Right)
		}
	}
	rest := layout.Box{Left: b.Right, Top: b.Top, Right: max(end, b.Right), Bottom: middle}
	for _, g := range []*grid{l.page.drawn.columns, l.page.forms} {
		g.touch(rest, func(o layout.Box) bool {
			end = min(end, o.Left-gap)
			return false
		})
	}
	return end
}

// onRule returns the box of a text that stands on a drawn line.
func onRule(p piece) layout.Box {
	b := p.box
	b.Bottom = b.Top + 0.15*p.size // for descenders
	b.Top = max(0, b.Bottom-1.1*p.size)
	return b
}

// within returns the pieces in a span of the line. Pieces that are only partly in it are
// cut. It searches for them, because a line may have as many blanks as pieces.
func (l *line) within(s layout.Span) []piece {
	var pieces []piece
	first, _ := slices.BinarySearchFunc(l.pieces, s.Start, func(p piece, start int) int { return cmp.Compare(p.End, start) })
	for _, p := range l.pieces[first:] {
		if p.Start >= s.End {
			break
		}
		if !p.Overlaps(s) {
			continue
		}
		if p.kind == textPiece {
			p.box = l.partOf(p, s)
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// after returns the place after a label, which extends to the next text or to the margin.
func (l *line) after(end int) []fields.Place {
	pieces := l.within(layout.Span{Start: max(0, end-1), End: end})
	if len(pieces) == 0 {
		return nil
	}
	p := pieces[0]
	box := p.box
	box.Left, box.Right = p.box.Right+p.size/4, l.freeUntil(p.box)
	if box.Right-box.Left < minAfter {
		return nil
	}
	return []fields.Place{{Page: l.page.number, Box: l.page.fractions(box), Size: textSize(p.size)}}
}

// stands reports whether a blank is a line that stands alone, with a caption.
func (l *line) stands(b detect.Blank) bool {
	return b.Kind == detect.Line && b.Label != "" && strings.Trim(l.Text, "_ \t") == ""
}

// signatory makes the field of a line above a caption a signature if the caption is the
// name of the person or party that signs. It reports whether the caption says something
// else that is known already, such as "Title: Director", so that there is nothing to write.
func signatory(f *fields.Field) (answered bool) {
	before, value, _ := strings.Cut(f.Label, ":")
	named := false
	switch detect.TypeOf(before) {
	case fields.Name, fields.Signature:
		named = true
	case fields.Text:
		named = !detect.AsksForValue(f.Label)
	}
	given := strings.TrimSpace(value) != ""
	if named && (given || !detect.AsksForValue(f.Label)) {
		f.Type = fields.Signature
	}
	return given && !named
}
