package filetype

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
)

// maxStreams bounds the directory entries of an OLE container.
const maxStreams = 10_000

// detectOLE detects the type from the streams of a compound file. Office before 2007 keeps
// the document in a stream whose name tells the program. A file encrypted by Office,
// including a DOCX, is a compound file with an "EncryptedPackage". Streams in storages
// belong to embedded objects, and tell nothing about the file.
func detectOLE(r io.ReaderAt, size int64) (Type, error) {
	c, err := openCompound(r, size)
	if err != nil {
		return OLE, &Error{Type: OLE, Reason: "is a damaged OLE container", Err: err}
	}
	directory, err := c.directory()
	if err != nil {
		return OLE, &Error{Type: OLE, Reason: "is a damaged OLE container", Err: err}
	}
	for _, entry := range topStreams(directory) {
		switch entryName(entry) {
		case "EncryptedPackage", "EncryptionInfo", "EncryptedSummary":
			return Encrypted, nil
		case "WordDocument":
			return c.wordType(entry)
		case "Workbook", "Book": // Excel 97 and 5
			return XLS, nil
		case "PowerPoint Document":
			return PPT, nil
		}
	}
	return OLE, nil
}

// compound is a compound file ([MS-CFB]). Only its header is kept in memory, whatever its
// tables claim.
type compound struct {
	r      io.ReaderAt
	size   int64
	shift  uint // log2 of the sector size in bytes
	header [512]byte
}

// Offsets in the header and in a directory entry, and the values that end a sector chain
// ([MS-CFB] 2.1, 2.2 and 2.6.1).
const (
	headerShift     = 30
	headerDirectory = 48
	headerDIFAT     = 68
	headerFAT       = 76
	headerPages     = (512 - headerFAT) / 4 // FAT sectors listed in the header

	entrySize   = 128
	entryLength = 64
	entryKind   = 66
	entryLeft   = 68
	entryRight  = 72
	entryChild  = 76
	entryStart  = 116
	entryBytes  = 120

	kindStream  = 2
	lastRegular = 0xFFFFFFFA
	miniCutoff  = 4096 // smaller streams are stored within the root's stream
	miniShift   = 6
)

var errCompound = errors.New("a table of the compound file points outside of the file")

// openCompound reads the header.
func openCompound(r io.ReaderAt, size int64) (*compound, error) {
	c := &compound{r: r, size: size}
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, size), c.header[:]); err != nil {
		return nil, err
	}
	c.shift = uint(binary.LittleEndian.Uint16(c.header[headerShift:]))
	if c.shift != 9 && c.shift != 12 {
		return nil, errCompound
	}
	return c, nil
}

// field returns the number at an offset of the header.
func (c *compound) field(at int) uint32 { return binary.LittleEndian.Uint32(c.header[at:]) }

// number returns the n-th number of a sector.
func (c *compound) number(sector, n uint32) (uint32, error) {
	var b [4]byte
	if err := c.read(sector, int64(n)*4, b[:]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b[:]), nil
}

// read fills b from an offset in a sector.
func (c *compound) read(sector uint32, offset int64, b []byte) error {
	at := (int64(sector)+1)<<c.shift + offset
	if sector >= lastRegular || at+int64(len(b)) > c.size {
		return errCompound
	}
	_, err := c.r.ReadAt(b, at)
	if errors.Is(err, io.EOF) {
		err = nil // the file ends exactly where b does
	}
	return err
}

// next returns the next sector of a chain from the FAT. The header lists the first FAT
// sectors; further ones are listed in a chain of DIFAT sectors.
func (c *compound) next(sector uint32) (uint32, error) {
	perSector := uint32(1) << (c.shift - 2)
	page := sector / perSector
	if page < headerPages {
		return c.number(c.field(headerFAT+4*int(page)), sector%perSector)
	}
	page -= headerPages
	list := c.field(headerDIFAT)
	for ; page >= perSector-1; page -= perSector - 1 {
		var err error
		if list, err = c.number(list, perSector-1); err != nil {
			return 0, err
		}
	}
	fat, err := c.number(list, page)
	if err != nil {
		return 0, err
	}
	return c.number(fat, sector%perSector)
}

