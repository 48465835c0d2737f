package appearance

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// lightBlue matches the color behind selected options.
func lightBlue(c color.RGBA) bool { return like(153, 193, 218)(c) }

func TestList(t *testing.T) {
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf("Option %d", i))
	}
	few := many[:3]
	base := Look{Width: 100, Height: 60, BorderWidth: 1, Border: black, Color: red}
	cases := []struct {
		options  []string
		selected []int
		// The number of highlighted rows, the top of the first, and what can be read.
		rows  int
		top   float64
		shown []string
	}{
		{few, nil, 0, 0, []string{"Option 0", "Option 2"}},
		{few, []int{0}, 1, 59, []string{"Option 0", "Option 2"}},
		{few, []int{2, 1, -1, 7}, 2, 45.2, []string{"Option 0", "Option 2"}},
		{many, []int{2500, 4000}, 1, 18, []string{"Option 2500"}},
		{many, []int{4999}, 1, 18, []string{"Option 4999", "Option 4996"}},
		{[]string{"Short", strings.Repeat("long ", 9) + "end"}, []int{1}, 1, 54, []string{"Short", strings.Repeat("long ", 9) + "end"}},
		{[]string{"\uE123 private", "é"}, []int{1}, 1, 45.2, []string{"private", "é"}},
		{nil, []int{0}, 0, 0, nil},
	}
	s := newSheet(450, 150)
	var rects []rect
	for i, c := range cases {
		stream, err := s.List(base, c.options, c.selected)
		if err != nil {
			t.Fatal(err)
		}
		rects = append(rects, s.add(10+float64(i%4)*110, 10+float64(i/4)*70, base, stream))
	}
	text := s.text(t)
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, rects...)
		for i, c := range cases {
			rows, share := shot.ink(rects[i], lightBlue)
			if top := rows.y + rows.h; math.Abs(top-c.top) > 2 || share > 0 && rows.w < 97 || rows.h > 14.5*float64(c.rows) {
				t.Errorf("%s %d: highlighted %v", shot.name, i, rows)
			}
		}
	}
	for i, c := range cases {
		for _, want := range c.shown {
			if !strings.Contains(text, want) {
				t.Errorf("%d: got %q, want %q", i, text, want)
			}
		}
	}
}

func TestListWithoutGlyphs(t *testing.T) {
	s := newSheet(1, 1)
	l := Look{Width: 100, Height: 60}
	_, err := s.List(l, []string{"a", "\uE123"}, []int{1})
	var missing *typeset.MissingError
	if !errors.As(err, &missing) || missing.Rune != '\uE123' {
		t.Errorf("got %v", err)
	}
	for _, options := range [][]string{{"\uE123", "a", "b"}, {"a", "b", "\uE123"}} {
		if _, err := s.List(l, options, []int{1}); err != nil {
			t.Errorf("%q: %v", options, err)
		}
		if _, err := s.List(l, options, []int{1, 0, 2}); !errors.As(err, &missing) {
			t.Errorf("%q: got %v", options, err)
		}
	}
}
