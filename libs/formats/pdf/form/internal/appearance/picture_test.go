package appearance

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"maps"
	"math"
	"slices"
	"testing"
)

// The quarters of the test picture.
var (
	topLeft     = color.NRGBA{255, 0, 0, 255}
	topRight    = color.NRGBA{0, 160, 0, 255}
	bottomLeft  = color.NRGBA{0, 0, 255, 255}
	bottomRight = color.NRGBA{0, 0, 0, 128} // gray on white
)

// stored returns a picture of 64 × 32 pixels as it is stored for an Exif orientation.
func stored(orientation int) *image.NRGBA {
	const width, height = 64, 32
	w, h := width, height
	if orientation >= 5 {
		w, h = h, w
	}
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for v := range h {
		for u := range w {
			// Exif 2.32, section 4.6.4: where the first row and the first column are.
			x, y := u, v
			switch orientation {
			case 2:
				x = w - 1 - u
			case 3:
				x, y = w-1-u, h-1-v
			case 4:
				y = h - 1 - v
			case 5:
				x, y = v, u
			case 6:
				x, y = h-1-v, u
			case 7:
				x, y = h-1-v, w-1-u
			case 8:
				x, y = v, w-1-u
			}
			quarters := [][]color.NRGBA{{topLeft, topRight}, {bottomLeft, bottomRight}}
			m.SetNRGBA(u, v, quarters[y/(height/2)][x/(width/2)])
		}
	}
	return m
}

// imageOf encodes a picture and reads it again.
func imageOf(t *testing.T, m *image.NRGBA, mediaType string) Image {
	t.Helper()
	var b bytes.Buffer
	var err error
	if mediaType == "image/png" {
		err = png.Encode(&b, m)
	} else {
		white := image.NewRGBA(m.Bounds())
		for i := range len(m.Pix) / 4 {
			a := int(m.Pix[4*i+3])
			for k := range 3 {
				white.Pix[4*i+k] = byte((int(m.Pix[4*i+k])*a + 255*(255-a)) / 255)
			}
			white.Pix[4*i+3] = 255
		}
		err = jpeg.Encode(&b, white, &jpeg.Options{Quality: 95})
	}
	if err != nil {
		t.Fatal(err)
	}
	i, err := ReadImage(mediaType, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestOrientations(t *testing.T) {
	var images []Image
	for _, mediaType := range []string{"image/jpeg", "image/png"} {
		for o := 1; o <= 8; o++ {
			images = append(images, imageOf(t, stored(o), mediaType))
		}
	}
	s := newSheet(580, 110, images...)
	var rects []rect
	for i := range images {
		s.Pictures[i].Orientation = i%8 + 1
		l := Look{Width: 60, Height: 40}
		rects = append(rects, s.add(10+float64(i%8)*70, 10+float64(i/8)*50, l, s.Picture(l, []int{i})))
	}
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, rects...)
		for i, r := range rects {
			checkQuarters(t, fmt.Sprintf("%s %d", shot.name, i), shot, r, rect{1, 5.5, 58, 29})
		}
	}
}

// checkQuarters checks that the test picture stands upright in a part of r.
func checkQuarters(t *testing.T, name string, shot shot, r, part rect) {
	t.Helper()
	if got, _ := shot.ink(r, inked); !near(got, part, 0.5) {
		t.Errorf("%s: the picture is at %v, want %v", name, got, part)
	}
	for _, q := range []struct {
		x, y  float64
		color color.NRGBA
	}{{0.25, 0.75, topLeft}, {0.75, 0.75, topRight}, {0.25, 0.25, bottomLeft}, {0.75, 0.25, color.NRGBA{127, 127, 127, 255}}} {
		p := point{r.x + part.x + q.x*part.w, r.y + part.y + q.y*part.h}
		if !like(q.color.R, q.color.G, q.color.B)(shot.color(p)) {
			t.Errorf("%s: %v is %v, want %v", name, q, shot.color(p), q.color)
		}
	}
}

func TestPictureInRotatedWidget(t *testing.T) {
	s := newSheet(200, 80, imageOf(t, stored(1), "image/png"))
	l := Look{Width: 40, Height: 60, Rotation: 90}
	turned := s.add(10, 10, l, s.Picture(l, []int{0}))
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, turned)
		if got, _ := shot.ink(turned, inked); !near(got, rect{5.5, 1, 29, 58}, 0.5) {
			t.Errorf("%s: the picture is at %v", shot.name, got)
		}
		// Turned counterclockwise, the top left quarter comes to the bottom left.
		if c := shot.color(point{turned.x + 12, turned.y + 15}); !like(255, 0, 0)(c) {
			t.Errorf("%s: the quarter at the bottom left is %v", shot.name, c)
		}
	}
}

