package pdffields

import "github.com/rectohq/recto/libs/formats/layout"

// grid finds boxes by their position on a page, in points. It keeps a bounded number of
// boxes in each of its cells.
type grid struct {
	cells map[[2]int][]layout.Box
	// kept is the number of entries in all cells.
	kept int
}

const (
	// cellSize is the length of the sides of a cell.
	cellSize = 24.0
	// maxInCell and maxKept bound the entries of a cell and of all cells.
	maxInCell = 32
	maxKept   = 50_000
)

func newGrid() *grid { return &grid{cells: map[[2]int][]layout.Box{}} }

// add adds a box to all cells that it touches.
func (g *grid) add(b layout.Box) {
	for x := int(b.Left / cellSize); x <= int(b.Right/cellSize); x++ {
		for y := int(b.Top / cellSize); y <= int(b.Bottom/cellSize) && g.kept < maxKept; y++ {
			if at := [2]int{x, y}; len(g.cells[at]) < maxInCell {
				g.cells[at] = append(g.cells[at], b)
				g.kept++
			}
		}
	}
}

// touch reports whether one of the boxes that overlap b satisfies the condition.
func (g *grid) touch(b layout.Box, condition func(layout.Box) bool) bool {
	if g.kept == 0 {
		return false
	}
	for x := int(b.Left / cellSize); x <= int(b.Right/cellSize); x++ {
		for y := int(b.Top / cellSize); y <= int(b.Bottom/cellSize); y++ {
			for _, o := range g.cells[[2]int{x, y}] {
				if o.Left <= b.Right && b.Left <= o.Right && o.Top <= b.Bottom && b.Top <= o.Bottom && condition(o) {
					return true
				}
			}
		}
	}
	return false
}

// grown returns a box that is larger by d on each side.
func grown(b layout.Box, d float64) layout.Box {
	return layout.Box{Left: b.Left - d, Top: b.Top - d, Right: b.Right + d, Bottom: b.Bottom + d}
}
