package appearance

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestStampedText(t *testing.T) {
	free := math.NaN()
	cases := []struct {
		name  string
		stamp Stamp
		text  string
		want  rect // the extent of the ink
	}{
		{"fitted", Stamp{Width: 100, Height: 30}, "Hill", rect{1, 2.5, 15.3, 8.7}},
		{"flat", Stamp{Width: 100, Height: 6}, "Hill", rect{0.5, 1.2, free, 3.8}},
		{"of a size", Stamp{Width: 100, Height: 20, Size: 8}, "Hill", rect{0.7, 1.7, free, 5.8}},
		{"higher than its", Stamp{Width: 100, Height: 4, Size: 10}, "Hill", rect{0.8, 2.1, free, 7.3}},
		{"too long", Stamp{Width: 100, Height: 20, Size: 12}, strings.Repeat("H", 20), rect{0.5, free, 99, free}},
		{"on two lines", Stamp{Width: 100, Height: 20}, "Hall\nHill", rect{1, 2.5, 39, 8.7}},
		{"right to left", Stamp{Width: 100, Height: 20}, "שלום", rect{73.7, free, free, free}},
		{"one of several", Stamp{Width: 100, Height: 20, Multiline: true}, "Hill", rect{1, 2.5, 15.3, 8.7}},
		{"at the top", Stamp{Width: 100, Height: 40, Multiline: true}, "Hill", rect{1, 29, 15.3, 8.7}},
		{"wrapped", Stamp{Width: 50, Height: 40, Multiline: true}, "Hill Hill Hill", rect{0.8, free, 35.2, free}},
		{"wrapped, smaller", Stamp{Width: 50, Height: 20, Multiline: true, Size: 12}, strings.Repeat("Hill ", 8), rect{0.5, free, free, free}},
	}
	s := newSheet(450, 190)
	var rects []rect
	var words []string
	for i, c := range cases {
		stream, err := s.Stamp(c.stamp, c.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		// A low box has room above it for the text that stands on its bottom.
		r := rect{10 + float64(i%4)*110, 10 + float64(i/4)*60, c.stamp.Width, c.stamp.Height}
		s.stamps = append(s.stamps, placed{stream, r})
		r.h = max(r.h, 12)
		rects, words = append(rects, r), append(words, strings.Fields(c.text)...)
	}
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, rects...)
		for i, c := range cases {
			got, share := shot.ink(rects[i], inked)
			if share == 0 || off(got.x, c.want.x) || off(got.y, c.want.y) || off(got.w, c.want.w) || off(got.h, c.want.h) {
				t.Errorf("%s: %s: the text is at %v, want %v", shot.name, c.name, got, c.want)
			}
		}
	}
	got := strings.Fields(strings.Map(visible, s.text(t)))
	slices.Sort(got)
	slices.Sort(words)
	if !slices.Equal(got, words) {
		t.Errorf("got %q, want %q", got, words)
	}
}

// TestEmptyBox checks that an empty box replaces what is on the page.
func TestEmptyBox(t *testing.T) {
	s := newSheet(100, 40)
	r := rect{10, 10, 20, 22}
	for _, stamp := range []Stamp{{Width: 20, Height: 22, Tick: true}, {Width: 20, Height: 22, Cover: true, EmptyBox: true}} {
		stream, err := s.Stamp(stamp, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		s.stamps = append(s.stamps, placed{stream, r})
	}
	for _, shot := range s.render(t) {
		got, _ := shot.ink(r, inked)
		if off(got.x, 1.8) || off(got.y, 2.8) || off(got.w, 16.4) || off(got.h, 16.4) {
			t.Errorf("%s: the box is at %v", shot.name, got)
		}
		inside := rect{r.x + 5, r.y + 6, 10, 10}
		if _, share := shot.ink(inside, inked); share > 0 {
			t.Errorf("%s: there is ink in the box", shot.name)
		}
	}
}

// visible replaces the characters that poppler puts around text that runs from right to left.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return ' '
	}
	return r
}
