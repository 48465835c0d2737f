package appearance

import "math"

// Button draws a checkbox or radio button. The mark is a path, so that its look depends on
// no font of the reader.
func (p *Painter) Button(l Look, on bool) Stream {
	w := upright(l)
	mark := markOf(l)
	var c canvas
	if l.Radio && mark == 'l' {
		w.roundFrame(&c)
	} else {
		w.frame(&c)
	}
	if on {
		c.op("q")
		w.textColor(&c)
		w.mark(&c, mark)
		c.op("Q")
	}
	return w.finish(&c, nil)
}

// markOf returns the mark of a button: one of "48lunH".
func markOf(l Look) byte {
	if len(l.Caption) == 1 {
		switch l.Caption[0] {
		case '4', '8', 'l', 'u', 'n', 'H':
			return l.Caption[0]
		case '3': // the light check mark
			return '4'
		case '5', '6', '7': // the light crosses
			return '8'
		}
	}
	if l.Radio {
		return 'l'
	}
	return '4'
}

// mark draws the mark of a button that is on.
func (w *widget) mark(c *canvas, mark byte) {
	inside := w.inside()
	side := min(inside.w, inside.h)
	if w.FontSize > 0 {
		side = min(side, w.FontSize)
	}
	drawMark(c, mark, inside.center(), side)
}

// drawMark fills a mark in the middle of a square. The proportions are those of
// ZapfDingbats where it fills a widget.
func drawMark(c *canvas, mark byte, center point, side float64) {
	switch mark {
	case 'l':
		c.circle(center, side*0.27)
	case 'u':
		c.polygon(around(center, []point{{0.38, 0}, {0, 0.38}, {-0.38, 0}, {0, -0.38}}, side)...)
	case 'n':
		c.polygon(around(center, []point{{0.3, 0.3}, {-0.3, 0.3}, {-0.3, -0.3}, {0.3, -0.3}}, side)...)
	case 'H':
		c.polygon(around(center, star(), side)...)
	case '8':
		c.polygon(around(center, cross, side)...)
	default:
		c.polygon(around(center, check, side)...)
	}
	c.op("f")
}

// check and cross are outlines in a square of side 1 around the origin.
var (
	check = []point{{-0.38, 0.02}, {-0.28, 0.12}, {-0.12, -0.1}, {0.3, 0.4}, {0.4, 0.32}, {-0.1, -0.38}}
	cross = []point{
		{0, 0.1}, {0.27, 0.37}, {0.37, 0.27}, {0.1, 0}, {0.37, -0.27}, {0.27, -0.37},
		{0, -0.1}, {-0.27, -0.37}, {-0.37, -0.27}, {-0.1, 0}, {-0.37, 0.27}, {-0.27, 0.37},
	}
)

// star returns the outline of a star with five points.
func star() []point {
	points := make([]point, 10)
	for i := range points {
		radius := 0.42
		if i%2 == 1 {
			radius = 0.16
		}
		sin, cos := math.Sincos(math.Pi/2 + float64(i)*math.Pi/5)
		points[i] = point{radius * cos, radius * sin}
	}
	return points
}

// around scales an outline and moves it to a center.
func around(center point, outline []point, side float64) []point {
	points := make([]point, len(outline))
	for i, p := range outline {
		points[i] = point{center.x + side*p.x, center.y + side*p.y}
	}
	return points
}

// roundFrame draws background and border of a radio button as circles.
func (w *widget) roundFrame(c *canvas) {
	center, radius, b := w.outline().center(), min(w.Width, w.Height)/2, w.BorderWidth
	c.op("q")
	if c.fillColor(w.Background) {
		c.circle(center, radius)
		c.op("f")
	}
	if raised(w.BorderStyle) && b > 0 {
		light, dark := w.shades()
		c.op("w", b)
		c.strokeColor(light)
		c.halfCircle(center, radius-1.5*b, math.Pi/4)
		c.strokeColor(dark)
		c.halfCircle(center, radius-1.5*b, math.Pi*5/4)
	}
	if b > 0 && c.strokeColor(w.Border) {
		c.op("w", b)
		w.dash(c)
		c.circle(center, radius-b/2)
		c.op("S")
	}
	c.op("Q")
}

// halfCircle strokes half a circle, counterclockwise from an angle in radians.
func (c *canvas) halfCircle(center point, radius, angle float64) {
	sin, cos := math.Sincos(angle)
	c.op("m", center.x+radius*cos, center.y+radius*sin)
	c.arc(center, radius, angle)
	c.op("S")
}
