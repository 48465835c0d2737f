package layout_test

import (
	"math"
	"testing"

	"github.com/rectohq/recto/libs/formats/layout"
)

// TestShown shows that boxes are rounded outward and stay on the page, and that rounded ones
// stay as they are.
func TestShown(t *testing.T) {
	type shown struct{ left, top, width, height float64 }
	for _, tc := range []struct {
		box  layout.Box
		want shown
	}{
		{layout.Box{Left: 0.1, Top: 0.2, Right: 0.3, Bottom: 0.4}, shown{0.1, 0.2, 0.2, 0.2}},
		{layout.Box{Left: 0.29, Top: 0.57, Right: 0.29 + 0.58, Bottom: 0.57 + 0.07}, shown{0.29, 0.57, 0.58, 0.07}},
		{layout.Box{Left: 0.123456, Top: 0, Right: 0.123459, Bottom: 1}, shown{0.12345, 0, 0.00001, 1}},
		{layout.Box{Left: -1, Top: 2, Right: -0.5, Bottom: 3}, shown{0, 1, 0, 0}},
		{layout.Box{Left: 0.5, Top: 0.5, Right: 0.4, Bottom: 0.4}, shown{0.5, 0.5, 0, 0}},
		{layout.Box{Left: math.NaN(), Top: math.Inf(-1), Right: math.NaN(), Bottom: math.Inf(1)}, shown{0, 0, 0, 1}},
	} {
		var got shown
		if got.left, got.top, got.width, got.height = tc.box.Shown(); got != tc.want {
			t.Errorf("%+v: got %+v, want %+v", tc.box, got, tc.want)
		}
	}
}