func TestSeveralPictures(t *testing.T) {
	s := newSheet(240, 120, imageOf(t, stored(1), "image/jpeg"), imageOf(t, stored(6), "image/png"))
	s.Pictures[1].Orientation = 6
	wide := Look{Width: 102, Height: 100, Border: black, BorderWidth: 1}
	r := s.add(10, 10, wide, s.Picture(wide, []int{0, 1, 0}))
	for _, shot := range s.render(t) {
		// Three pictures of 32 × 16 with gaps of 1.96.
		inside := rect{r.x + 2, r.y + 2, r.w - 4, r.h - 4}
		extent, _ := shot.ink(inside, inked)
		if !near(extent, rect{0, 40.2, 98, 15.7}, 0.6) {
			t.Errorf("%s: the pictures are at %v", shot.name, extent)
		}
		for i := range 3 {
			left := float64(i) * (31.36 + 1.96)
			checkQuarters(t, fmt.Sprintf("%s %d", shot.name, i), shot, rect{inside.x + left, inside.y, 31.36, inside.h}, rect{0, 40.2, 31.36, 15.7})
		}
	}
}

func TestPicturesThatAreNotThere(t *testing.T) {
	p := Painter{Pictures: []Picture{{0, 5, 1}, {5, 0, 1}, {-5, -5, 1}, {4, 2, 99}}}
	l := Look{Width: 40, Height: 20}
	for _, pictures := range [][]int{nil, {-1, 4, 1 << 40}, {0, 1, 2}} {
		got := p.Picture(l, pictures)
		if want := "q\nQ\n"; string(got.Content) != want || len(got.Images) != 0 {
			t.Errorf("%v: got %q, %v, want %q", pictures, got.Content, got.Images, want)
		}
	}
	got := p.Picture(l, []int{3})
	if want := "q\nQ\nq\n36 0 0 18 2 1 cm\n/Im3 Do\nQ\n"; string(got.Content) != want || !maps.Equal(got.Images, map[string]int{"Im3": 3}) {
		t.Errorf("got %q, %v, want %q", got.Content, got.Images, want)
	}
	many := p.Picture(l, slices.Repeat([]int{3}, 100_000))
	if n := bytes.Count(many.Content, []byte("Do")); n != maxPictures {
		t.Errorf("drew %d pictures", n)
	}
}

// TestStampWithoutText checks covers, ticks and pictures on the page.
func TestStampWithoutText(t *testing.T) {
	s := newSheet(240, 60, imageOf(t, stored(1), "image/png"))
	place := func(x, y float64, st Stamp, pictures ...int) rect {
		stream, err := s.Stamp(st, "", pictures)
		if err != nil {
			t.Fatal(err)
		}
		r := rect{x, y, st.Width, st.Height}
		s.stamps = append(s.stamps, placed{stream, r})
		return r
	}
	picture := place(10, 10, Stamp{Width: 60, Height: 40}, 0)
	tick := place(80, 10, Stamp{Width: 40, Height: 40, Tick: true})
	covered := place(130, 10, Stamp{Width: 40, Height: 40, Tick: true})
	place(125, 5, Stamp{Width: 30, Height: 50, Cover: true})
	empty := place(180, 10, Stamp{Width: 40, Height: 40})
	for _, shot := range s.render(t) {
		shot.nothingOutside(t, picture, tick, covered)
		checkQuarters(t, shot.name, shot, picture, rect{0, 5, 60, 30})
		got, share := shot.ink(tick, inked)
		if center := got.center(); math.Abs(center.x-20) > 1 || math.Abs(center.y-20) > 1 || got.w < 30 || share < 0.1 || share > 0.3 {
			t.Errorf("%s: the tick is at %v, %.2f", shot.name, got, share)
		}
		if got, _ := shot.ink(covered, inked); got.x < 24.5 {
			t.Errorf("%s: what is covered can be seen at %v", shot.name, got)
		}
		if got, share := shot.ink(empty, inked); share > 0 {
			t.Errorf("%s: an empty stamp shows %v", shot.name, got)
		}
	}
}

// TestCMYK checks that a CMYK picture by Adobe does not appear as a negative.
func TestCMYK(t *testing.T) {
	file := cmykJPEG()
	want, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	i, err := ReadImage("image/jpeg", file)
	if err != nil || i.Decode == nil {
		t.Fatal(i.Decode, err)
	}
	s := newSheet(float64(i.Width), float64(i.Height), i)
	stream, err := s.Stamp(Stamp{Width: s.width, Height: s.height}, "", []int{0})
	if err != nil {
		t.Fatal(err)
	}
	s.stamps = []placed{{stream, rect{0, 0, s.width, s.height}}}
	for _, shot := range s.render(t) {
		off := 0
		for y := range i.Height {
			for x := range i.Width {
				got := color.GrayModel.Convert(shot.color(point{float64(x) + 0.5, float64(i.Height-1-y) + 0.5})).(color.Gray).Y
				if w := color.GrayModel.Convert(want.At(x, y)).(color.Gray).Y; max(got, w)-min(got, w) > 60 {
					off++
				}
			}
		}
		if off > i.Width*i.Height/20 {
			t.Errorf("%s: %d of %d pixels differ", shot.name, off, i.Width*i.Height)
		}
	}
}
