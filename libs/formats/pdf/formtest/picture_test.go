package formtest

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"testing"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/libs/formats/pdf"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/testkit/pdfforms"
)

// drawing returns a picture of a dark bar in a transparent or, as JPEG, white frame.
func drawing(t testing.TB, mediaType string, width, height int) fields.Picture {
	t.Helper()
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			p.Set(x, y, color.NRGBA{255, 255, 255, 0})
			if y > height/4 && y < height*3/4 && x > width/8 && x < width*7/8 {
				p.Set(x, y, color.NRGBA{20, 20, 80, 255})
			}
		}
	}
	var b bytes.Buffer
	var err error
	if mediaType == "image/png" {
		err = png.Encode(&b, p)
	} else {
		white := image.NewRGBA(p.Rect)
		for i := range white.Pix {
			white.Pix[i] = 255
		}
		for y := range height {
			for x := range width {
				if p.NRGBAAt(x, y).A > 0 {
					white.Set(x, y, p.At(x, y))
				}
			}
		}
		err = jpeg.Encode(&b, white, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fields.Picture{
		MediaType: mediaType, Width: width, Height: height, Orientation: 1, Size: int64(b.Len()),
		Open: func() io.Reader { return bytes.NewReader(b.Bytes()) },
	}
}

// TestPictures shows pictures in a button, in a signature field, and on a page without a
// form.
func TestPictures(t *testing.T) {
	r := newReader(t, 1<<30)
	kinds := pdfforms.EveryKind()
	f := r.read(kinds)
	button, signature := r.field(f, "picture"), r.field(f, "signature")
	values := []form.Value{text(button, ""), text(signature, "")}
	values[0].Pictures, values[1].Pictures = []int{0}, []int{1}
	o := order(values...)
	o.Pictures = []fields.Picture{drawing(t, "image/png", 300, 80), drawing(t, "image/jpeg", 200, 100)}
	box := layout.Box{Left: 0.2, Top: 0.7, Right: 0.6, Bottom: 0.8}
	onto := order(form.Value{Pictures: []int{0, 1}, Stamps: []form.Stamp{{Page: 1, Box: box}}})
	onto.Pictures = o.Pictures
	inButton := order(values[0])
	inButton.Pictures = o.Pictures
	burned := o
	burned.Flatten = true
	for name, tt := range map[string]struct {
		file  []byte
		order pdf.Filling
		boxes []layout.Box
	}{
		"button":    {kinds, inButton, []layout.Box{button[0].Box}},
		"signature": {kinds, o, []layout.Box{button[0].Box, signature[0].Box}},
		"flattened": {kinds, burned, []layout.Box{button[0].Box, signature[0].Box}},
		"page":      {pdfforms.Blanks(), onto, []layout.Box{box}},
		"scan":      {pdfforms.Scan(), onto, []layout.Box{box}},
	} {
		t.Run(name, func(t *testing.T) {
			r := r.with(t)
			filled, _ := r.fill(tt.file, tt.order)
			pdfforms.Check(t, filled)
			agree(t, pictures(r, filled, 1, width), tt.boxes...)
		})
	}
}
