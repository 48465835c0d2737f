package scan

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/hhrutter/tiff"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/appearance"
	"github.com/rectohq/recto/libs/formats/picture"
)

// maxImages bounds the images of a TIFF.
const maxImages = 2000

// fromTIFF is PDF for a TIFF (TIFF 6.0, Adobe, 1992). Its images are decoded, one at
// a time, and compressed again without loss.
func fromTIFF(file []byte) ([]byte, error) {
	var d newFile
	seen := map[int64]bool{}
	for at := int64(0); len(d.pages) < maxImages; {
		tags, err := readTags(file, at)
		if err != nil || seen[tags.at] {
			return nil, Damaged
		}
		seen[tags.at] = true
		i, err := tiffImage(file, tags.at)
		if err != nil {
			return nil, err
		}
		d.page(scanned{i, tags.orientation, tags.density})
		if at = tags.next; at == 0 {
			return d.write()
		}
	}
	return nil, TooLarge
}

// tiffImage returns the image whose tags are at an offset of the file.
func tiffImage(file []byte, at int64) (appearance.Image, error) {
	config, err := tiff.DecodeConfigAt(bytes.NewReader(file), at)
	switch {
	case err != nil:
		return appearance.Image{}, tiffFault(err)
	case config.Width <= 0 || config.Height <= 0:
		return appearance.Image{}, Damaged
	case config.Width > picture.MaxPixels/config.Height:
		return appearance.Image{}, TooLarge
	}
	decoded, err := tiff.DecodeAt(bytes.NewReader(file), at)
	if err != nil {
		return appearance.Image{}, tiffFault(err)
	}
	return compressed(decoded), nil
}

// tiffFault returns the Fault for an error of package tiff.
func tiffFault(err error) error {
	why := Damaged
	if _, ok := err.(tiff.UnsupportedError); ok { //nolint:errorlint // it wraps nothing
		why = Unsupported
	}
	return fmt.Errorf("%w: %w", why, err)
}

// tiffTags are what a page needs to know from the tags of an image.
type tiffTags struct {
	at, next    int64 // the offsets of these tags, and of the next image's or 0
	orientation int
	density     [2]float64
}

// The tags that are read, and their values for the unit of the density.
const (
	tagOrientation = 274
	tagDensityX    = 282
	tagDensityY    = 283
	tagUnit        = 296

	unitNone, unitInch, unitCentimeter = 1, 2, 3
)

// readTags reads the tags of the image at an offset of the file, or of the first image if the
// offset is 0.
func readTags(file []byte, at int64) (t tiffTags, err error) {
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(file, []byte("MM")) {
		order = binary.BigEndian
	}
	r := bytes.NewReader(file)
	read := func(at int64, size int) []byte {
		b := make([]byte, size)
		if _, wrong := r.ReadAt(b, at); wrong != nil {
			err = Damaged
		}
		return b
	}
	if at == 0 {
		at = int64(order.Uint32(read(4, 4)))
	}
	t.at, t.orientation = at, 1
	count := int(order.Uint16(read(at, 2)))
	entries := read(at+2, 12*count+4)
	unit := uint16(unitInch)
	for ; len(entries) >= 16; entries = entries[12:] {
		value := entries[8:]
		switch tag := order.Uint16(entries); tag {
		case tagOrientation:
			t.orientation = int(order.Uint16(value))
		case tagUnit:
			unit = order.Uint16(value)
		case tagDensityX, tagDensityY:
			fraction := read(int64(order.Uint32(value)), 8)
			t.density[tag-tagDensityX] = float64(order.Uint32(fraction)) / float64(order.Uint32(fraction[4:]))
		}
	}
	t.next = int64(order.Uint32(entries))
	scale := map[uint16]float64{unitInch: 1, unitCentimeter: 2.54}[unit]
	t.density[0], t.density[1] = t.density[0]*scale, t.density[1]*scale
	return t, err
}

// compressed returns an image of the decoded pixels: of one bit if they are black and white,
// as on most scans, else of eight bits for each color.
func compressed(decoded image.Image) appearance.Image {
	size := decoded.Bounds().Size()
	i := appearance.Image{Width: size.X, Height: size.Y, Bits: 8, Filter: "FlateDecode"}
	var pixels []byte
	switch m := decoded.(type) {
	case *image.Gray:
		i.ColorSpace = "DeviceGray"
		if pixels = bilevel(m); pixels != nil {
			i.Bits = 1
			break
		}
		pixels = packed(m.Pix, m.Stride, size.X, size.Y)
	case *image.CMYK:
		i.ColorSpace = "DeviceCMYK"
		pixels = packed(m.Pix, m.Stride, 4*size.X, size.Y)
	default:
		i.ColorSpace = "DeviceRGB"
		pixels = opaque(decoded)
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(pixels) // a Buffer never fails
	_ = z.Close()
	i.Data = b.Bytes()
	return i
}

// bilevel returns the pixels as one bit each, with rows of whole bytes, if all are black or
// white, and nil otherwise.
func bilevel(m *image.Gray) []byte {
	size := m.Bounds().Size()
	row := (size.X + 7) / 8
	out := make([]byte, row*size.Y)
	for y := range size.Y {
		for x, v := range m.Pix[y*m.Stride : y*m.Stride+size.X] {
			switch v {
			case 0:
			case 0xFF:
				out[y*row+x/8] |= 0x80 >> (x % 8)
			default:
				return nil
			}
		}
	}
	return out
}

// packed returns rows of so many bytes without what follows each.
func packed(pixels []byte, stride, row, rows int) []byte {
	if stride == row {
		return pixels[:row*rows]
	}
	out := make([]byte, 0, row*rows)
	for y := range rows {
		out = append(out, pixels[y*stride:y*stride+row]...)
	}
	return out
}

// opaque returns three bytes for each pixel, as it looks on white paper.
func opaque(m image.Image) []byte {
	size := m.Bounds().Size()
	line := image.NewRGBA(image.Rect(0, 0, size.X, 1))
	out := make([]byte, 0, 3*size.X*size.Y)
	for y := range size.Y {
		draw.Draw(line, line.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(line, line.Bounds(), m, image.Pt(m.Bounds().Min.X, m.Bounds().Min.Y+y), draw.Over)
		for x := 0; x < len(line.Pix); x += 4 {
			out = append(out, line.Pix[x:x+3]...)
		}
	}
	return out
}
