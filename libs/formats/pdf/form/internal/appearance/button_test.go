package appearance

import (
	"image/color"
	"math"
	"testing"
)

// dark3 matches the color with these components.
func dark3(c []float64) func(color.RGBA) bool {
	return like(uint8(255*c[0]), uint8(255*c[1]), uint8(255*c[2]))
}

// near reports whether two rectangles differ by at most d on each side.
func near(a, b rect, d float64) bool {
	return math.Abs(a.x-b.x) <= d && math.Abs(a.y-b.y) <= d && math.Abs(a.x+a.w-b.x-b.w) <= d && math.Abs(a.y+a.h-b.y-b.h) <= d
}

func TestMarks(t *testing.T) {
	s := newSheet(376, 130)
	captions := []string{"4", "8", "l", "u", "n", "H", "", "3", "5", "é"}
	var rects []rect
	for i, caption := range captions {
		for j, radio := range []bool{false, true} {
			l := Look{Width: 24, Height: 24, Border: black, BorderWidth: 1, Color: red, Caption: caption, Radio: radio}
			rects = append(rects, s.add(10+float64(i)*36, 10+float64(j)*60, l, s.Button(l, true)))
			s.add(10+float64(i)*36, 40+float64(j)*60, l, s.Button(l, false))
		}
	}
	for _, shot := range s.render(t) {
		for i, r := range rects {
			extent, share := shot.ink(r, dark3(red))
			center := extent.center()
			if share < 0.1 || share > 0.5 || math.Abs(center.x-12) > 1 || math.Abs(center.y-12) > 1.2 || extent.w < 11 || extent.w > 20 {
				t.Errorf("%s %d: the mark is %v, %.2f", shot.name, i, extent, share)
			}
			r.y += 30
			if extent, share := shot.ink(r, dark3(red)); share > 0 {
				t.Errorf("%s %d: off has a mark at %v", shot.name, i, extent)
			}
		}
	}
}

func TestMarkSizes(t *testing.T) {
	s := newSheet(200, 60)
	small := Look{Width: 40, Height: 40, Caption: "n", FontSize: 10}
	wide := Look{Width: 80, Height: 20, Caption: "n"}
	tiny := Look{Width: 2, Height: 2, Caption: "n", FontSize: 100}
	rects := []rect{s.add(10, 10, small, s.Button(small, true)), s.add(60, 10, wide, s.Button(wide, true)), s.add(160, 10, tiny, s.Button(tiny, true))}
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, rects...)
		for i, want := range []rect{{17, 17, 6, 6}, {34, 4, 12, 12}, {0.4, 0.4, 1.2, 1.2}} {
			if got, _ := shot.ink(rects[i], inked); !near(got, want, 0.3) {
				t.Errorf("%s %d: got %v, want %v", shot.name, i, got, want)
			}
		}
	}
}
