package appearance

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"slices"
	"testing"
)

// frameOf returns a JPEG file that ends after the header of its frame.
func frameOf(marker byte, precision byte, width, height int, components byte, before ...byte) []byte {
	b := append([]byte{0xFF, 0xD8}, before...)
	b = append(b, 0xFF, marker, 0, 8, precision, byte(height>>8), byte(height), byte(width>>8), byte(width), components)
	return append(b, 0xFF, 0xDA, 0, 2)
}

var (
	adobeSegment = []byte{0xFF, 0xEE, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 2}
	tables       = []byte{0xFF, 0xC4, 0, 3, 0, 0xFF, 0xFF, 0xDB, 0, 3, 0}
)

func TestJPEG(t *testing.T) {
	inverted := []float64{1, 0, 1, 0, 1, 0, 1, 0}
	late := slices.Concat(frameOf(0xC0, 8, 3, 2, 4)[:12], adobeSegment, []byte{0xFF, 0xDA, 0, 2})
	for name, c := range map[string]struct {
		file       []byte
		space      string
		components int
		decode     []float64
	}{
		"gray":              {frameOf(0xC0, 8, 3, 2, 1), "DeviceGray", 1, nil},
		"color":             {frameOf(0xC1, 8, 3, 2, 3, tables...), "DeviceRGB", 3, nil},
		"color by Adobe":    {frameOf(0xC2, 8, 3, 2, 3, adobeSegment...), "DeviceRGB", 3, nil},
		"CMYK":              {frameOf(0xC0, 8, 3, 2, 4), "DeviceCMYK", 4, nil},
		"CMYK by Adobe":     {frameOf(0xC0, 8, 3, 2, 4, adobeSegment...), "DeviceCMYK", 4, inverted},
		"Adobe after frame": {late, "DeviceCMYK", 4, inverted},
	} {
		got, err := ReadImage("image/jpeg", c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Width != 3 || got.Height != 2 || got.Bits != 8 || got.ColorSpace != c.space || got.Components() != c.components ||
			!slices.Equal(got.Decode, c.decode) || got.Filter != "DCTDecode" || got.Predictor || got.Mask != nil {
			t.Errorf("%s: got %+v", name, got)
		}
		if &got.Data[0] != &c.file[0] || len(got.Data) != len(c.file) {
			t.Errorf("%s: the data was copied", name)
		}
	}
}

func TestImagesThatCannotBeDrawn(t *testing.T) {
	gray8 := pngFormat{bits: 8}
	rgba := pngFormat{colorType: pngRGBA, bits: 8}
	data := chunk("IDAT", deflated([]byte{0, 0}))
	twoHeaders := slices.Concat(header(1, 1, gray8), header(1, 1, gray8)[8:], data)
	for name, c := range map[string]struct {
		mediaType string
		file      []byte
		want      error
	}{
		"empty JPEG":         {"image/jpeg", nil, errDamaged},
		"only a start":       {"image/jpeg", []byte{0xFF, 0xD8}, errDamaged},
		"only fill bytes":    {"image/jpeg", []byte{0xFF, 0xD8, 0xFF, 0xFF}, errDamaged},
		"a cut length":       {"image/jpeg", []byte{0xFF, 0xD8, 0xFF, 0xC0, 0}, errDamaged},
		"a length of 0":      {"image/jpeg", []byte{0xFF, 0xD8, 0xFF, 0xC0, 0, 0}, errDamaged},
		"a short frame":      {"image/jpeg", []byte{0xFF, 0xD8, 0xFF, 0xC0, 0, 3, 8}, errDamaged},
		"no frame":           {"image/jpeg", []byte{0xFF, 0xD8, 0xFF, 0xD9}, errDamaged},
		"lossless":           {"image/jpeg", frameOf(0xC3, 8, 1, 1, 3), errCompression},
		"12 bits":            {"image/jpeg", frameOf(0xC0, 12, 1, 1, 3), errCompression},
		"two colors":         {"image/jpeg", frameOf(0xC0, 8, 1, 1, 2), errCompression},
		"no width":           {"image/jpeg", frameOf(0xC0, 8, 0, 1, 3), errSize},
		"a huge JPEG":        {"image/jpeg", frameOf(0xC0, 8, 65535, 65535, 3), errSize},
		"empty PNG":          {"image/png", nil, errDamaged},
		"only a header":      {"image/png", header(1, 1, gray8), errDamaged},
		"no header":          {"image/png", append([]byte("\x89PNG\r\n\x1a\n"), data...), errDamaged},
		"two headers":        {"image/png", twoHeaders, errDamaged},
		"a cut chunk":        {"image/png", append(header(1, 1, gray8), data[:14]...), errDamaged},
		"3 bits":             {"image/png", append(header(1, 1, pngFormat{bits: 3}), data...), errDamaged},
		"an unknown color":   {"image/png", append(header(1, 1, pngFormat{colorType: 5, bits: 8}), data...), errDamaged},
		"a negative width":   {"image/png", append(header(1<<31, 1, gray8), data...), errDamaged},
		"no height":          {"image/png", append(header(1, 0, gray8), data...), errSize},
		"a huge PNG":         {"image/png", append(header(1<<31-1, 1<<31-1, rgba), data...), errSize},
		"no palette":         {"image/png", append(header(1, 1, pngFormat{colorType: pngPalette, bits: 8}), data...), errDamaged},
		"a wrong gray key":   {"image/png", slices.Concat(header(1, 1, gray8), chunk("tRNS", []byte{1}), data), errDamaged},
		"a wrong RGB key":    {"image/png", slices.Concat(header(1, 1, pngFormat{colorType: pngRGB, bits: 8}), chunk("tRNS", []byte{1}), data), errDamaged},
		"too few pixels":     {"image/png", append(header(1, 1, rgba), data...), errDamaged},
		"no rows":            {"image/png", append(header(1, 2, rgba), chunk("IDAT", deflated([]byte{0, 1, 2, 3, 4}))...), errDamaged},
		"not compressed":     {"image/png", append(header(1, 1, rgba), chunk("IDAT", []byte("pixels"))...), errDamaged},
		"no second pass":     {"image/png", append(header(8, 8, pngFormat{bits: 8, interlaced: true}), data...), errDamaged},
		"an unknown filter":  {"image/png", append(header(1, 1, rgba), chunk("IDAT", deflated([]byte{5, 0, 0, 0, 0}))...), errDamaged},
		"damaged checksum":   {"image/png", append(header(1, 1, rgba), chunk("IDAT", append(deflated([]byte{0, 0})[:6], 9, 9))...), errDamaged},
		"a JPEG called PNG":  {"image/png", frameOf(0xC0, 8, 1, 1, 3), errDamaged},
		"a PNG called JPEG":  {"image/jpeg", append(header(1, 1, gray8), data...), errDamaged},
		"a bad second frame": {"image/jpeg", append([]byte{0xFF, 0xD8}, tables...), errDamaged},
	} {
		if got, err := ReadImage(c.mediaType, c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: got %+v, %v, want %v", name, got, err, c.want)
		}
	}
	if _, err := ReadImage("image/gif", nil); err == nil {
		t.Error("a GIF was read")
	}
}

func FuzzReadImage(f *testing.F) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 9)), nil); err != nil {
		f.Fatal(err)
	}
	f.Add(true, b.Bytes())
	for _, format := range pngFormats() {
		f.Add(false, pngOf(format, 9, 5))
	}
	f.Fuzz(func(t *testing.T, isJPEG bool, file []byte) {
		mediaType := "image/png"
		if isJPEG {
			mediaType = "image/jpeg"
		}
		// The bound keeps the fuzzer fast; larger images take no other path.
		if !isJPEG && len(file) > 24 && binary.BigEndian.Uint32(file[16:]) > 1<<10 {
			return
		}
		i, err := ReadImage(mediaType, file)
		if err != nil {
			return
		}
		if i.Width < 1 || i.Height < 1 || i.Width*i.Height > maxPixels || len(i.Data) == 0 || i.ColorSpace == "" {
			t.Errorf("got %+v", i)
		}
		if i.Mask != nil && (i.Mask.Width != i.Width || i.Mask.Height != i.Height || i.Mask.Components() != 1) {
			t.Errorf("mask: got %+v", i.Mask)
		}
	})
}
