package appearance

import (
	"bytes"
	"math"
	"strconv"
)

// maxLength bounds every number in a content stream. The largest page is 14400 points wide.
const maxLength = 1e5

// canvas collects the operators of a content stream (ISO 32000-1, annex A).
type canvas struct {
	bytes.Buffer
	images map[string]int
}

// op writes an operator after its operands.
func (c *canvas) op(operator string, operands ...float64) {
	for _, v := range operands {
		c.Write(appendNumber(c.AvailableBuffer(), v))
		c.WriteByte(' ')
	}
	c.WriteString(operator)
	c.WriteByte('\n')
}

// appendNumber appends a number with at most four decimals, since PDF has no exponents.
func appendNumber(b []byte, v float64) []byte {
	b = strconv.AppendFloat(b, bounded(v, -maxLength, maxLength), 'f', 4, 64)
	b = bytes.TrimRight(b, "0")
	b = bytes.TrimSuffix(b, []byte("."))
	if string(b) == "-0" {
		return b[1:]
	}
	return b
}

// bounded returns v, or the bound that it exceeds. If v is not a number it returns the
// bound that is closer to 0.
func bounded(v, low, high float64) float64 {
	if math.IsNaN(v) {
		v = 0
	}
	return min(max(v, low), high)
}

// fillColor and strokeColor set a color of 1, 3 or 4 components. They report whether color
// is one.
func (c *canvas) fillColor(color []float64) bool   { return c.color(color, "g", "rg", "k") }
func (c *canvas) strokeColor(color []float64) bool { return c.color(color, "G", "RG", "K") }

func (c *canvas) color(color []float64, gray, rgb, cmyk string) bool {
	operator := map[int]string{1: gray, 3: rgb, 4: cmyk}[len(color)]
	if operator == "" {
		return false
	}
	for _, v := range color {
		c.Write(append(appendNumber(c.AvailableBuffer(), bounded(v, 0, 1)), ' '))
	}
	c.op(operator)
	return true
}

// point is a position in points.
type point struct{ x, y float64 }

// polygon adds a closed path.
func (c *canvas) polygon(points ...point) {
	for i, p := range points {
		if i == 0 {
			c.op("m", p.x, p.y)
		} else {
			c.op("l", p.x, p.y)
		}
	}
	c.op("h")
}

// circle adds a closed circle.
func (c *canvas) circle(center point, radius float64) {
	c.op("m", center.x+radius, center.y)
	c.arc(center, radius, 0)
	c.arc(center, radius, math.Pi)
	c.op("h")
}

// arc continues the path along half a circle, counterclockwise from an angle in radians.
func (c *canvas) arc(center point, radius, angle float64) {
	// Control points at this distance make a Bézier curve that is a quarter of a circle,
	// but for 0.03 %.
	const k = 0.5523
	for i := range 2 {
		sin, cos := math.Sincos(angle + float64(i)*math.Pi/2)
		at := func(along, across float64) (x, y float64) {
			return center.x + radius*(along*cos-across*sin), center.y + radius*(along*sin+across*cos)
		}
		x1, y1 := at(1, k)
		x2, y2 := at(k, 1)
		x3, y3 := at(0, 1)
		c.op("c", x1, y1, x2, y2, x3, y3)
	}
}

// clip restricts what follows to a rectangle.
func (c *canvas) clip(r rect) {
	c.op("re", r.x, r.y, r.w, r.h)
	c.op("W")
	c.op("n")
}

// rect is a rectangle with its lower left corner, in points.
type rect struct{ x, y, w, h float64 }

// inset returns r without margins, which never take more than a third of it.
func (r rect) inset(x, y float64) rect {
	x, y = min(x, r.w/3), min(y, r.h/3)
	return rect{r.x + x, r.y + y, r.w - 2*x, r.h - 2*y}
}

// center returns the center of r.
func (r rect) center() point { return point{r.x + r.w/2, r.y + r.h/2} }
