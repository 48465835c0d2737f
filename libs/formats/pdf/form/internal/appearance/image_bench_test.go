package appearance

import (
	"bytes"
	"image"
	"image/png"
	"testing"
)

// BenchmarkReadImage measures a picture with transparency of 12 megapixels.
func BenchmarkReadImage(b *testing.B) {
	m := image.NewNRGBA(image.Rect(0, 0, 4000, 3000))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i >> 12)
	}
	var file bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := e.Encode(&file, m); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadImage("image/png", file.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
