package appearance

import (
	"bytes"
	"errors"
	"fmt"
)

// maxPixels bounds the size of an image.
const maxPixels = 50_000_000

// Image is an image XObject.
type Image struct {
	// Width and Height are in pixels. Bits is /BitsPerComponent.
	Width, Height, Bits int
	// ColorSpace is DeviceGray, DeviceRGB, DeviceCMYK or Indexed.
	ColorSpace string
	// Palette holds the colors of an Indexed image, three bytes each, for
	// [/Indexed /DeviceRGB len(Palette)/3-1 <Palette>].
	Palette []byte
	// Filter is DCTDecode or FlateDecode; Data is encoded by it.
	Filter string
	// Predictor reports whether PNG prediction was applied before the filter. /DecodeParms
	// must then have /Predictor 15, /Colors Components(), /BitsPerComponent Bits, and
	// /Columns Width.
	Predictor bool
	Data      []byte
	// Decode is the /Decode array, nil if the default holds.
	Decode []float64
	// Mask is the soft mask (/SMask), or nil.
	Mask *Image
}

// Components returns the number of components of a pixel as stored.
func (i Image) Components() int {
	switch i.ColorSpace {
	case "DeviceRGB":
		return 3
	case "DeviceCMYK":
		return 4
	default:
		return 1
	}
}

// ReadImage makes an image XObject of a file of type image/jpeg or image/png. The data of a
// JPEG, and of most PNGs, is not decoded but refers to the bytes of the file.
func ReadImage(mediaType string, data []byte) (Image, error) {
	switch mediaType {
	case "image/jpeg":
		return readJPEG(data)
	case "image/png":
		return readPNG(data)
	default:
		return Image{}, fmt.Errorf("a picture of type %q cannot be drawn: use image/jpeg or image/png", mediaType)
	}
}

// The errors for pictures that cannot be drawn.
var (
	errDamaged     = errors.New("the picture is damaged: save it again")
	errSize        = fmt.Errorf("the picture has no pixels, or more than %d", maxPixels)
	errCompression = errors.New("the picture uses an unsupported compression: save it as a baseline or progressive JPEG with 8 bits for each of 1, 3 or 4 colors")
)

// sized checks the size of an image.
func (i Image) sized() error {
	if i.Width <= 0 || i.Height <= 0 || int64(i.Width)*int64(i.Height) > maxPixels {
		return errSize
	}
	return nil
}

// readJPEG reads the header of a JPEG file (ITU-T T.81, annex B).
func readJPEG(data []byte) (Image, error) {
	if !bytes.HasPrefix(data, []byte{0xFF, 0xD8}) {
		return Image{}, errDamaged
	}
	adobe := false
	for rest := data[2:]; ; {
		marker, segment, next, ok := nextSegment(rest)
		if !ok {
			return Image{}, errDamaged
		}
		rest = next
		switch {
		case marker == 0xEE && bytes.HasPrefix(segment, []byte("Adobe")):
			adobe = true
		case marker == 0xC4 || marker == 0xC8 || marker == 0xCC: // tables and extensions
		case 0xC0 <= marker && marker <= 0xCF:
			return frame(data, marker, segment, adobe || adobeFollows(rest))
		case marker == 0xD9 || marker == 0xDA: // the end, or a scan without a frame
			return Image{}, errDamaged
		}
	}
}

// nextSegment returns the next marker of a JPEG file, and its segment.
func nextSegment(data []byte) (marker byte, segment, rest []byte, ok bool) {
	at := bytes.IndexByte(data, 0xFF)
	if at < 0 {
		return 0, nil, nil, false
	}
	for data = data[at:]; len(data) > 0 && data[0] == 0xFF; {
		data = data[1:]
	}
	if len(data) == 0 {
		return 0, nil, nil, false
	}
	marker = data[0]
	if marker <= 0x01 || 0xD0 <= marker && marker <= 0xD9 { // markers without a segment
		return marker, nil, data[1:], true
	}
	if len(data) < 3 {
		return 0, nil, nil, false
	}
	size := int(data[1])<<8 | int(data[2])
	if size < 2 || 1+size > len(data) {
		return 0, nil, nil, false
	}
	return marker, data[3 : 1+size], data[1+size:], true
}

// adobeFollows reports whether Adobe's segment stands between the frame and the pixels.
func adobeFollows(data []byte) bool {
	for {
		marker, segment, rest, ok := nextSegment(data)
		if !ok || marker == 0xDA || marker == 0xD9 {
			return false
		}
		if marker == 0xEE && bytes.HasPrefix(segment, []byte("Adobe")) {
			return true
		}
		data = rest
	}
}

// frame makes the image of a JPEG file from the segment of its frame.
func frame(data []byte, marker byte, segment []byte, adobe bool) (Image, error) {
	if len(segment) < 6 {
		return Image{}, errDamaged
	}
	i := Image{
		Width:  int(segment[3])<<8 | int(segment[4]),
		Height: int(segment[1])<<8 | int(segment[2]),
		Bits:   8,
		Filter: "DCTDecode",
		Data:   data,
	}
	i.ColorSpace = map[byte]string{1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK"}[segment[5]]
	if marker > 0xC2 || segment[0] != 8 || i.ColorSpace == "" {
		return Image{}, errCompression
	}
	// Adobe stores the complements of CMYK.
	if i.ColorSpace == "DeviceCMYK" && adobe {
		i.Decode = []float64{1, 0, 1, 0, 1, 0, 1, 0}
	}
	return i, i.sized()
}
