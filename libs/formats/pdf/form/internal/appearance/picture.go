package appearance

import "strconv"

// maxPictures bounds how many pictures stand in one place.
const maxPictures = 100

// Picture draws pictures next to each other, into a push button or signature field.
func (p *Painter) Picture(l Look, pictures []int) Stream {
	w := upright(l)
	var c canvas
	w.frame(&c)
	p.draw(&c, w.inside().inset(1, 1), pictures)
	return w.finish(&c, nil)
}

// The distance between pictures, and that of all together, as parts of the box's width.
const (
	gap     = 0.02
	allGaps = 0.2
)

// draw draws pictures of equal height next to each other, as large as the box permits, in
// its middle. Indices without a picture are ignored.
func (p *Painter) draw(c *canvas, box rect, pictures []int) {
	pictures = p.drawable(pictures)
	if len(pictures) == 0 || box.w <= 0 || box.h <= 0 {
		return
	}
	proportions := 0.0 // width of all pictures together if their height is 1
	for _, i := range pictures {
		proportions += p.Pictures[i].proportion()
	}
	gaps := box.w * min(gap*float64(len(pictures)-1), allGaps)
	height := min(box.h, (box.w-gaps)/proportions)
	x := box.x + (box.w-gaps-height*proportions)/2
	for _, i := range pictures {
		width := height * p.Pictures[i].proportion()
		c.picture(i, p.Pictures[i].Orientation, rect{x, box.y + (box.h-height)/2, width, height})
		x += width + gaps/float64(max(len(pictures)-1, 1))
	}
}

// drawable returns the indices that have a picture with pixels.
func (p *Painter) drawable(pictures []int) []int {
	var out []int
	for _, i := range pictures {
		if 0 <= i && i < len(p.Pictures) && p.Pictures[i].Width > 0 && p.Pictures[i].Height > 0 && len(out) < maxPictures {
			out = append(out, i)
		}
	}
	return out
}

// proportion returns width divided by height, when upright.
func (p Picture) proportion() float64 {
	if p.Orientation >= 5 && p.Orientation <= 8 {
		return float64(p.Height) / float64(p.Width)
	}
	return float64(p.Width) / float64(p.Height)
}

// upward maps the unit square of an image to itself, so that an image of each Exif
// orientation becomes upright.
var upward = [9][6]float64{
	{1, 0, 0, 1, 0, 0},
	{1, 0, 0, 1, 0, 0},
	{-1, 0, 0, 1, 1, 0},
	{-1, 0, 0, -1, 1, 1},
	{1, 0, 0, -1, 0, 1},
	{0, -1, -1, 0, 1, 1},
	{0, -1, 1, 0, 0, 1},
	{0, 1, 1, 0, 0, 0},
	{0, 1, -1, 0, 1, 0},
}

// Upright returns the content of a page of that size in points, which the image Im0 fills. The
// Exif orientation tells how the image becomes upright.
func Upright(orientation int, width, height float64) []byte {
	var c canvas
	c.picture(0, orientation, rect{0, 0, width, height})
	return c.Bytes()
}

// picture draws the picture with an index upright into r.
func (c *canvas) picture(index, orientation int, r rect) {
	if orientation < 0 || orientation >= len(upward) {
		orientation = 1
	}
	m := upward[orientation]
	name := "Im" + strconv.Itoa(index)
	if c.images == nil {
		c.images = map[string]int{}
	}
	c.images[name] = index
	c.op("q")
	c.op("cm", m[0]*r.w, m[1]*r.h, m[2]*r.w, m[3]*r.h, m[4]*r.w+r.x, m[5]*r.h+r.y)
	c.op("/" + name + " Do")
	c.op("Q")
}