// directory returns all entries of the directory.
func (c *compound) directory() (entries [][]byte, err error) {
	perSector := int64(1) << c.shift / entrySize
	sector := c.field(headerDirectory)
	for n := range int64(maxStreams) {
		if n > 0 && n%perSector == 0 {
			if sector, err = c.next(sector); err != nil {
				return nil, err
			}
		}
		if sector >= lastRegular {
			return entries, nil // end of the chain
		}
		entry := make([]byte, entrySize)
		if err := c.read(sector, n%perSector*entrySize, entry); err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	return nil, errEntries
}

// topStreams returns the entries of the streams that are in no storage: the children of the
// first entry, which are a binary tree ([MS-CFB] 2.6.4), in the order of the directory.
func topStreams(directory [][]byte) (streams [][]byte) {
	if len(directory) == 0 {
		return nil
	}
	reached := make([]bool, len(directory))
	next := []uint32{binary.LittleEndian.Uint32(directory[0][entryChild:])}
	for len(next) > 0 {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		if n >= uint32(len(directory)) || reached[n] {
			continue
		}
		reached[n] = true
		next = append(next, binary.LittleEndian.Uint32(directory[n][entryLeft:]), binary.LittleEndian.Uint32(directory[n][entryRight:]))
	}
	for n, entry := range directory {
		if reached[n] && entry[entryKind] == kindStream {
			streams = append(streams, entry)
		}
	}
	return streams
}

var errEntries = fmt.Errorf("the compound file has more than %d entries, or its directory loops", maxStreams)

// entryName returns the name of a directory entry.
func entryName(entry []byte) string {
	length := min(int(binary.LittleEndian.Uint16(entry[entryLength:])), entryLength)
	var units []uint16
	for i := 0; i+3 < length; i += 2 { // without the terminating zero
		units = append(units, binary.LittleEndian.Uint16(entry[i:]))
	}
	return string(utf16.Decode(units))
}

// readStream fills b from the beginning of a directory entry's stream. Small streams are
// stored in 64-byte sectors within the stream of the root, which is the first entry of
// the directory.
func (c *compound) readStream(entry, b []byte) error {
	start := binary.LittleEndian.Uint32(entry[entryStart:])
	if binary.LittleEndian.Uint32(entry[entryBytes:]) >= miniCutoff {
		return c.read(start, 0, b)
	}
	sector, err := c.number(c.field(headerDirectory), entryStart/4)
	if err != nil {
		return err
	}
	offset := int64(start) << miniShift
	if offset > c.size {
		return errCompound
	}
	for ; offset >= 1<<c.shift; offset -= 1 << c.shift {
		if sector, err = c.next(sector); err != nil {
			return err
		}
	}
	return c.read(sector, offset, b)
}

// wordType reads the flags of the file information block ([MS-DOC] 2.5.2) at the
// beginning of the entry's stream.
func (c *compound) wordType(entry []byte) (Type, error) {
	const magic, encrypted = 0xA5EC, 0x0100
	var fib [12]byte
	if err := c.readStream(entry, fib[:]); err != nil {
		return DOC, &Error{Type: DOC, Reason: "is a damaged Word document", Err: err}
	}
	if binary.LittleEndian.Uint16(fib[0:]) == magic && binary.LittleEndian.Uint16(fib[10:])&encrypted != 0 {
		return Encrypted, nil
	}
	return DOC, nil
}

// HasPassword reports whether an XLS file is encrypted: its workbook has a FILEPASS record
// ([MS-XLS] 2.4.117). Detect ignores this, because a workbook that is only protected is
// encrypted too, with a password that programs know.
func HasPassword(r io.ReaderAt, size int64) bool {
	c, err := openCompound(r, size)
	if err != nil {
		return false
	}
	directory, err := c.directory()
	if err != nil {
		return false
	}
	for _, entry := range topStreams(directory) {
		if name := entryName(entry); name == "Workbook" || name == "Book" {
			return c.hasFilePass(entry)
		}
	}
	return false
}

// hasFilePass looks for a FILEPASS record among the first ones of a workbook. Only the
// beginning of the file and a write protection come before it.
func (c *compound) hasFilePass(entry []byte) bool {
	const filePass, writeProtect, bof, head = 0x2F, 0x86, 0x0809, 4
	var b [1 << miniShift]byte // a small stream may have one sector
	if err := c.readStream(entry, b[:]); err != nil {
		return false
	}
	for rest := b[:]; len(rest) >= head; {
		kind, length := binary.LittleEndian.Uint16(rest), int(binary.LittleEndian.Uint16(rest[2:]))
		if kind == filePass {
			return true
		}
		if kind != bof && kind != writeProtect || head+length > len(rest) {
			return false
		}
		rest = rest[head+length:]
	}
	return false
}
