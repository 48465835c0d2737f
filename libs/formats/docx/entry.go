package docx

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// entry is an entry of the container, as the central directory describes it.
type entry struct {
	// name is the part's name: not decoded, but with slashes as separators and no leading
	// slash.
	name string
	// raw is the name as written in the container.
	raw string
	// key is the same for all equivalent names.
	key           string
	folder        bool
	method, flags uint16
	crc           uint32
	// packed and size are the compressed and uncompressed sizes in bytes.
	packed, size int64
	// header is the offset of the local header, and body that of the data.
	header, body int64
	// record is the entry's raw record in the directory.
	record []byte
}

// The compression methods that the Open Packaging Conventions allow.
const (
	methodStore   = 0
	methodDeflate = 8
	methodAES     = 99
)

// flagsEncrypted are the flag bits of encrypted entries: traditional encryption, strong
// encryption, and masked headers.
const flagsEncrypted = 1<<0 | 1<<6 | 1<<13

// Identifiers of extra fields.
const (
	extraZIP64       = 0x0001
	extraUnicodePath = 0x7075
)

// readEntries reads the directory and checks its entries: each one by itself, all of them
// together, and each one against its local header.
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

// parseEntry parses the entry at the beginning of b and returns its length.
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

// setSizes sets the sizes and the offset of the entry from its record b, or from its
// ZIP64 field where they do not fit in the record.
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

// checkMethod refuses encrypted entries and compression methods that no program uses in
// such files.
func (e *entry) checkMethod() error {
	switch {
	case e.flags&flagsEncrypted != 0 || e.method == methodAES:
		return refuse(e.name, "is encrypted: %s cannot be read without a password", shown(e.name))
	case e.method != methodStore && e.method != methodDeflate:
		return refuse(e.name, "has a part (%s) that uses the unknown compression method %d", shown(e.name), e.method)
	case e.method == methodStore && e.packed != e.size:
		return e.damaged(flaw("it is not compressed, but its two sizes differ"))
	}
	return nil
}

// checkUnicodePath refuses a valid Info-ZIP Unicode Path field whose name differs from
// the entry's own. Programs that know the field would see another file than programs that
// do not, and UTF-8 names never need the field.
func (e *entry) checkUnicodePath(extra []byte) error {
	field := findExtra(extra, extraUnicodePath)
	if len(field) < 5 || binary.LittleEndian.Uint32(field[1:]) != crc32.ChecksumIEEE([]byte(e.raw)) || string(field[5:]) == e.raw {
		return nil
	}
	return refuse(e.name, "has two names for the part %s: the other one is %s", shown(e.name), shown(string(field[5:])))
}

// findExtra returns the data of the first extra field with the identifier, or nil if
// there is none.
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

// damaged returns the refusal of an entry whose structure is broken.
func (e *entry) damaged(cause error) error {
	return refuse(e.name, "has a damaged part (%s)", shown(e.name)).because(cause)
}

// checkTotals checks the entries together against the limits. Since no part yields more
// than it declares, this bounds the cost of reading all of them.
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

// checkBodies locates the data of every entry and refuses entries that overlap. Many
// entries that share the same few bytes could unpack to any size.
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

// findBody reads the local header, which precedes the entry's data. It must have the same
// name as the directory's record; otherwise two readers could see two different files.
func (e *entry) findBody(r io.ReaderAt) error {
	b := make([]byte, localSize+len(e.raw))
	if err := readFull(r, b, uint64(e.header)); err != nil {
		return e.damaged(err)
	}
	le := binary.LittleEndian
	nameLength, extraLength := int(le.Uint16(b[26:])), int(le.Uint16(b[28:]))
	switch {
	case string(b[:4]) != localSignature:
		return e.damaged(flaw("the directory points to an offset without a local header"))
	case nameLength != len(e.raw) || string(b[localSize:]) != e.raw:
		return e.damaged(flaw("its local header has another name"))
	case le.Uint16(b[8:]) != e.method || le.Uint16(b[6:])&flagsEncrypted != 0:
		return e.damaged(flaw("its local header has another compression method"))
	}
	e.body = e.header + localSize + int64(nameLength+extraLength)
	return nil
}
