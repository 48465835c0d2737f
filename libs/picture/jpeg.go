package picture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image/jpeg"
	"io"
	"sync"

	"golang.org/x/sync/semaphore"
)

// memory bounds what images take that are decoded at the same time, in bytes.
const memory = 128 << 20

// Checker checks images, with a bound on the memory that it takes for all of
// them together. Several goroutines may use it at once. The zero Checker is ready
// to use.
type Checker struct {
	once sync.Once
	free *semaphore.Weighted
}

// take waits until size bytes may be used, and returns what gives them back.
func (c *Checker) take(ctx context.Context, size int64) (func(), error) {
	c.once.Do(func() { c.free = semaphore.NewWeighted(memory) })
	size = min(size, memory)
	if err := c.free.Acquire(ctx, size); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { c.free.Release(size) }, nil
}

// The markers that are looked for (ITU-T T.81, table B.1).
const (
	markerSOF0 = 0xC0
	markerSOF2 = 0xC2
	markerEOI  = 0xD9
	markerSOS  = 0xDA
	markerAPP1 = 0xE1
	markerRST0 = 0xD0
	markerTEM  = 0x01
)

// checkJPEG reads all of a JPEG file, which open returns and of which r is one.
func (c *Checker) checkJPEG(ctx context.Context, open func() io.Reader, r io.Reader) (header, error) {
	h, need, err := readJPEGHeader(r)
	if err != nil {
		return header{}, err
	}
	release, err := c.take(ctx, need)
	if err != nil {
		return header{}, err
	}
	defer release()
	_, err = jpeg.Decode(&interruptible{ctx: ctx, r: open()})
	var format jpeg.FormatError
	var unsupported jpeg.UnsupportedError
	switch {
	case errors.As(err, &format):
		return header{}, refuse(Corrupt, "is damaged: %s", string(format))
	case errors.As(err, &unsupported):
		return header{}, refuse(Corrupt, "cannot be decoded: %s", string(unsupported))
	case err != nil:
		return header{}, cut(err)
	default:
		return h, nil
	}
}

// readJPEGHeader reads up to the first pixels. Need is what it takes to decode
// them, in bytes.
func readJPEGHeader(r io.Reader) (h header, need int64, err error) {
	b := bufio.NewReader(r)
	h.orientation = upright
	for {
		marker, data, err := nextSegment(b)
		if err != nil {
			return h, 0, err
		}
		switch {
		case marker == markerSOS || marker == markerEOI:
			return h, need, h.check()
		case marker == markerAPP1 && bytes.HasPrefix(data, []byte("Exif\x00\x00")):
			h.orientation = orientation(data[6:])
		case markerSOF0 <= marker && marker <= markerSOF2 && len(data) >= 6:
			h.height, h.width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
			perSample := int64(1)
			if marker == markerSOF2 { // all coefficients are kept until the last scan
				perSample = 5
			}
			need = int64(h.width) * int64(h.height) * int64(data[5]) * perSample
		}
	}
}

// nextSegment reads a marker and the data that belongs to it, if any.
func nextSegment(r *bufio.Reader) (marker byte, data []byte, err error) {
	for marker != 0xFF { // what stands between segments is skipped, as decoders do
		if marker, err = r.ReadByte(); err != nil {
			return 0, nil, cut(err)
		}
	}
	for marker == 0xFF {
		if marker, err = r.ReadByte(); err != nil {
			return 0, nil, cut(err)
		}
	}
	if marker == 0 || marker == markerTEM || markerRST0 <= marker && marker <= markerEOI {
		return marker, nil, nil
	}
	var length [2]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return 0, nil, cut(err)
	}
	n := int(binary.BigEndian.Uint16(length[:]))
	if n < 2 {
		return 0, nil, refuse(Corrupt, "is damaged: a part of it has no length")
	}
	data = make([]byte, n-2)
	_, err = io.ReadFull(r, data)
	return marker, data, cut(err)
}
