package fonts

import (
	"encoding/binary"
	"io"
	"slices"
	"unicode/utf16"
)

// Bounds of files of fonts.
const (
	maxInFile  = 64
	maxTables  = 256
	maxTable   = 1 << 20
	maxRecords = 2000
)

// Identifiers of names in a font.
const (
	nameFamily      = 1
	namePostScript  = 6
	nameTypographic = 16
	nameWWS         = 21
)

// face is one font of a file. A family may have several names, in several languages.
type face struct {
	families   []string
	postScript string
}

// readFaces returns the names of the fonts in a TrueType or OpenType file, or a collection.
// Damaged fonts are left out.
//
// The package of libs/formats/pdf/typeset returns one name per font only, but documents use
// all of them.
func readFaces(r io.ReaderAt) []face {
	header := read(r, 0, 12)
	if header == nil {
		return nil
	}
	offsets := []uint32{0}
	if string(header[:4]) == "ttcf" {
		n := int(min(maxInFile, binary.BigEndian.Uint32(header[8:])))
		list := read(r, 12, 4*n)
		offsets = nil
		for ; len(list) >= 4; list = list[4:] {
			offsets = append(offsets, binary.BigEndian.Uint32(list))
		}
	}
	var faces []face
	for _, offset := range offsets {
		if f := parseNames(nameTable(r, int64(offset))); len(f.families) > 0 {
			faces = append(faces, f)
		}
	}
	return faces
}

// nameTable returns the "name" table of the font at the offset, or nil.
func nameTable(r io.ReaderAt, offset int64) []byte {
	header := read(r, offset, 12)
	if header == nil {
		return nil
	}
	tables := read(r, offset+12, 16*min(maxTables, int(binary.BigEndian.Uint16(header[4:]))))
	for ; len(tables) >= 16; tables = tables[16:] {
		if string(tables[:4]) == "name" {
			at, length := binary.BigEndian.Uint32(tables[8:]), binary.BigEndian.Uint32(tables[12:])
			return read(r, int64(at), int(min(length, maxTable)))
		}
	}
	return nil
}

// read returns n bytes at the offset, or nil if there are fewer.
func read(r io.ReaderAt, offset int64, n int) []byte {
	b := make([]byte, n)
	if got, _ := r.ReadAt(b, offset); got < n {
		return nil
	}
	return b
}

func parseNames(table []byte) face {
	var f face
	if len(table) < 6 {
		return f
	}
	be := binary.BigEndian
	count, texts := min(maxRecords, int(be.Uint16(table[2:]))), int(be.Uint16(table[4:]))
	for records := table[6:]; count > 0 && len(records) >= 12; records, count = records[12:], count-1 {
		id := be.Uint16(records[6:])
		if !slices.Contains([]uint16{nameFamily, namePostScript, nameTypographic, nameWWS}, id) {
			continue
		}
		start := texts + int(be.Uint16(records[10:]))
		end := start + int(be.Uint16(records[8:]))
		if end > len(table) {
			continue
		}
		name := decodeName(be.Uint16(records), table[start:end])
		switch {
		case name == "":
		case id == namePostScript:
			f.postScript = name
		case !slices.Contains(f.families, name):
			f.families = append(f.families, name)
		}
	}
	return f
}

// decodeName returns a name of the platform, or "" if its encoding is not known.
func decodeName(platform uint16, text []byte) string {
	const unicode, macintosh, windows = 0, 1, 3
	name := ""
	switch platform {
	case unicode, windows:
		var units []uint16
		for ; len(text) >= 2; text = text[2:] {
			units = append(units, binary.BigEndian.Uint16(text))
		}
		name = string(utf16.Decode(units))
	case macintosh:
		if !slices.ContainsFunc(text, func(c byte) bool { return c >= 0x80 }) {
			name = string(text)
		}
	}
	name, _ = clean(name)
	return name
}
