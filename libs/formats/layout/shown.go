package layout

import "math"

const (
	// steps is the resolution of boxes in answers: steps per page width and height.
	steps = 1e5
	// noise is the error of floating point arithmetic, in steps. A coordinate this close to
	// a step is on it.
	noise = 1e-4
)

// Shown returns b in the form in which the API represents boxes: rounded outward to
// hundred-thousandths of the page, and cut off at the edges of the page. A box that is inside
// out has no size.
func (b Box) Shown() (left, top, width, height float64) {
	left, width = outward(b.Left, b.Right)
	top, height = outward(b.Top, b.Bottom)
	return left, top, width, height
}

func outward(from, to float64) (start, length float64) {
	first := math.Floor(onPage(from)*steps + noise)
	last := math.Ceil(onPage(to)*steps - noise)
	return first / steps, max(last-first, 0) / steps
}

// onPage returns the coordinate, or the nearest one on the page. NaN is 0.
func onPage(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), 1)
}
