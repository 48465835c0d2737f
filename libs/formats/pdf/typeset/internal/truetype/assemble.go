package truetype

import (
	"encoding/binary"
	"maps"
	"slices"
)

// assemble writes a font file with checksums.
func assemble(tables map[string][]byte) []byte {
	tags := slices.Sorted(maps.Keys(tables))
	power, exponent := 1, 0
	for power*2 <= len(tags) {
		power, exponent = power*2, exponent+1
	}
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{len(tags), 16 * power, exponent, 16 * (len(tags) - power)} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	offset := 12 + 16*len(tags)
	for _, tag := range tags {
		out = append(out, tag...)
		out = binary.BigEndian.AppendUint32(out, checksum(tables[tag]))
		out = binary.BigEndian.AppendUint32(out, uint32(offset))
		out = binary.BigEndian.AppendUint32(out, uint32(len(tables[tag])))
		offset += (len(tables[tag]) + 3) &^ 3
	}
	head := -1
	for _, tag := range tags {
		if tag == "head" {
			head = len(out)
		}
		out = append(out, tables[tag]...)
		out = append(out, make([]byte, -len(out)&3)...)
	}
	if head >= 0 {
		const magic = 0xB1B0AFBA
		binary.BigEndian.PutUint32(out[head+8:], 0)
		binary.BigEndian.PutUint32(out[head+8:], magic-checksum(out))
	}
	return out
}

func checksum(data []byte) uint32 {
	var sum uint32
	for len(data) >= 4 {
		sum += binary.BigEndian.Uint32(data)
		data = data[4:]
	}
	var last [4]byte
	copy(last[:], data)
	return sum + binary.BigEndian.Uint32(last[:])
}
