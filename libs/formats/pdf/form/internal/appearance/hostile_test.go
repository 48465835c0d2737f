package appearance

import (
	"bytes"
	"math"
	"regexp"
	"testing"
)

// operands matches a stream of operators whose operands are all sane.
var operands = regexp.MustCompile(`^(?:(?:\[?(?:-?\d{1,6}(?:\.\d+)?\]? )*|/\S+ )[A-Za-z]+\n|BT\n(?s:.*?)ET\n|\[(?:\d+(?:\.\d+)? ?)+\] 0 d\n)*$`)

// TestHostileLooks checks that no number of a file makes an invalid or endless stream.
func TestHostileLooks(t *testing.T) {
	s := newSheet(1, 1)
	s.Pictures = []Picture{{math.MaxInt, 1, 1}, {1, math.MaxInt, 6}, {3, 2, -1}}
	values := []float64{0, 1e-300, 0.01, 1, 10, 1e9, 1e300, -1, -1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	var looks []Look
	for i, v := range values {
		for _, style := range []byte("SDBIU") {
			looks = append(looks,
				Look{Width: v, Height: 20, Border: black, Background: gold, BorderWidth: 1, BorderStyle: style},
				Look{Width: 100, Height: v, Border: black, Background: gold, BorderWidth: 1, BorderStyle: style, Rotation: 90},
				Look{Width: 100, Height: 20, Border: []float64{v}, Background: []float64{v, v, v}, BorderWidth: v, BorderStyle: style, Dash: values[i:]},
				Look{Width: 100, Height: 20, Border: black, BorderWidth: 1, BorderStyle: style, Dash: []float64{v}, FontSize: v, Color: []float64{v, v, v, v}},
				Look{Width: v, Height: v, FontSize: v, Rotation: math.MinInt, Align: math.MaxInt, BorderStyle: style, Caption: "\xFF"},
			)
		}
	}
	for _, l := range looks {
		for _, stream := range drawAll(t, s, l) {
			if len(stream.Content) > 100_000 {
				t.Errorf("%+v: the stream has %d bytes", l, len(stream.Content))
			}
			if !operands.Match(stream.Content) || bytes.Contains(stream.Content, []byte("NaN")) || bytes.Contains(stream.Content, []byte("Inf")) {
				t.Errorf("%+v: got %s", l, stream.Content)
			}
			for _, v := range append(stream.BBox[:], stream.Matrix[:]...) {
				if !(math.Abs(v) <= maxLength) {
					t.Errorf("%+v: got %v, %v", l, stream.BBox, stream.Matrix)
				}
			}
		}
	}
}

// drawAll draws everything that a look is used for.
func drawAll(t *testing.T, s *sheet, l Look) []Stream {
	t.Helper()
	all := []Stream{s.Button(l, true), s.Picture(l, []int{0, 1, 2})}
	add := func(stream Stream, err error) {
		if err != nil {
			t.Errorf("%+v: %v", l, err)
		}
		all = append(all, stream)
	}
	add(s.Text(l, "some text"))
	add(s.List(l, []string{"one", "two", "three"}, []int{math.MinInt, 1, math.MaxInt}))
	add(s.Stamp(Stamp{Width: l.Width, Height: l.Height, Size: l.FontSize}, "some text", nil))
	add(s.Stamp(Stamp{Width: l.Width, Height: l.Height, Tick: true, Cover: true}, "", nil))
	add(s.Stamp(Stamp{Width: l.Width, Height: l.Height, Size: l.FontSize, Multiline: true}, "some text", nil))
	add(s.Stamp(Stamp{Width: l.Width, Height: l.Height}, "", []int{0, 1, 2}))
	l.Multiline = true
	add(s.Text(l, "some text"))
	l.Radio = true
	all = append(all, s.Button(l, true))
	l.Multiline, l.Comb, l.MaxLength = false, true, 20
	add(s.Text(l, "some text"))
	l.MaxLength = math.MaxInt
	add(s.Text(l, "some text"))
	return all
}
