package picture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
)

// The markers that are handled (ITU-T T.81, table B.1).
const (
	markerSOF0  = 0xC0 // baseline
	markerSOF1  = 0xC1 // extended sequential
	markerSOF2  = 0xC2 // progressive
	markerDHT   = 0xC4
	markerRST0  = 0xD0
	markerRST7  = 0xD7
	markerSOI   = 0xD8
	markerEOI   = 0xD9
	markerSOS   = 0xDA
	markerDQT   = 0xDB
	markerDRI   = 0xDD
	markerAPP0  = 0xE0
	markerAPP1  = 0xE1
	markerAPP15 = 0xEF
	markerCOM   = 0xFE
)

// maxScans bounds how many passes over the pixels an image may require: a scan of a few
// bytes can cover all of them. Encoders write about ten.
const maxScans = 100

// jpegReader checks a JPEG file from its first to its last marker. It decodes every
// coefficient, but keeps only whether each one is zero, and only for progressive files.
// Bytes after the last marker are ignored.
type jpegReader struct {
	ctx  context.Context
	r    *bufio.Reader
	take func(size int64) error

	header      header
	framed      bool // the frame header has been read
	progressive bool
	components  []component
	columns     int // in MCUs
	rows        int
	dc, ac      [4]*huffman
	restart     int // MCUs between restart markers, or 0
	scans       int
}

// component is a color component of an image.
type component struct {
	id   byte
	h, v int // sampling factors
	// columns and rows count the blocks that hold pixels.
	columns, rows int
	// stride is the number of blocks in a row, including those that pad the last MCU.
	stride int
	// nonZero has a bit for each coefficient of each block of a progressive file.
	nonZero []uint64
	// begun is set once the first coefficient has been read.
	begun bool
}

// checkJPEG reads all of a JPEG file.
func (c *Checker) checkJPEG(ctx context.Context, r io.Reader) (header, error) {
	release := func() {}
	defer func() { release() }()
	j := &jpegReader{ctx: ctx, r: bufio.NewReaderSize(r, 16<<10), header: header{orientation: upright}}
	j.take = func(size int64) (err error) {
		release, err = c.take(ctx, size)
		if err != nil {
			release = func() {}
		}
		return err
	}
	for ended := false; !ended; {
		marker, err := nextMarker(j.r)
		if err != nil {
			return header{}, err
		}
		ended = marker == markerEOI
		if err := j.readSegment(marker); err != nil {
			return header{}, err
		}
	}
	return j.header, j.whole()
}

// whole returns an error if an image that has ended is incomplete.
func (j *jpegReader) whole() error {
	for _, c := range j.components {
		if !c.begun {
			return refuse(Corrupt, "lacks some of its color components")
		}
	}
	if !j.framed {
		return refuse(Corrupt, "has no pixels")
	}
	return nil
}

// readSegment reads the segment of a marker.
func (j *jpegReader) readSegment(marker byte) error {
	if markerRST0 <= marker && marker <= markerEOI {
		return nil // markers without a segment; a restart after the last scan is harmless
	}
	data, err := j.segment()
	if err != nil {
		return err
	}
	switch {
	case marker == markerSOF0 || marker == markerSOF1 || marker == markerSOF2:
		return j.readFrame(data, marker == markerSOF2)
	case marker == markerDHT:
		return j.readHuffman(data)
	case marker == markerDQT:
		return checkQuantization(data)
	case marker == markerDRI && len(data) == 2:
		j.restart = int(binary.BigEndian.Uint16(data))
		return nil
	case marker == markerSOS:
		return j.readScan(data)
	case marker == markerAPP1 && bytes.HasPrefix(data, []byte("Exif\x00\x00")):
		j.header.orientation = orientation(data[6:])
		return nil
	case markerAPP0 <= marker && marker <= markerAPP15 || marker == markerCOM:
		return nil
	case marker > markerSOF2 && marker < markerRST0:
		return refuse(Corrupt, "uses an unsupported compression: save it as a baseline or progressive JPEG")
	default:
		return refuse(Corrupt, "is damaged: it has a segment of an unknown type")
	}
}

