package appearance

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// Stamp draws text, or pictures if there are any, for a box on a page. The origin of the
// stream is the lower left corner of the box; its /BBox may be higher than the box. The
// error is as for Text.
func (p *Painter) Stamp(s Stamp, text string, pictures []int) (Stream, error) {
	w := upright(Look{Width: s.Width, Height: s.Height, FontSize: s.Size})
	box := w.outline()
	var c canvas
	p.Writer.Names()
	c.op("q")
	if s.Cover {
		c.op("g", 1)
		c.op("re", 0, 0, box.w, box.h)
		c.op("f")
	}
	c.op("g", 0)
	var err error
	switch text = cut(cleaned(Look{Multiline: s.Multiline}, text), box, s.Multiline); {
	case len(pictures) > 0:
		p.draw(&c, box, pictures)
	case s.Tick:
		drawMark(&c, '4', box.center(), min(box.w, box.h))
	case s.EmptyBox:
		drawBox(&c, box.center(), min(box.w, box.h))
	case strings.TrimSpace(text) == "":
	case s.Multiline:
		err = p.stampBlock(&c, &w, text)
	default:
		err = p.stampLine(&c, &w, text)
	}
	if err != nil {
		return Stream{}, err
	}
	c.op("Q")
	return w.finish(&c, p.Writer.Names()), nil
}

// drawBox draws an empty box as the characters of symbol fonts show it, in a square with
// these sides.
func drawBox(c *canvas, center point, side float64) {
	const size, line = 0.75, 0.07
	c.op("w", line*side)
	c.op("re", center.x-size/2*side, center.y-size/2*side, size*side, size*side)
	c.op("S")
}

// stampLine draws a line of text that stands on the bottom of the box, where blanks have
// their line. A given size is not made smaller because of the height: the box of a blank
// may be as flat as its line.
func (p *Painter) stampLine(c *canvas, w *widget, text string) error {
	height := w.Height
	if w.FontSize > 0 {
		height = maxLength
	}
	line, err := p.fit(text, typeset.Style{}, w.FontSize, w.Width, height)
	if err != nil {
		return err
	}
	w.stand(c, p, line)
	return nil
}

// stand draws a line whose descenders touch the bottom of the box.
func (w *widget) stand(c *canvas, p *Painter, line typeset.Line) {
	w.stream.BBox[3] = max(w.Height, line.Ascent+line.Descent)
	c.Write(p.Writer.Show(line, startOf(line, 0, w.outline()), line.Descent))
}

// stampBlock draws wrapped text from the top of the box. If the box is that of a single
// line, the text stands on the bottom.
func (p *Painter) stampBlock(c *canvas, w *widget, text string) error {
	block, err := p.wrap(text, typeset.Options{Size: wantedSize(w.FontSize), Width: w.Width}, w.Height)
	if err != nil {
		return err
	}
	if len(block.Lines) == 1 && w.Height < 2*block.Lines[0].Height {
		w.stand(c, p, block.Lines[0])
		return nil
	}
	p.show(c, block, 0, w.outline())
	return nil
}
