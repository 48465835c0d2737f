package appearance

import (
	"errors"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// List draws a list box whose selected options are highlighted. It is scrolled so that the
// first of them can be seen. The error is a *typeset.MissingError if no font has a character
// of a selected option that is shown; such characters of other options are left out.
func (p *Painter) List(l Look, options []string, selected []int) (Stream, error) {
	w := upright(l)
	var c canvas
	w.frame(&c)
	p.Writer.Names()
	c.op("/Tx BMC")
	c.op("q")
	c.clip(w.inside())
	if err := p.rows(&c, &w, options, selected); err != nil {
		return Stream{}, err
	}
	c.op("Q")
	c.op("EMC")
	return w.finish(&c, p.Writer.Names()), nil
}

// maxRows bounds the number of options that are shown.
const maxRows = 500

// rows draws the options that can be seen.
func (p *Painter) rows(c *canvas, w *widget, options []string, selected []int) error {
	size := wantedSize(w.FontSize)
	l := list{p, w, options, selected}
	lines, top, err := l.visible(size)
	if err != nil {
		return err
	}
	widest := 0.0
	for _, line := range lines {
		widest = max(widest, line.Width)
	}
	if width := w.padded().w; widest > width {
		if lines, top, err = l.visible(max(size*width/widest, min(size, minSize))); err != nil {
			return err
		}
	}
	l.draw(c, lines, top)
	return nil
}

// list is a list box that is being drawn.
type list struct {
	*Painter
	w        *widget
	options  []string
	selected []int
}

// visible sets the options that can be seen in a size, and returns the index of the first
// of them. These are the first selected option in any case, then as many before it as there
// is room for, so that the list is scrolled no further than needed, and then those after it.
func (l list) visible(size float64) (lines []typeset.Line, top int, err error) {
	if len(l.options) == 0 {
		return nil, 0, nil
	}
	height := l.w.inside().h
	top = l.first()
	line, err := l.option(top, size)
	lines, used := append(lines, line), line.Height
	for top > 0 && err == nil && len(lines) < maxRows && used+lines[0].Height <= height {
		top--
		line, err = l.option(top, size)
		lines, used = slices.Insert(lines, 0, line), used+line.Height
	}
	for i := top + len(lines); i < len(l.options) && err == nil && len(lines) < maxRows && used < height; i++ {
		line, err = l.option(i, size)
		lines, used = append(lines, line), used+line.Height
	}
	return lines, top, err
}

// first returns the index of the first selected option, or 0.
func (l list) first() int {
	first := len(l.options)
	for _, i := range l.selected {
		if 0 <= i && i < first {
			first = i
		}
	}
	if first == len(l.options) {
		return 0
	}
	return first
}

// option sets an option. Lines without text have the height of others.
func (l list) option(i int, size float64) (typeset.Line, error) {
	text := strings.Join(strings.Fields(l.options[i]), " ")
	line, err := l.one(text, l.w.Style, size)
	var missing *typeset.MissingError
	if errors.As(err, &missing) && !slices.Contains(l.selected, i) {
		line, err = l.one(without(text, l.Fonts.Missing(text)), l.w.Style, size)
	}
	line.Height = max(line.Height, size)
	return line, err
}

// without returns the text without some characters.
func without(text string, drop []rune) string {
	return strings.Map(func(r rune) rune {
		if slices.Contains(drop, r) {
			return -1
		}
		return r
	}, text)
}

// highlight is the color behind selected options that Acrobat uses.
var highlight = []float64{0.6, 0.75686, 0.8549}

// draw draws lines from the top. The first is the option with index top.
func (l list) draw(c *canvas, lines []typeset.Line, top int) {
	inside, padded := l.w.inside(), l.w.padded()
	y := inside.y + inside.h
	for i, line := range lines {
		y -= line.Height
		if slices.Contains(l.selected, top+i) {
			c.fillColor(highlight)
			c.op("re", inside.x, y, inside.w, line.Height)
			c.op("f")
		}
		l.w.textColor(c)
		baseline := y + (line.Height-line.Ascent-line.Descent)/2 + line.Descent
		if len(line.Runs) > 0 {
			c.Write(l.Writer.Show(line, startOf(line, l.w.Align, padded), baseline))
		}
	}
}
