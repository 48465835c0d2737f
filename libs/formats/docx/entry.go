package docx

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// entry is an entry of the container, as the directory describes it.
type entry struct {
	// name is the name of the part: raw, but with slashes as separators and
	// none in front.
	name string
	// raw is the name as it is written in the container.
	raw string
	// key is what equivalent names have in common.
	key           string
	folder        bool
	method, flags uint16
	crc           uint32
	// packed and size are the bytes that it has in the container and unpacked.
	packed, size int64
	// header is where its local header is, and body where its bytes begin.
	header, body int64
	// record is what the directory says of it, as it is written there.
	record []byte
}

// The compression methods that the Open Packaging Conventions allow.
const (
	methodStore   = 0
	methodDeflate = 8
	methodAES     = 99
)

// Bits of the flags that say that an entry is encrypted: in the old way, in the
// strong way, and with masked headers.
const flagsEncrypted = 1<<0 | 1<<6 | 1<<13

// Identifiers of extra fields.
const (
	extraZIP64       = 0x0001
	extraUnicodePath = 0x7075
)

// readEntries reads the directory and checks every entry of it, one by one, all
// together, and against their local headers.
func readEntries(r io.ReaderAt, size int64, limits Limits) ([]*entry, error) {
	d, err := readDirectory(r, size, limits)
	if err != nil {
		return nil, err
	}
	b := make([]byte, d.size)
	if err := readFull(r, b, d.offset); err != nil {
		return nil, damagedZIP().because(err)
	}
	entries := make([]*entry, 0, d.records)
	for range d.records {
		e, n, err := parseEntry(b, d, limits)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
		b = b[n:]
	}
	if len(b) > 0 {
		return nil, damagedZIP().because(errDirectory)
	}
	if err := checkBodies(r, entries, d); err != nil {
		return nil, err
	}
	return entries, checkTotals(entries, limits)
}

// parseEntry parses the entry with which b begins and returns how long it is.
func parseEntry(b []byte, d directory, limits Limits) (*entry, int, error) {
	le := binary.LittleEndian
	if len(b) < entrySize || string(b[:4]) != entrySignature {
		return nil, 0, damagedZIP().because(errDirectory)
	}
	nameEnd := entrySize + int(le.Uint16(b[28:]))
	extraEnd := nameEnd + int(le.Uint16(b[30:]))
	end := extraEnd + int(le.Uint16(b[32:]))
	if end > len(b) {
		return nil, 0, damagedZIP().because(errDirectory)
	}
	e := &entry{raw: string(b[entrySize:nameEnd]), flags: le.Uint16(b[8:]), method: le.Uint16(b[10:]), crc: le.Uint32(b[16:])}
	if err := e.setName(limits); err != nil {
		return nil, 0, err
	}
	extra := b[nameEnd:extraEnd]
	if err := e.checkUnicodePath(extra); err != nil {
		return nil, 0, err
	}
	if err := e.setSizes(b, extra, d, limits); err != nil {
		return nil, 0, err
	}
	e.record = b[:end:end]
	return e, end, e.checkMethod()
}

// setSizes takes the sizes and the place of the entry from its record b, or
// from its ZIP64 field where the record has no room.
func (e *entry) setSizes(b, extra []byte, d directory, limits Limits) error {
	le := binary.LittleEndian
	size, packed, header := uint64(le.Uint32(b[24:])), uint64(le.Uint32(b[20:])), uint64(le.Uint32(b[42:]))
	wide := findExtra(extra, extraZIP64)
	for _, field := range []*uint64{&size, &packed, &header} {
		if *field == math.MaxUint32 && len(wide) >= 8 {
			*field = le.Uint64(wide)
			wide = wide[8:]
		}
	}
	switch {
	case packed > d.offset || header > d.offset:
		return e.damaged(errDirectory)
	case size > uint64(max(0, limits.PartBytes)):
		return refuse(e.name, "has a part (%s) of more than %s", shown(e.name), amount(limits.PartBytes))
	case limits.inflates(int64(size), int64(packed)):
		return refuse(e.name, "has a part (%s) that is compressed more than 1:%d", shown(e.name), limits.Ratio)
	case e.folder && size != 0:
		return refuse(e.name, "has a folder (%s) with content of its own", shown(e.name))
	}
	e.size, e.packed, e.header = int64(size), int64(packed), int64(header)
	return nil
}

