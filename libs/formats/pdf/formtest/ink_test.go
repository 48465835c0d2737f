package formtest

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
)

// ink is how dark a picture is in each cell of a grid: 0 is white and 1 is black. Programs
// smooth edges in different ways, but not across cells of several pixels.
type ink struct {
	cells         []float64
	columns, rows int
}

// cellSize is the size of a cell in pixels.
const cellSize = 8

// inkOf returns the ink of a picture.
func inkOf(p image.Image) ink {
	b := p.Bounds()
	k := ink{columns: (b.Dx() + cellSize - 1) / cellSize, rows: (b.Dy() + cellSize - 1) / cellSize}
	k.cells = make([]float64, k.columns*k.rows)
	for y := range b.Dy() {
		for x := range b.Dx() {
			gray := color.GrayModel.Convert(p.At(b.Min.X+x, b.Min.Y+y)).(color.Gray)
			k.cells[y/cellSize*k.columns+x/cellSize] += (1 - float64(gray.Y)/255) / (cellSize * cellSize)
		}
	}
	return k
}

// in returns the ink in a box, in cells.
func (k ink) in(b layout.Box) (sum float64) {
	for y := int(b.Top * float64(k.rows)); y < min(k.rows, int(math.Ceil(b.Bottom*float64(k.rows)))); y++ {
		for x := int(b.Left * float64(k.columns)); x < min(k.columns, int(math.Ceil(b.Right*float64(k.columns)))); x++ {
			sum += k.cells[y*k.columns+x]
		}
	}
	return sum
}

// difference returns the mean and the largest difference between two pictures of the same
// size. A cell is compared with its neighbors too, because programs place lines differently by
// a pixel.
func difference(a, b ink) (mean, largest float64) {
	for y := range a.rows {
		for x := range a.columns {
			d := math.Min(a.nearest(b, x, y), b.nearest(a, x, y))
			mean += d / float64(len(a.cells))
			largest = math.Max(largest, d)
		}
	}
	return mean, largest
}

// nearest returns the smallest difference between a cell and those around it in another
// picture.
func (k ink) nearest(other ink, x, y int) float64 {
	least := 1.0
	for v := max(0, y-1); v <= min(other.rows-1, y+1); v++ {
		for u := max(0, x-1); u <= min(other.columns-1, x+1); u++ {
			least = math.Min(least, math.Abs(k.cells[y*k.columns+x]-other.cells[v*other.columns+u]))
		}
	}
	return least
}

// Tolerances of the difference between pictures. Text that one program does not draw, or
// draws elsewhere, exceeds them.
const (
	meanTolerance    = 0.01
	largestTolerance = 0.35
)

// agree fails the test unless all programs draw the same, and something in each box.
func agree(t testing.TB, drawn map[string]image.Image, boxes ...layout.Box) {
	t.Helper()
	own := inkOf(drawn["PDFium"])
	for by, p := range drawn {
		k := inkOf(p)
		if k.columns != own.columns || max(k.rows, own.rows)-min(k.rows, own.rows) > 1 {
			t.Errorf("%s draws %v, PDFium %v", by, p.Bounds(), drawn["PDFium"].Bounds())
			continue
		}
		k.rows = min(k.rows, own.rows)
		k.cells = k.cells[:k.rows*k.columns]
		same := ink{own.cells[:len(k.cells)], k.columns, k.rows}
		if mean, largest := difference(k, same); mean > meanTolerance || largest > largestTolerance {
			t.Errorf("%s and PDFium differ by %.4f, and by %.2f in one cell", by, mean, largest)
		}
		for _, b := range boxes {
			if drawn, expected := k.in(b), own.in(b); drawn < 0.5 || drawn < expected/2 || drawn > expected*2 {
				t.Errorf("%s draws %.2f cells of ink in %+v, PDFium %.2f", by, drawn, b, expected)
			}
		}
	}
}

// TestAgree checks that agree sees what differs.
func TestAgree(t *testing.T) {
	blank, written := image.NewGray(image.Rect(0, 0, 200, 200)), image.NewGray(image.Rect(0, 0, 200, 200))
	for i := range blank.Pix {
		blank.Pix[i], written.Pix[i] = 255, 255
	}
	for x := 40; x < 160; x++ {
		for y := 100; y < 112; y++ {
			written.SetGray(x, y, color.Gray{Y: uint8(x / 8 % 2 * 255)})
		}
	}
	box := layout.Box{Left: 0.1, Top: 0.4, Right: 0.9, Bottom: 0.6}
	for name, pair := range map[string][2]image.Image{"missing": {blank, written}, "both blank": {blank, blank}, "size": {written, image.NewGray(image.Rect(0, 0, 100, 200))}} {
		failed := &recorder{TB: t}
		agree(failed, map[string]image.Image{"PDFium": pair[0], "poppler": pair[1]}, box)
		if !failed.failed {
			t.Errorf("%s: no failure", name)
		}
	}
	agree(t, map[string]image.Image{"PDFium": written, "poppler": written}, box)
}

// recorder records a failure instead of failing the test.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