// segment reads the data of a segment.
func (j *jpegReader) segment() ([]byte, error) {
	var length [2]byte
	if _, err := io.ReadFull(j.r, length[:]); err != nil {
		return nil, cut(err)
	}
	n := int(binary.BigEndian.Uint16(length[:]))
	if n < 2 {
		return nil, refuse(Corrupt, "is damaged: one of its segments has no length")
	}
	data := make([]byte, n-2)
	_, err := io.ReadFull(j.r, data)
	return data, cut(err)
}

// errFrame is the error for an invalid frame header.
var errFrame = refuse(Corrupt, "is damaged: its header is invalid")

// readFrame reads the size of the image and its components (section B.2.2).
func (j *jpegReader) readFrame(data []byte, progressive bool) error {
	if j.framed || len(data) < 6 || len(data) != 6+3*int(data[5]) {
		return errFrame
	}
	if n := data[5]; data[0] != 8 || n != 1 && n != 3 && n != 4 {
		return refuse(Corrupt, "uses an unsupported format: save it with 8 bits for each of 1, 3 or 4 colors")
	}
	j.framed, j.progressive = true, progressive
	j.header.height, j.header.width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
	if err := j.header.check(); err != nil {
		return err
	}
	for c := data[6:]; len(c) > 0; c = c[3:] {
		h, v := int(c[1]>>4), int(c[1]&15)
		if h < 1 || h > 4 || v < 1 || v > 4 || c[2] > 3 || j.component(c[0]) != nil {
			return errFrame
		}
		j.components = append(j.components, component{id: c[0], h: h, v: v})
	}
	return j.layOut()
}

// component returns the component with the ID, or nil if there is none.
func (j *jpegReader) component(id byte) *component {
	for i := range j.components {
		if j.components[i].id == id {
			return &j.components[i]
		}
	}
	return nil
}

// layOut computes how many blocks each component has (sections A.1.1 and A.2), and
// allocates the bits kept for them.
func (j *jpegReader) layOut() error {
	if len(j.components) == 1 { // the sampling factors have no effect then (section A.2.2)
		j.components[0].h, j.components[0].v = 1, 1
	}
	h, v := 1, 1
	for _, c := range j.components {
		h, v = max(h, c.h), max(v, c.v)
	}
	j.columns, j.rows = parts(j.header.width, 8*h), parts(j.header.height, 8*v)
	blocks := 0
	for i := range j.components {
		c := &j.components[i]
		c.columns, c.rows = parts(parts(j.header.width*c.h, h), 8), parts(parts(j.header.height*c.v, v), 8)
		c.stride = j.columns * c.h
		blocks += c.stride * j.rows * c.v
	}
	if !j.progressive {
		return nil
	}
	if err := j.take(int64(blocks) * 8); err != nil {
		return err
	}
	for i := range j.components {
		c := &j.components[i]
		c.nonZero = make([]uint64, c.stride*j.rows*c.v)
	}
	return nil
}

// parts returns n divided by size, rounded up.
func parts(n, size int) int { return (n + size - 1) / size }

// readHuffman reads Huffman tables (section B.2.4.2).
func (j *jpegReader) readHuffman(data []byte) error {
	for len(data) > 0 {
		bad := refuse(Corrupt, "is damaged: one of its tables is invalid")
		if len(data) < 17 || data[0]>>4 > 1 || data[0]&15 > 3 {
			return bad
		}
		n := 17
		for _, count := range data[1:17] {
			n += int(count)
		}
		if n > 17+256 || n > len(data) {
			return bad
		}
		h, ok := newHuffman(data[1:17], data[17:n])
		if !ok {
			return bad
		}
		if data[0]>>4 == 0 {
			j.dc[data[0]&15] = h
		} else {
			j.ac[data[0]&15] = h
		}
		data = data[n:]
	}
	return nil
}

// checkQuantization checks the form of quantization tables (section B.2.4.1).
func checkQuantization(data []byte) error {
	for len(data) > 0 {
		n := 1 + 64*(1+int(data[0]>>4))
		if data[0]>>4 > 1 || data[0]&15 > 3 || n > len(data) {
			return refuse(Corrupt, "is damaged: one of its tables is invalid")
		}
		data = data[n:]
	}
	return nil
}
