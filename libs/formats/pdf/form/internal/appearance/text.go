package appearance

import (
	"strings"
	"unicode/utf8"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

const (
	// autoSize is the largest size of text that is fitted to its box, in points.
	autoSize = 12
	// minSize is the smallest size that is fitted to a box. It can just be read. It is also
	// the smallest size that Acrobat chooses.
	minSize = 4
	// leastSize is the smallest size of text that would be cut off otherwise. It can be
	// read when enlarged.
	leastSize = 1
	// maxSize bounds sizes from outside.
	maxSize = 1000
)

// Text draws a text field or dropdown. Text that is too large for the field becomes smaller,
// whatever size the field wants: no part of a value may be hidden. The error is a
// *typeset.MissingError if no font has one of the characters.
func (p *Painter) Text(l Look, text string) (Stream, error) {
	w := upright(l)
	var c canvas
	w.frame(&c)
	if w.combed() {
		w.dividers(&c)
	}
	p.Writer.Names() // forget those of a stream that failed
	c.op("/Tx BMC")
	if err := p.value(&c, &w, cut(cleaned(l, text), w.outline(), l.Multiline)); err != nil {
		return Stream{}, err
	}
	c.op("EMC")
	return w.finish(&c, p.Writer.Names()), nil
}

// cleaned returns the text as it is shown.
func cleaned(l Look, text string) string {
	if l.Password {
		return strings.Repeat("*", utf8.RuneCountInString(text))
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if !l.Multiline {
		text = strings.ReplaceAll(strings.Trim(text, "\n"), "\n", " ")
	}
	return text
}

// cut returns the beginning of a text that is far longer than what can be seen in a box, so
// that the time to set it does not depend on the text. It keeps ten characters for each
// point of a line, in the least size.
func cut(text string, box rect, multiline bool) string {
	const always, density = 1000, 10 / leastSize
	most := box.w * density
	if multiline {
		most *= box.h / leastSize
	}
	left := always + int(most)
	for i := range text {
		if left--; left < 0 {
			return text[:i]
		}
	}
	return text
}

// value draws the text of a field.
func (p *Painter) value(c *canvas, w *widget, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if w.Width*w.Height == 0 { // a field that shows nothing, whatever its value
		defer func(before bool) { p.Illegible = before }(p.Illegible)
	}
	c.op("q")
	c.clip(w.inside())
	w.textColor(c)
	var err error
	switch {
	case w.combed():
		err = p.comb(c, w, text)
	case w.Multiline:
		err = p.paragraphs(c, w, text)
	default:
		err = p.line(c, w, text)
	}
	c.op("Q")
	return err
}

// line draws a single line of text in the middle of the height.
func (p *Painter) line(c *canvas, w *widget, text string) error {
	inside, padded := w.inside(), w.padded()
	line, err := p.fit(text, w.Style, w.FontSize, padded.w, inside.h)
	if err != nil {
		return err
	}
	y := inside.y + (inside.h-line.Ascent-line.Descent)/2 + line.Descent
	c.Write(p.Writer.Show(line, startOf(line, w.Align, padded), y))
	return nil
}

// room returns the height that a line needs. If the field sets the size, accents of capitals
// and descenders of Latin, Greek and Cyrillic letters may leave the box a little, because
// they seldom meet in one line. Other scripts, whose fonts are higher, have marks there.
func room(line typeset.Line, size float64, fixed bool) float64 {
	h := line.Ascent + line.Descent
	if fixed && h < 1.25*size {
		return 0.85 * h
	}
	return h
}

// wantedSize returns the size of text that need not be made smaller.
func wantedSize(size float64) float64 {
	if size == 0 {
		return autoSize
	}
	return size
}

// fit sets a line of text in a size, or in a smaller one if it does not fit. Size 0 fits the
// text to the box.
func (p *Painter) fit(text string, style typeset.Style, size, width, height float64) (typeset.Line, error) {
	wanted := wantedSize(size)
	line, err := p.one(text, style, wanted)
	if err != nil {
		return line, err
	}
	fitted := wanted
	if h := room(line, wanted, size > 0); h > height {
		fitted = max(wanted*height/h, min(wanted, minSize))
	}
	if line.Width*fitted/wanted > width {
		fitted = max(wanted*width/line.Width, min(fitted, leastSize))
	}
	if fitted == wanted {
		return line, nil
	}
	p.shrunk(wanted, fitted)
	return p.one(text, style, fitted)
}

// shrunk notes that a text which wants a size is set in another one.
func (p *Painter) shrunk(wanted, size float64) {
	p.Illegible = p.Illegible || size < min(wanted, minSize)
}

// one sets a text that has a single line.
func (p *Painter) one(text string, style typeset.Style, size float64) (typeset.Line, error) {
	block, err := p.Fonts.Set(text, typeset.Options{Style: style, Size: size})
	if err != nil || len(block.Lines) == 0 {
		return typeset.Line{}, err
	}
	return block.Lines[0], nil
}

// startOf returns where a line begins. Text that runs from right to left is aligned right
// by default. If a line is too long, its beginning is kept.
func startOf(line typeset.Line, align int, box rect) float64 {
	slack := box.w - line.Width
	switch {
	case slack < 0 && line.RightToLeft, align == 2 && slack > 0, align == 0 && line.RightToLeft:
		return box.x + slack
	case align == 1 && slack > 0:
		return box.x + slack/2
	default:
		return box.x
	}
}

// paragraphs draws wrapped text from the top.
func (p *Painter) paragraphs(c *canvas, w *widget, text string) error {
	box := w.padded()
	block, err := p.wrap(text, typeset.Options{Style: w.Style, Size: wantedSize(w.FontSize), Width: box.w}, box.h)
	if err != nil {
		return err
	}
	p.show(c, block, w.Align, box)
	return nil
}

// precision is how close wrapped text comes to the largest size that fits, in points.
const precision = 0.2

// wrap sets text in the size of o, or in a smaller one if it is higher than height.
func (p *Painter) wrap(text string, o typeset.Options, height float64) (*typeset.Block, error) {
	block, err := p.Fonts.Set(text, o)
	if err != nil || heightOf(block) <= height || o.Size <= leastSize {
		return block, err
	}
	low, high, wanted := float64(leastSize), o.Size, o.Size
	defer func() { p.shrunk(wanted, low+precision) }() // a larger size may fit, by less than that
	o.Size = low
	best, err := p.Fonts.Set(text, o)
	if err != nil || heightOf(best) > height {
		return best, err
	}
	for high-low > precision {
		o.Size = (low + high) / 2
		if block, err = p.Fonts.Set(text, o); err != nil {
			return nil, err
		}
		if heightOf(block) <= height {
			best, low = block, o.Size
		} else {
			high = o.Size
		}
	}
	return best, nil
}

// heightOf returns the distance from the top of the first to the bottom of the last line.
func heightOf(b *typeset.Block) float64 {
	h := 0.0
	for i, line := range b.Lines {
		if i == 0 {
			h += line.Ascent
		}
		if i == len(b.Lines)-1 {
			return h + line.Descent
		}
		h += line.Height
	}
	return 0
}

// show draws the lines of a block from the top of the box. Lines below the box are left out.
func (p *Painter) show(c *canvas, b *typeset.Block, align int, box rect) {
	y := box.y + box.h
	for i, line := range b.Lines {
		if i == 0 {
			y -= line.Ascent
		}
		if y+line.Ascent < box.y {
			return
		}
		if len(line.Runs) > 0 {
			c.Write(p.Writer.Show(line, startOf(line, align, box), y))
		}
		y -= line.Height
	}
}
