package picture

import (
	"bytes"
	"encoding/binary"
)

const (
	// maxExif bounds how much of the metadata is read, in bytes.
	maxExif = 64 << 10
	// maxTags bounds how many of its tags are read.
	maxTags = 1000
	// upright is the orientation of an image that declares none.
	upright = 1
)

// orientation returns the orientation in Exif data, which is a TIFF file (Exif 2.32,
// section 4.6.4, tag 0x0112). It returns upright if there is none or it cannot be read:
// bad metadata does not make an image corrupt.
func orientation(tiff []byte) int {
	var order binary.ByteOrder
	switch {
	case len(tiff) < 8:
		return upright
	case bytes.HasPrefix(tiff, []byte("II*\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	default:
		return upright
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return upright
	}
	tags := tiff[at+2:]
	for n := min(order.Uint16(tiff[at:]), maxTags); n > 0 && len(tags) >= 12; n-- {
		const short = 3
		if order.Uint16(tags) == 0x0112 && order.Uint16(tags[2:]) == short {
			if o := order.Uint16(tags[8:]); 1 <= o && o <= 8 {
				return int(o)
			}
			return upright
		}
		tags = tags[12:]
	}
	return upright
}
