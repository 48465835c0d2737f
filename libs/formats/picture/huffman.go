package picture

import (
	"bufio"
	"errors"
	"io"
)

// huffman is a Huffman table (ITU-T T.81, annex C).
type huffman struct {
	// short maps the next eight bits to the length of the code at their beginning and, in
	// the lower byte, its value; it is 0 for a longer code.
	short [256]uint16
	// last is the last code of each length, or -1 if there is none. Adding offset to a
	// code yields its index in values.
	last, offset [17]int32
	values       []byte
}

// newHuffman builds a table from the number of codes of each length, from 1 to 16, and
// their values.
func newHuffman(counts, values []byte) (*huffman, bool) {
	h := &huffman{values: values}
	code, index := int32(0), int32(0)
	for length := 1; length <= 16; length++ {
		n := int32(counts[length-1])
		if code+n > 1<<length {
			return nil, false
		}
		h.offset[length], h.last[length] = index-code, code+n-1
		if n == 0 {
			h.last[length] = -1
		}
		for range n {
			if length <= 8 {
				h.shorten(code, length, values[index])
			}
			code, index = code+1, index+1
		}
		code <<= 1
	}
	return h, true
}

// shorten enters a code of at most eight bits, for all bits that may follow it.
func (h *huffman) shorten(code int32, length int, value byte) {
	first := int(code) << (8 - length)
	for i := range 1 << (8 - length) {
		h.short[first+i] = uint16(length)<<8 | uint16(value)
	}
}

// bitReader reads the entropy-coded data of a scan, up to the next marker.
type bitReader struct {
	r *bufio.Reader
	// bits holds, in its lowest n bits, the data that has been read but not used.
	bits uint64
	n    int
	// ended is set if a marker comes next.
	ended bool
}

// fill reads until there are more than 32 bits or the data ends.
func (b *bitReader) fill() error {
	for b.n <= 32 && !b.ended {
		next, err := b.r.Peek(8)
		used := b.add(next)
		if _, err := b.r.Discard(used); err != nil {
			return err
		}
		if used == 0 && !b.ended {
			return cut(err)
		}
	}
	return nil
}

// add consumes bytes of data and returns how many. A 0xFF before a zero is data, a 0xFF
// before another 0xFF is padding, and any other 0xFF begins a marker.
func (b *bitReader) add(data []byte) int {
	for i := 0; i < len(data); i++ {
		if b.n > 48 {
			return i
		}
		if data[i] == 0xFF {
			switch {
			case i+1 == len(data):
				return i
			case data[i+1] == 0xFF:
				continue
			case data[i+1] != 0:
				b.ended = true
				return i
			}
			b.bits, b.n = b.bits<<8|0xFF, b.n+8
			i++
			continue
		}
		b.bits, b.n = b.bits<<8|uint64(data[i]), b.n+8
	}
	return len(data)
}

// errBits is the error for a scan that has fewer bits than its pixels need, or invalid
// ones.
var errBits = refuse(Corrupt, "is damaged: its pixels cannot be decompressed")

// take returns the next n bits, at most 16.
func (b *bitReader) take(n int) (int32, error) {
	if b.n < n {
		if err := b.fill(); err != nil {
			return 0, err
		}
		if b.n < n {
			return 0, errBits
		}
	}
	b.n -= n
	return int32(b.bits>>b.n) & (1<<n - 1), nil
}

// decode returns the value of the next code of h.
func (b *bitReader) decode(h *huffman) (byte, error) {
	if h == nil {
		return 0, refuse(Corrupt, "is damaged: one of its tables is missing")
	}
	if b.n < 16 {
		if err := b.fill(); err != nil {
			return 0, err
		}
	}
	var next int32 // 16 bits, zero-padded after the end
	if b.n >= 16 {
		next = int32(b.bits>>(b.n-16)) & 0xFFFF
	} else {
		next = int32(b.bits<<(16-b.n)) & 0xFFFF
	}
	length, value := h.lookUp(next)
	if length == 0 || length > b.n {
		return 0, errBits
	}
	b.n -= length
	return value, nil
}

// lookUp returns the length and the value of the code at the beginning of the 16 bits of
// next, or a length of 0 if there is none.
func (h *huffman) lookUp(next int32) (int, byte) {
	if short := h.short[next>>8]; short != 0 {
		return int(short >> 8), byte(short)
	}
	for length := 9; length <= 16; length++ {
		if code := next >> (16 - length); code <= h.last[length] {
			return length, h.values[code+h.offset[length]]
		}
	}
	return 0, 0
}

// align discards the bits up to the next byte and those read ahead, which never include a
// marker.
func (b *bitReader) align() { b.bits, b.n, b.ended = 0, 0, false }

// nextMarker reads up to and including the next marker. Like all decoders, it skips bytes
// between segments.
func nextMarker(r *bufio.Reader) (byte, error) {
	for {
		c, err := r.ReadByte()
		for err == nil && c != 0xFF {
			c, err = r.ReadByte()
		}
		for err == nil && c == 0xFF {
			c, err = r.ReadByte()
		}
		switch {
		case errors.Is(err, io.EOF):
			return 0, cut(err)
		case err != nil:
			return 0, err
		case c != 0:
			return c, nil
		}
	}
}
