package appearance

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

var (
	black = []float64{0}
	red   = []float64{1, 0, 0}
	gold  = []float64{1, 0.9, 0.5}
)

func TestFrameOperators(t *testing.T) {
	base := Look{Width: 100, Height: 20, Border: black, BorderWidth: 2, BorderStyle: 'S'}
	for name, c := range map[string]struct {
		look Look
		want string
	}{
		"none":         {Look{Width: 100, Height: 20, BorderWidth: 1}, "q\nQ\n"},
		"no width":     {base.with(func(l *Look) { l.BorderWidth = 0 }), "q\nQ\n"},
		"solid":        {base, "q\n0 G\n2 w\n1 1 98 18 re\nS\nQ\n"},
		"background":   {base.with(func(l *Look) { l.Background, l.Border = []float64{0, 0, 1, 0.25}, nil }), "q\n0 0 1 0.25 k\n0 0 100 20 re\nf\nQ\n"},
		"odd color":    {base.with(func(l *Look) { l.Background, l.Border = []float64{0, 0}, nil }), "q\nQ\n"},
		"color bounds": {base.with(func(l *Look) { l.Border = []float64{7, -3, math.NaN()} }), "q\n1 0 0 RG\n2 w\n1 1 98 18 re\nS\nQ\n"},
		"underlined":   {base.with(func(l *Look) { l.BorderStyle = 'U' }), "q\n0 G\n2 w\n0 1 m\n100 1 l\nS\nQ\n"},
		"dashed":       {base.with(func(l *Look) { l.BorderStyle, l.Dash = 'D', []float64{4, 2.5} }), "q\n0 G\n2 w\n[4 2.5] 0 d\n1 1 98 18 re\nS\nQ\n"},
		"no dash":      {base.with(func(l *Look) { l.BorderStyle = 'D' }), "q\n0 G\n2 w\n[3] 0 d\n1 1 98 18 re\nS\nQ\n"},
		"empty dash":   {base.with(func(l *Look) { l.BorderStyle, l.Dash = 'D', []float64{0, 0} }), "q\n0 G\n2 w\n[3] 0 d\n1 1 98 18 re\nS\nQ\n"},
		"bad dash":     {base.with(func(l *Look) { l.BorderStyle, l.Dash = 'D', []float64{9, -1} }), "q\n0 G\n2 w\n[3] 0 d\n1 1 98 18 re\nS\nQ\n"},
		"unknown":      {base.with(func(l *Look) { l.BorderStyle = 'X' }), "q\n0 G\n2 w\n1 1 98 18 re\nS\nQ\n"},
		"beveled": {base.with(func(l *Look) { l.BorderStyle = 'B' }), "q\n" +
			"1 g\n2 2 m\n2 18 l\n98 18 l\n96 16 l\n4 16 l\n4 4 l\nh\nf\n" +
			"0.5 g\n98 18 m\n98 2 l\n2 2 l\n4 4 l\n96 4 l\n96 16 l\nh\nf\n" +
			"0 G\n2 w\n1 1 98 18 re\nS\nQ\n"},
		"too wide": {base.with(func(l *Look) { l.BorderWidth = 50 }), "q\n0 G\n5 w\n2.5 2.5 95 15 re\nS\nQ\n"},
		"no size":  {base.with(func(l *Look) { l.Width, l.Height = math.NaN(), math.Inf(-1) }), "q\nQ\n"},
		"no end":   {base.with(func(l *Look) { l.Width, l.Border = math.Inf(1), nil }), "q\nQ\n"},
	} {
		w := upright(c.look)
		var got canvas
		w.frame(&got)
		if got.String() != c.want {
			t.Errorf("%s: got %q, want %q", name, got.String(), c.want)
		}
	}
	w := upright(base.with(func(l *Look) { l.BorderStyle, l.Dash = 'D', make([]float64, 1000) }))
	w.Dash[0] = 5
	var got canvas
	w.frame(&got)
	if n := strings.Count(strings.SplitN(got.String(), "]", 2)[0], " "); n > 30 {
		t.Errorf("a long dash array has %d elements", n)
	}
}

func TestBorders(t *testing.T) {
	s := newSheet(330, 130)
	var rects []rect
	for i, style := range []byte("SDBIU") {
		for j, radio := range []bool{false, true} {
			l := Look{Width: 50, Height: 40, Border: red, Background: gold, BorderWidth: 3, BorderStyle: style, Radio: radio}
			rects = append(rects, s.add(10+float64(i)*60, 15+float64(j)*60, l, s.Button(l, false)))
		}
	}
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, rects...)
		for i, r := range rects {
			name := fmt.Sprintf("%s %d", shot.name, i)
			underlined, round := i/2 == 4 && i%2 == 0, i%2 == 1
			if !like(255, 230, 128)(shot.color(r.center())) {
				t.Errorf("%s: the background is %v", name, shot.color(r.center()))
			}
			if c := shot.color(point{r.x + 3, r.y + 1}); like(255, 0, 0)(c) == round {
				t.Errorf("%s: the corner is %v", name, c)
			}
			extent, share := shot.ink(r, like(255, 0, 0))
			if !underlined && !round && (extent.h < 39 || extent.w < 49) || underlined && (extent.h > 3.5 || extent.w < 49) || share == 0 {
				t.Errorf("%s: the border is %v", name, extent)
			}
			light, dark := point{r.x + 4.5, r.y + 20}, point{r.x + 45.5, r.y + 20}
			if round {
				light.x, dark.x = light.x+5, dark.x-5
			}
			switch i / 2 {
			case 2:
				if !like(255, 255, 255)(shot.color(light)) || !like(128, 115, 64)(shot.color(dark)) {
					t.Errorf("%s: got %v and %v", name, shot.color(light), shot.color(dark))
				}
			case 3:
				if !like(128, 128, 128)(shot.color(light)) || !like(192, 192, 192)(shot.color(dark)) {
					t.Errorf("%s: got %v and %v", name, shot.color(light), shot.color(dark))
				}
			}
		}
	}
}

// TestRotation finds the line at the bottom of an underlined widget on the side to which
// /MK /R turns it.
func TestRotation(t *testing.T) {
	s := newSheet(400, 60)
	var rects []rect
	for i, rotation := range []int{0, 90, 180, 270, -90, 450, 45} {
		l := Look{Width: 40, Height: 20, Border: red, BorderWidth: 2, BorderStyle: 'U', Rotation: rotation}
		rects = append(rects, s.add(10+float64(i)*50, 20, l, s.Button(l, false)))
	}
	bottom, right, top, left := rect{0, 0, 40, 2}, rect{38, 0, 2, 20}, rect{0, 18, 40, 2}, rect{0, 0, 2, 20}
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, rects...)
		for i, want := range []rect{bottom, right, top, left, left, right, bottom} {
			if got, _ := shot.ink(rects[i], dark3(red)); !near(got, want, 0.3) {
				t.Errorf("%s %d: got %v, want %v", shot.name, i, got, want)
			}
		}
	}
}
