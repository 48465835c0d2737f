package appearance

import (
	"encoding/binary"
	"math/bits"
)

// cmykJPEG returns a CMYK picture of 64 × 32 pixels in the form that Adobe programs write:
// the components are inverted. Its quarters have four colors. Package image/jpeg cannot
// encode CMYK. Blocks of one color need only their DC coefficients; see ITU-T T.81, F.1.2.1.
func cmykJPEG() []byte {
	const columns, rows = 8, 4 // in blocks of 8 × 8 pixels
	quarters := [2][2][4]byte{{{255, 20, 20, 255}, {20, 255, 20, 255}}, {{255, 255, 255, 60}, {255, 255, 255, 255}}}
	w := jpegWriter{out: []byte{0xFF, 0xD8}}
	w.segment(0xEE, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0))
	w.segment(0xDB, append(make([]byte, 1), ones(64)...)) // every quantizer is 1
	w.segment(0xC0, []byte{8, 0, rows * 8, 0, columns * 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0})
	w.segment(0xC4, []byte{0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) // DC: four bits for each size
	w.segment(0xC4, []byte{0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})                                  // AC: one bit for the end of a block
	w.segment(0xDA, []byte{4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0})
	var last [4]int
	for y := range rows {
		for x := range columns {
			for i, value := range quarters[y/(rows/2)][x/(columns/2)] {
				dc := 8 * (int(value) - 128)
				w.difference(dc - last[i])
				w.bits(0, 1)
				last[i] = dc
			}
		}
	}
	w.bits(0x7F, 7) // fills the last byte
	return append(w.out, 0xFF, 0xD9)
}

func ones(n int) []byte {
	all := make([]byte, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

// jpegWriter writes the segments and the entropy-coded data of a JPEG file.
type jpegWriter struct {
	out []byte
	// pending are the last count bits that do not fill a byte yet.
	pending, count uint
}

func (w *jpegWriter) segment(marker byte, data []byte) {
	w.out = append(w.out, 0xFF, marker)
	w.out = binary.BigEndian.AppendUint16(w.out, uint16(len(data)+2))
	w.out = append(w.out, data...)
}

// bits writes the low n bits of value, at most 16.
func (w *jpegWriter) bits(value, n uint) {
	w.pending, w.count = w.pending<<n|value&(1<<n-1), w.count+n
	for ; w.count >= 8; w.count -= 8 {
		b := byte(w.pending >> (w.count - 8))
		if w.out = append(w.out, b); b == 0xFF {
			w.out = append(w.out, 0) // so that it is no marker
		}
	}
}

// difference writes a difference between DC coefficients: its size, and then its bits.
func (w *jpegWriter) difference(d int) {
	magnitude, value := d, d
	if d < 0 {
		magnitude, value = -d, d-1
	}
	size := uint(bits.Len(uint(magnitude)))
	w.bits(size, 4)
	w.bits(uint(value), size)
}
