package typeset_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// TestSheet renders all samples on a page, by three programs that must agree.
func TestSheet(t *testing.T) {
	fonts := typeset.NewFonts(fontDir)
	var p page
	for i, s := range samples {
		b, err := fonts.Set(s.text, typeset.Options{Size: 15})
		if err != nil {
			t.Fatal(err)
		}
		p.show(b.Lines[0], 20, 375-float64(20*i))
	}
	file := p.file(t)
	path := write(t, "sheet.pdf", file)
	base := strings.TrimSuffix(path, ".pdf")
	run(t, "pdftoppm", "-png", "-r", "144", path, base)
	run(t, "mutool", "draw", "-q", "-o", base+"-mu.png", "-r", "144", path)
	write(t, "sheet-pdfium.png", pdfiumPicture(t, file))
	programs := []func(x0, y0, x1, y1 int) int{
		ink(t, read(t, base+"-1.png")), ink(t, read(t, base+"-mu.png")),
		ink(t, pdfiumPicture(t, file)),
	}
	for i, s := range samples {
		var dark []int
		for _, program := range programs {
			dark = append(dark, program(20, 20*i+12, 480, 20*i+32))
		}
		if slices.Min(dark) < 100 || slices.Max(dark) > slices.Min(dark)*5/4 {
			t.Errorf("%s: the programs paint %d pixels", s.name, dark)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ink returns a function that counts the dark pixels of a rectangle. Coordinates are points
// from the top left corner, at 144 pixels per inch.
func ink(t *testing.T, data []byte) func(x0, y0, x1, y1 int) int {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return func(x0, y0, x1, y1 int) int {
		area := image.Rect(2*x0, 2*y0, 2*x1, 2*y1).Intersect(picture.Bounds())
		dark := 0
		for y := area.Min.Y; y < area.Max.Y; y++ {
			for x := area.Min.X; x < area.Max.X; x++ {
				if r, _, _, _ := picture.At(x, y).RGBA(); r < 0x8000 {
					dark++
				}
			}
		}
		return dark
	}
}
