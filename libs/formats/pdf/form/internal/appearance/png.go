package appearance

import (
	"bytes"
	"encoding/binary"
)

// The color types of PNG (ISO/IEC 15948, section 11.2.2).
const (
	pngGray      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGrayAlpha = 4
	pngRGBA      = 6
)

// pngFile is what a PNG file consists of.
type pngFile struct {
	width, height int
	bits          int
	colorType     byte
	interlaced    bool
	// palette holds three bytes for each color. transparency is the data of tRNS: the
	// alpha of each color of the palette, or the color that is transparent.
	palette, transparency []byte
	// pixels is the data of all IDAT chunks.
	pixels []byte
}

// readPNG makes an image of a PNG file. PDF knows PNG's compression and prediction, so the
// data can stay as it is unless the image has transparency, interlacing, or 16 bits.
func readPNG(data []byte) (Image, error) {
	f, err := parsePNG(data)
	if err != nil {
		return Image{}, err
	}
	if f.interlaced || f.bits > 8 || f.colorType >= pngGrayAlpha || f.transparency != nil {
		return f.decode()
	}
	i := Image{Width: f.width, Height: f.height, Bits: f.bits, Filter: "FlateDecode", Predictor: true, Data: f.pixels}
	switch f.colorType {
	case pngGray:
		i.ColorSpace = "DeviceGray"
	case pngRGB:
		i.ColorSpace = "DeviceRGB"
	case pngPalette:
		i.ColorSpace, i.Palette = "Indexed", f.palette
	}
	return i, nil
}

// maxChunks bounds the number of chunks. Encoders write IDAT chunks of 8 kB or more.
const maxChunks = 1 << 20

// parsePNG reads the chunks of a PNG file. It ignores their checksums.
func parsePNG(data []byte) (*pngFile, error) {
	rest, ok := bytes.CutPrefix(data, []byte("\x89PNG\r\n\x1a\n"))
	if !ok {
		return nil, errDamaged
	}
	var f pngFile
	parts := 0
	for range maxChunks {
		if len(rest) < 12 {
			break
		}
		size := int64(binary.BigEndian.Uint32(rest))
		if size > int64(len(rest)-12) {
			break
		}
		kind, chunk := string(rest[4:8]), rest[8:8+size]
		rest = rest[12+size:]
		switch kind {
		case "IHDR":
			if err := f.readHeader(chunk); err != nil {
				return nil, err
			}
		case "PLTE":
			f.palette = chunk
		case "tRNS":
			f.transparency = chunk
		case "IDAT":
			f.add(chunk, parts)
			parts++
		case "IEND":
			rest = nil
		}
	}
	return &f, f.check()
}

// add adds the data of an IDAT chunk. A single chunk is not copied.
func (f *pngFile) add(chunk []byte, parts int) {
	if parts == 0 {
		f.pixels = chunk[:len(chunk):len(chunk)]
		return
	}
	f.pixels = append(f.pixels, chunk...)
}

// readHeader reads IHDR.
func (f *pngFile) readHeader(chunk []byte) error {
	if len(chunk) != 13 || f.width != 0 || chunk[10] != 0 || chunk[11] != 0 || chunk[12] > 1 {
		return errDamaged
	}
	const most = 1<<31 - 1
	w, h := binary.BigEndian.Uint32(chunk), binary.BigEndian.Uint32(chunk[4:])
	if w > most || h > most {
		return errDamaged
	}
	f.width, f.height = int(w), int(h)
	f.bits, f.colorType, f.interlaced = int(chunk[8]), chunk[9], chunk[12] == 1
	if f.channels() == 0 {
		return errDamaged
	}
	return Image{Width: f.width, Height: f.height}.sized()
}

// channels returns the number of samples of a pixel, or 0 if the color type and the number
// of bits do not go together (section 11.2.2, table 11.1).
func (f *pngFile) channels() int {
	few := f.bits == 1 || f.bits == 2 || f.bits == 4
	many := f.bits == 8 || f.bits == 16
	switch {
	case f.colorType == pngGray && (few || many), f.colorType == pngPalette && (few || f.bits == 8):
		return 1
	case f.colorType == pngGrayAlpha && many:
		return 2
	case f.colorType == pngRGB && many:
		return 3
	case f.colorType == pngRGBA && many:
		return 4
	default:
		return 0
	}
}

// check checks that the chunks form an image.
func (f *pngFile) check() error {
	n := len(f.palette)
	switch {
	case f.width == 0 || len(f.pixels) == 0:
		return errDamaged
	case f.colorType == pngPalette && (n == 0 || n%3 != 0 || n > 3*256):
		return errDamaged
	case f.colorType == pngGray && f.transparency != nil && len(f.transparency) != 2:
		return errDamaged
	case f.colorType == pngRGB && f.transparency != nil && len(f.transparency) != 6:
		return errDamaged
	}
	return nil
}
