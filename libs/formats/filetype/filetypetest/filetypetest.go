// Package filetypetest builds test files that no library writes.
package filetypetest

import "bytes"

const sector = 512

// Compound returns an OLE compound file ([MS-CFB]) with one stream, called name, that
// begins with content.
func Compound(name string, content ...byte) []byte {
	return compound(name, "", content)
}

// Nested is Compound with a storage, as of an embedded object, that holds another stream.
// That stream precedes the one called name.
func Nested(name, inner string, content ...byte) []byte {
	return compound(name, inner, content)
}

func compound(name, inner string, content []byte) []byte {
	file := make([]byte, 16*sector)
	put := func(at int, b ...byte) { copy(file[at:], b) }
	end := []byte{0xFE, 0xFF, 0xFF, 0xFF}
	free := bytes.Repeat([]byte{0xFF}, sector)

	put(0, 0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1)
	put(24, 0x3E, 0, 3, 0, 0xFE, 0xFF, 9, 0, 6, 0) // version 3, little endian, sectors of 512 and 64 bytes
	put(44, 1)                                     // one sector of FAT
	put(48, 1)                                     // the directory is sector 1
	put(56, 0, 0x10)                               // streams below 4096 bytes are in the mini stream
	put(60, end...)
	put(68, end...)
	put(76, free[:sector-76]...)
	put(76, 0, 0, 0, 0) // the FAT is sector 0

	put(sector, free...)
	put(sector, 0xFD, 0xFF, 0xFF, 0xFF) // sector 0 is FAT
	put(sector+4, end...)               // sector 1 is all of the directory
	for n := 2; n < 14; n++ {           // the stream is the other sectors, in order
		put(sector+4*n, byte(n+1), 0, 0, 0)
	}
	put(sector+4*14, end...)

	entry := func(n int, name string, kind, child byte, start byte, size uint16) {
		at := 2*sector + n*128
		for i, c := range []byte(name) {
			put(at+2*i, c, 0)
		}
		put(at+64, byte(2*len(name)+2), 0, kind, 1)
		put(at+68, free[:12]...) // no siblings and, unless set, no child
		if child > 0 {
			put(at+76, child, 0, 0, 0)
		}
		put(at+116, start, 0, 0, 0, byte(size), byte(size>>8))
	}
	entry(0, "Root Entry", 5, 1, 0, 0)
	put(2*sector+116, end...)
	entry(1, name, 2, 0, 2, 13*sector)
	if inner != "" {
		entry(1, inner, 2, 0, 2, 13*sector)
		entry(2, "ObjectPool", 1, 1, 0, 0)
		entry(3, name, 2, 0, 2, 13*sector)
		put(2*sector+76, 3, 0, 0, 0)       // the root's child
		put(2*sector+3*128+68, 2, 0, 0, 0) // its left sibling
	}
	put(3*sector, content...)
	return file
}
