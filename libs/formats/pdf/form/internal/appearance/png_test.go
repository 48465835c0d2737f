package appearance

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// pngFormat is a format of PNG files.
type pngFormat struct {
	colorType         byte
	bits              int
	interlaced, keyed bool
}

// pngFormats returns all formats.
func pngFormats() []pngFormat {
	var all []pngFormat
	for _, colorType := range []byte{pngGray, pngRGB, pngPalette, pngGrayAlpha, pngRGBA} {
		for _, bits := range []int{1, 2, 4, 8, 16} {
			if f := (pngFile{colorType: colorType, bits: bits}); f.channels() == 0 {
				continue
			}
			for _, interlaced := range []bool{false, true} {
				all = append(all, pngFormat{colorType, bits, interlaced, false})
				if colorType < pngGrayAlpha {
					all = append(all, pngFormat{colorType, bits, interlaced, true})
				}
			}
		}
	}
	return all
}

// chunk returns a chunk of a PNG file.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// header returns the start of a PNG file, up to IHDR.
func header(width, height int, f pngFormat) []byte {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	b = append(b, byte(f.bits), f.colorType, 0, 0, 0)
	if f.interlaced {
		b[12] = 1
	}
	return append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", b)...)
}

// pngOf returns a PNG file of random pixels, with all kinds of filters, in several chunks.
func pngOf(f pngFormat, width, height int) []byte {
	random := rand.New(rand.NewPCG(uint64(f.colorType), uint64(f.bits)))
	g := pngFile{width: width, height: height, bits: f.bits, colorType: f.colorType}
	passes := []pass{{dx: 1, dy: 1}}
	if f.interlaced {
		passes = adam7
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	for _, p := range passes {
		w, h := (width-p.x+p.dx-1)/p.dx, (height-p.y+p.dy-1)/p.dy
		for range h * min(w, 1) {
			row := make([]byte, 1+(w*f.bits*g.channels()+7)/8)
			for i := range row {
				row[i] = byte(random.Uint32()) * byte(random.Uint32()&1)
			}
			row[0] = byte(random.IntN(5))
			z.Write(row)
		}
	}
	z.Close()
	file := header(width, height, f)
	if f.colorType == pngPalette {
		colors := make([]byte, 3<<f.bits)
		for i := range colors {
			colors[i] = byte(random.Uint32())
		}
		file = append(file, chunk("PLTE", colors)...)
	}
	if f.keyed {
		key := map[byte][]byte{pngGray: {0, 0}, pngRGB: {0, 0, 0, 0, 0, 0}, pngPalette: {0, 0x80}}[f.colorType]
		file = append(file, chunk("tRNS", key)...)
	}
	for packed.Len() > 0 {
		file = append(file, chunk("IDAT", packed.Next(500))...)
	}
	return append(file, chunk("IEND", nil)...)
}

// unpacked decodes an image XObject, whose data is that of a PNG file.
func unpacked(t *testing.T, i Image) image.Image {
	t.Helper()
	colorType := map[string]byte{"DeviceGray": pngGray, "DeviceRGB": pngRGB, "Indexed": pngPalette}[i.ColorSpace]
	file := header(i.Width, i.Height, pngFormat{colorType: colorType, bits: i.Bits})
	if i.Palette != nil {
		file = append(file, chunk("PLTE", i.Palette)...)
	}
	file = append(append(file, chunk("IDAT", i.Data)...), chunk("IEND", nil)...)
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// at returns a pixel that is not multiplied by its alpha, with 8 bits.
func at(m image.Image, x, y int) color.NRGBA {
	if m, ok := m.(*image.NRGBA64); ok {
		c := m.NRGBA64At(x, y)
		return color.NRGBA{uint8(c.R >> 8), uint8(c.G >> 8), uint8(c.B >> 8), uint8(c.A >> 8)}
	}
	if m, ok := m.(*image.Paletted); ok {
		if c, ok := m.At(x, y).(color.NRGBA); ok {
			return c
		}
	}
	return color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
}

func TestPNG(t *testing.T) {
	for _, f := range pngFormats() {
		for _, size := range [][2]int{{1, 1}, {3, 2}, {9, 17}, {67, 40}} {
			name := fmt.Sprintf("%+v %v", f, size)
			file := pngOf(f, size[0], size[1])
			want, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := ReadImage("image/png", file)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			comparePixels(t, name, got, want)
			transparent := f.keyed || f.colorType >= pngGrayAlpha
			if size[0] == 67 && (got.Mask != nil) != transparent {
				t.Errorf("%s: has a mask: %v, want %v", name, got.Mask != nil, transparent)
			}
		}
	}
}

// comparePixels checks that an image has the pixels of want.
func comparePixels(t *testing.T, name string, got Image, want image.Image) {
	t.Helper()
	colors := unpacked(t, got)
	var mask image.Image
	if got.Mask != nil {
		mask = unpacked(t, *got.Mask)
	}
	for y := range got.Height {
		for x := range got.Width {
			g, w := at(colors, x, y), at(want, x, y)
			if mask != nil {
				g.A = at(mask, x, y).R
			}
			if w.A == 0 {
				g = color.NRGBA{A: g.A}
				w = color.NRGBA{}
			}
			if g != w {
				t.Fatalf("%s: pixel %d, %d: got %v, want %v", name, x, y, g, w)
			}
		}
	}
}

// TestPNGIsNotCopied checks that data which PDF can express stays as it is.
func TestPNGIsNotCopied(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	got, err := ReadImage("image/png", file)
	if err != nil {
		t.Fatal(err)
	}
	data := file[bytes.Index(file, []byte("IDAT"))+4:]
	if &got.Data[0] != &data[0] || got.Filter != "FlateDecode" || !got.Predictor || got.Bits != 8 || got.ColorSpace != "DeviceGray" || got.Components() != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestOpaqueAlphaNeedsNoMask(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 5, 5))
	for i := range m.Pix {
		m.Pix[i] = 0xFF
	}
	m.Pix[3] = 0xFE // or the encoder would leave out alpha
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	got, err := ReadImage("image/png", b.Bytes())
	if err != nil || got.Mask == nil {
		t.Fatalf("with transparency: got %+v, %v", got, err)
	}
	file := append(header(1, 1, pngFormat{colorType: pngRGBA, bits: 8}), chunk("IDAT", deflated([]byte{0, 1, 2, 3, 0xFF}))...)
	if got, err = ReadImage("image/png", file); err != nil || got.Mask != nil || got.ColorSpace != "DeviceRGB" {
		t.Errorf("without: got %+v, %v", got, err)
	}
}

// deflated returns compressed data.
func deflated(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}
