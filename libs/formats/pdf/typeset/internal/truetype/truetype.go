// Package truetype reads the tables of TrueType fonts and writes subsets of these fonts that
// can be embedded in PDF files. It reads only the tables it is asked for, and checks every
// offset and length, so it is safe to use with damaged files.
package truetype

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxTables bounds the table directory. Real fonts have at most about 30 tables.
const maxTables = 128

// maxTable bounds each table in bytes. The outlines of large CJK fonts have about 12 MB.
const maxTable = 48 << 20

// errDamaged means that the file does not follow the format.
var errDamaged = errors.New("damaged TrueType font")

type section struct {
	offset, length int64
}

// File is a font in a file. It keeps the reader and reads tables on demand.
type File struct {
	r      io.ReaderAt
	tables map[string]section
}

// Open reads the table directory of a font file of size bytes. In a collection it reads the
// first font.
func Open(r io.ReaderAt, size int64) (*File, error) {
	var head [16]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	start := int64(0)
	if string(head[:4]) == "ttcf" {
		start = int64(binary.BigEndian.Uint32(head[12:]))
		if _, err := r.ReadAt(head[:12], start); err != nil {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	if v := string(head[:4]); v != "\x00\x01\x00\x00" && v != "true" {
		return nil, errors.New("not a TrueType font")
	}
	count := int(binary.BigEndian.Uint16(head[4:]))
	if count > maxTables {
		return nil, fmt.Errorf("%w: %d tables", errDamaged, count)
	}
	directory := make([]byte, 16*count)
	if _, err := r.ReadAt(directory, start+12); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return parseDirectory(r, size, directory)
}

func parseDirectory(r io.ReaderAt, size int64, directory []byte) (*File, error) {
	f := &File{r: r, tables: map[string]section{}}
	for entry := range slices.Chunk(directory, 16) {
		s := section{
			offset: int64(binary.BigEndian.Uint32(entry[8:])),
			length: int64(binary.BigEndian.Uint32(entry[12:])),
		}
		if s.length > maxTable || s.offset+s.length > size {
			return nil, fmt.Errorf("%w: table %q is outside the file", errDamaged, entry[:4])
		}
		f.tables[string(entry[:4])] = s
	}
	return f, nil
}

// Has reports whether the font has a table of at least one byte.
func (f *File) Has(tag string) bool { return f.tables[tag].length > 0 }

// Len returns the length of a table in bytes, or 0.
func (f *File) Len(tag string) int { return int(f.tables[tag].length) }

// Table returns the content of a table. It is nil if the font lacks the table.
func (f *File) Table(tag string) ([]byte, error) {
	s := f.tables[tag]
	if s.length == 0 {
		return nil, nil
	}
	data := make([]byte, s.length)
	if _, err := f.r.ReadAt(data, s.offset); err != nil {
		return nil, fmt.Errorf("read table %q: %w", tag, err)
	}
	return data, nil
}

// required returns a table that must have at least length bytes.
func (f *File) required(tag string, length int) ([]byte, error) {
	data, err := f.Table(tag)
	if err != nil {
		return nil, err
	}
	if len(data) < length {
		return nil, fmt.Errorf("%w: table %q has only %d bytes", errDamaged, tag, len(data))
	}
	return data, nil
}

// Extract returns a font file with some of the tables. It leaves out tables that the font
// lacks.
func (f *File) Extract(tags ...string) ([]byte, error) {
	tables := map[string][]byte{}
	for _, tag := range tags {
		data, err := f.Table(tag)
		if err != nil {
			return nil, err
		}
		if len(data) > 0 {
			tables[tag] = data
		}
	}
	return assemble(tables), nil
}
