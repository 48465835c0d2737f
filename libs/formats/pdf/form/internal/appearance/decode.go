package appearance

import (
	"bytes"
	"compress/zlib"
	"io"
)

// decode decodes a PNG row by row, and makes an image of 8 bits with a soft mask. It holds
// only some rows and the compressed results in memory.
func (f *pngFile) decode() (Image, error) {
	rows, err := f.open()
	if err != nil {
		return Image{}, err
	}
	gray := f.colorType == pngGray || f.colorType == pngGrayAlpha
	space, n := "DeviceRGB", 3
	if gray {
		space, n = "DeviceGray", 1
	}
	level := zlib.DefaultCompression
	if f.width*f.height > fewPixels {
		level = zlib.BestSpeed
	}
	colors, alphas := newEncoder(f.width, n, level), newEncoder(f.width, 1, level)
	opaque := true
	for y := range f.height {
		for _, r := range rows {
			if err := r.read(y); err != nil {
				return Image{}, err
			}
			opaque = f.paint(r, colors.row, alphas.row) && opaque
		}
		colors.encode()
		alphas.encode()
	}
	image := Image{Width: f.width, Height: f.height, Bits: 8, Filter: "FlateDecode", Predictor: true}
	mask := image
	image.ColorSpace, image.Data = space, colors.finish()
	mask.ColorSpace, mask.Data = "DeviceGray", alphas.finish()
	if !opaque {
		image.Mask = &mask
	}
	return image, nil
}

// fewPixels is the size up to which images are compressed well rather than fast.
const fewPixels = 4_000_000

// pass is one of the reduced images of an interlaced image (section 8.2), or the only one
// of another image. It has a decompressor of its own, so that the rows of all passes can be
// read side by side, and no more than a row of each is held in memory.
type pass struct {
	x, y, dx, dy  int // the first pixel, and the distances between pixels
	width, height int
	rows          io.Reader
	// row and above are the bytes of a row after its filter type, and of the row above.
	row, above []byte
	filter     [1]byte
	// pixel is the number of bytes from a sample to that of the pixel before.
	pixel int
	// ready is set if row belongs to the current row of the image.
	ready bool
}

// adam7 are the passes of an interlaced image.
var adam7 = []pass{
	{x: 0, y: 0, dx: 8, dy: 8}, {x: 4, y: 0, dx: 8, dy: 8}, {x: 0, y: 4, dx: 4, dy: 8}, {x: 2, y: 0, dx: 4, dy: 4},
	{x: 0, y: 2, dx: 2, dy: 4}, {x: 1, y: 0, dx: 2, dy: 2}, {x: 0, y: 1, dx: 1, dy: 2},
}

// open starts to decompress all passes. Those without pixels are left out.
func (f *pngFile) open() ([]*pass, error) {
	passes := []pass{{dx: 1, dy: 1}}
	if f.interlaced {
		passes = adam7
	}
	var open []*pass
	skip := int64(0)
	for _, p := range passes {
		p.width, p.height = (f.width-p.x+p.dx-1)/p.dx, (f.height-p.y+p.dy-1)/p.dy
		if p.width <= 0 || p.height <= 0 {
			continue
		}
		bits := f.channels() * f.bits
		p.pixel = (bits + 7) / 8
		p.row, p.above = make([]byte, (p.width*bits+7)/8), make([]byte, (p.width*bits+7)/8)
		r, err := zlib.NewReader(bytes.NewReader(f.pixels))
		if err != nil {
			return nil, errDamaged
		}
		if _, err := io.CopyN(io.Discard, r, skip); err != nil {
			return nil, errDamaged
		}
		p.rows = r
		skip += int64(p.height) * int64(1+len(p.row))
		open = append(open, &p)
	}
	return open, nil
}

// read reads the row of a pass that belongs to row y of the image, if there is one.
func (p *pass) read(y int) error {
	p.ready = y >= p.y && (y-p.y)%p.dy == 0
	if !p.ready {
		return nil
	}
	p.row, p.above = p.above, p.row
	if _, err := io.ReadFull(p.rows, p.filter[:]); err != nil {
		return errDamaged
	}
	if _, err := io.ReadFull(p.rows, p.row); err != nil {
		return errDamaged
	}
	return p.unfilter()
}

// unfilter restores a row (section 9.2).
func (p *pass) unfilter() error {
	row, above, n := p.row, p.above, p.pixel
	switch p.filter[0] {
	case 0:
	case 1:
		for i := n; i < len(row); i++ {
			row[i] += row[i-n]
		}
	case 2:
		for i := range row {
			row[i] += above[i]
		}
	case 3:
		for i := range row {
			left := 0
			if i >= n {
				left = int(row[i-n])
			}
			row[i] += byte((left + int(above[i])) / 2)
		}
	case 4:
		for i := range row {
			if i < n {
				row[i] += above[i]
			} else {
				row[i] += paeth(row[i-n], above[i], above[i-n])
			}
		}
	default:
		return errDamaged
	}
	return nil
}

// paeth returns whichever of the left, upper and upper left sample is closest to
// left + up - corner (section 9.4).
func paeth(left, up, corner byte) byte {
	a, b := int(up)-int(corner), int(left)-int(corner)
	c := max(a+b, -a-b)
	a, b = max(a, -a), max(b, -b)
	switch {
	case a <= b && a <= c:
		return left
	case b <= c:
		return up
	default:
		return corner
	}
}

// encoder compresses rows with PNG prediction.
type encoder struct {
	row     []byte
	coded   []byte
	out     bytes.Buffer
	zlib    *zlib.Writer
	channel int
}

// newEncoder returns an encoder of rows with n samples for each pixel.
func newEncoder(width, n, level int) *encoder {
	e := &encoder{row: make([]byte, width*n), coded: make([]byte, 1+width*n), channel: n}
	// The level is one that exists, and writing to memory cannot fail.
	e.zlib, _ = zlib.NewWriterLevel(&e.out, level)
	return e
}

// encode compresses e.row as the differences to the pixels on the left.
func (e *encoder) encode() {
	const left = 1
	e.coded[0] = left
	copy(e.coded[1:], e.row[:e.channel])
	for i := e.channel; i < len(e.row); i++ {
		e.coded[1+i] = e.row[i] - e.row[i-e.channel]
	}
	_, _ = e.zlib.Write(e.coded)
}

// finish returns the compressed data.
func (e *encoder) finish() []byte {
	_ = e.zlib.Close()
	return e.out.Bytes()
}