// checkMethod refuses what is encrypted or packed in a way that no program
// writes into such files.
func (e *entry) checkMethod() error {
	switch {
	case e.flags&flagsEncrypted != 0 || e.method == methodAES:
		return refuse(e.name, "is encrypted: %s cannot be read without a password", shown(e.name))
	case e.method != methodStore && e.method != methodDeflate:
		return refuse(e.name, "has a part (%s) that is compressed by the unknown method %d", shown(e.name), e.method)
	case e.method == methodStore && e.packed != e.size:
		return e.damaged(flaw("it is not compressed, but has two different sizes"))
	}
	return nil
}

// checkUnicodePath refuses a valid Info-ZIP Unicode Path field with another
// name than the entry's own: to programs that know the field it is another file
// than to those that do not, and no name that is UTF-8 needs it.
func (e *entry) checkUnicodePath(extra []byte) error {
	field := findExtra(extra, extraUnicodePath)
	if len(field) < 5 || binary.LittleEndian.Uint32(field[1:]) != crc32.ChecksumIEEE([]byte(e.raw)) || string(field[5:]) == e.raw {
		return nil
	}
	return refuse(e.name, "has two names for the part %s: the other one is %s", shown(e.name), shown(string(field[5:])))
}

// findExtra returns the data of the first extra field with the identifier, nil
// if there is none.
func findExtra(b []byte, id uint16) []byte {
	for len(b) >= 4 {
		n := int(binary.LittleEndian.Uint16(b[2:]))
		if n > len(b)-4 {
			return nil
		}
		if binary.LittleEndian.Uint16(b) == id {
			return b[4 : 4+n]
		}
		b = b[4+n:]
	}
	return nil
}

// damaged is the refusal of an entry whose structure is broken.
func (e *entry) damaged(cause error) error {
	return refuse(e.name, "is damaged in its part %s", shown(e.name)).because(cause)
}

// checkTotals holds the entries together against the limits. Since no part
// yields more than it declares, this bounds what reading all of them costs.
func checkTotals(entries []*entry, limits Limits) error {
	var size, packed int64
	for _, e := range entries {
		if e.size > limits.TotalBytes-size {
			return refuse("", "unpacks to more than %s", amount(limits.TotalBytes))
		}
		size += e.size
		packed += e.packed
	}
	if limits.inflates(size, packed) {
		return refuse("", "is compressed more than 1:%d", limits.Ratio)
	}
	return nil
}

// checkBodies finds the bytes of every entry and refuses entries that share
// some: a few bytes that many entries claim are a bomb of any size.
func checkBodies(r io.ReaderAt, entries []*entry, d directory) error {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b *entry) int { return cmp.Compare(a.header, b.header) })
	var end int64
	for _, e := range sorted {
		if e.header < end {
			return refuse(e.name, "has a part (%s) that overlaps with another one", shown(e.name))
		}
		if err := e.findBody(r); err != nil {
			return err
		}
		end = e.body + e.packed
	}
	if uint64(end) > d.offset {
		return refuse("", "has a part that overlaps with its directory")
	}
	return nil
}

// findBody reads the local header, which lies before the bytes of the entry. It
// has to name the same file as the directory, or else two readers see two files.
func (e *entry) findBody(r io.ReaderAt) error {
	b := make([]byte, localSize+len(e.raw))
	if err := readFull(r, b, uint64(e.header)); err != nil {
		return e.damaged(err)
	}
	le := binary.LittleEndian
	nameLength, extraLength := int(le.Uint16(b[26:])), int(le.Uint16(b[28:]))
	switch {
	case string(b[:4]) != localSignature:
		return e.damaged(flaw("there is no local header where the directory says"))
	case nameLength != len(e.raw) || string(b[localSize:]) != e.raw:
		return e.damaged(flaw("its local header has another name"))
	case le.Uint16(b[8:]) != e.method || le.Uint16(b[6:])&flagsEncrypted != 0:
		return e.damaged(flaw("its local header names another method"))
	}
	e.body = e.header + localSize + int64(nameLength+extraLength)
	return nil
}
