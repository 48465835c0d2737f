package appearance

import "math"

// widget is a Look with sane lengths, after rotation: it stands upright in its form space.
type widget struct {
	Look
	stream Stream
}

// upright checks the lengths of a look, and makes the stream that rotates it.
func upright(l Look) widget {
	l.Width, l.Height = bounded(l.Width, 0, maxLength), bounded(l.Height, 0, maxLength)
	l.FontSize = bounded(math.Abs(l.FontSize), 0, maxSize)
	l.BorderWidth = bounded(l.BorderWidth, 0, min(l.Width, l.Height)/4)
	if !bordered(l) {
		l.BorderWidth = 0 // so that text has the room of a border that is not drawn
	}
	w, h := l.Width, l.Height
	s := Stream{Matrix: [6]float64{1, 0, 0, 1, 0, 0}}
	switch (l.Rotation%360 + 360) % 360 {
	case 90:
		s.Matrix = [6]float64{0, 1, -1, 0, w, 0}
		l.Width, l.Height = h, w
	case 180:
		s.Matrix = [6]float64{-1, 0, 0, -1, w, h}
	case 270:
		s.Matrix = [6]float64{0, -1, 1, 0, 0, h}
		l.Width, l.Height = h, w
	}
	s.BBox = [4]float64{0, 0, l.Width, l.Height}
	return widget{l, s}
}

// bordered reports whether a look has colors for its border.
func bordered(l Look) bool {
	switch len(l.Border) {
	case 1, 3, 4:
		return true
	default:
		return raised(l.BorderStyle) && len(l.Background) > 0
	}
}

// raised reports whether a border style has an inner part that gives depth.
func raised(style byte) bool { return style == 'B' || style == 'I' }

// outline is the rectangle of the whole widget.
func (w *widget) outline() rect { return rect{0, 0, w.Width, w.Height} }

// inside is the rectangle within the border.
func (w *widget) inside() rect {
	b := w.BorderWidth
	if raised(w.BorderStyle) {
		b *= 2
	}
	return w.outline().inset(b, b)
}

// padded is the rectangle for text. Its margin is twice the border, as Acrobat has it, but
// neither too small to be seen nor large.
func (w *widget) padded() rect {
	r := w.inside()
	pad := bounded(r.x, max(0, 2-r.x), 3)
	return r.inset(pad, pad)
}

// frame draws background and border.
func (w *widget) frame(c *canvas) {
	c.op("q")
	if c.fillColor(w.Background) {
		c.op("re", 0, 0, w.Width, w.Height)
		c.op("f")
	}
	if raised(w.BorderStyle) && w.BorderWidth > 0 {
		w.depth(c)
	}
	if w.BorderWidth > 0 && c.strokeColor(w.Border) {
		w.edge(c)
	}
	c.op("Q")
}

// edge strokes the border.
func (w *widget) edge(c *canvas) {
	b := w.BorderWidth
	c.op("w", b)
	if w.BorderStyle == 'U' {
		c.op("m", 0, b/2)
		c.op("l", w.Width, b/2)
		c.op("S")
		return
	}
	w.dash(c)
	c.op("re", b/2, b/2, w.Width-b, w.Height-b)
	c.op("S")
}

// maxDash bounds the number of elements of a dash array.
const maxDash = 16

// dash sets the dash pattern, if the border has one.
func (w *widget) dash(c *canvas) {
	if w.BorderStyle != 'D' {
		return
	}
	pattern, total := w.Dash[:min(len(w.Dash), maxDash)], 0.0
	for _, d := range pattern {
		if !(0 <= d && d <= maxLength) {
			total = 0
			break
		}
		total += d
	}
	// A pattern without length never ends. ISO 32000-1 has [3] as the default.
	if total < 0.1 {
		pattern = []float64{3}
	}
	c.WriteByte('[')
	for i, d := range pattern {
		if i > 0 {
			c.WriteByte(' ')
		}
		c.Write(appendNumber(c.AvailableBuffer(), d))
	}
	c.WriteString("] 0 d\n")
}

// shades returns the colors of the inner border: of its top and left side, and of its
// bottom and right side.
func (w *widget) shades() (light, dark []float64) {
	if w.BorderStyle == 'I' {
		return []float64{0.5}, []float64{0.75}
	}
	switch len(w.Background) {
	case 1, 3:
		dark = make([]float64, len(w.Background))
		for i, v := range w.Background {
			dark[i] = bounded(v, 0, 1) / 2
		}
		return []float64{1}, dark
	default:
		return []float64{1}, []float64{0.5}
	}
}

// depth draws the inner part of a beveled or inset border.
func (w *widget) depth(c *canvas) {
	b, right, top := w.BorderWidth, w.Width-w.BorderWidth, w.Height-w.BorderWidth
	light, dark := w.shades()
	c.fillColor(light)
	c.polygon(point{b, b}, point{b, top}, point{right, top}, point{right - b, top - b}, point{2 * b, top - b}, point{2 * b, 2 * b})
	c.op("f")
	c.fillColor(dark)
	c.polygon(point{right, top}, point{right, b}, point{b, b}, point{2 * b, 2 * b}, point{right - b, 2 * b}, point{right - b, top - b})
	c.op("f")
}

// textColor sets the color of the text, which is black by default.
func (w *widget) textColor(c *canvas) {
	if !c.fillColor(w.Color) {
		c.op("g", 0)
	}
}

// finish returns the stream of what has been drawn.
func (w *widget) finish(c *canvas, fonts []string) Stream {
	w.stream.Content, w.stream.Images, w.stream.Fonts = c.Bytes(), c.images, fonts
	return w.stream
}
