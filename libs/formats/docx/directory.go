package docx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// Signatures and sizes of the records of a ZIP container (APPNOTE 4.3).
const (
	endSignature     = "PK\x05\x06"
	locatorSignature = "PK\x06\x07"
	end64Signature   = "PK\x06\x06"
	entrySignature   = "PK\x01\x02"
	localSignature   = "PK\x03\x04"

	endSize     = 22
	locatorSize = 20
	end64Size   = 56
	entrySize   = 46
	localSize   = 30

	maxComment = math.MaxUint16
)

// directory locates the central directory and holds its number of entries.
type directory struct {
	records, size, offset uint64
	// end is where the record after the directory begins.
	end uint64
}

// errDirectory is the cause when the records of a container contradict each other.
const errDirectory = flaw("the central directory is not where the end record says, or its records are invalid")

// damagedZIP returns the refusal of a container whose structure is broken.
func damagedZIP() *Error { return refuse("", "is a damaged ZIP container") }

// readFull reads len(b) bytes at the offset, which must lie within the file.
func readFull(r io.ReaderAt, b []byte, offset uint64) error {
	n, err := r.ReadAt(b, int64(offset))
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// CheckDirectory checks the central directory of any ZIP container against the limits
// before the directory is parsed. The error is an *Error if the container is at fault, or
// else an error of r.
func CheckDirectory(r io.ReaderAt, size int64, limits Limits) error {
	_, err := readDirectory(source{r}, size, limits)
	return err
}

// readDirectory finds the central directory through the record at the end of the file,
// and checks the number of entries and the size that it claims.
func readDirectory(r io.ReaderAt, size int64, limits Limits) (directory, error) {
	tail := make([]byte, max(0, min(size, endSize+maxComment)))
	if err := readFull(r, tail, uint64(max(0, size))-uint64(len(tail))); err != nil {
		return directory{}, damagedZIP().because(err)
	}
	at := bytes.LastIndex(tail, []byte(endSignature))
	if at < 0 || len(tail)-at < endSize {
		return directory{}, refuse("", "is not a complete ZIP container")
	}
	d, err := parseEnd(tail[at:])
	if err != nil {
		return directory{}, damagedZIP().because(err)
	}
	d.end = uint64(size) - uint64(len(tail)-at)
	if err := d.widen(r); err != nil {
		return directory{}, damagedZIP().because(err)
	}
	return d, d.check(limits)
}

// parseEnd parses the end record at the beginning of b. Like all programs, it ignores
// bytes after the record's comment.
func parseEnd(b []byte) (directory, error) {
	le := binary.LittleEndian
	d := directory{
		records: uint64(le.Uint16(b[10:])), size: uint64(le.Uint32(b[12:])), offset: uint64(le.Uint32(b[16:])),
	}
	switch {
	case int(le.Uint16(b[20:])) > len(b)-endSize:
		return d, flaw("the comment of the container is cut off")
	case le.Uint16(b[4:]) != 0 && le.Uint16(b[4:]) != math.MaxUint16, le.Uint16(b[8:]) != le.Uint16(b[10:]):
		return d, flaw("the container is one volume of several")
	}
	return d, nil
}

// widen takes from the ZIP64 records the values that do not fit in the end record. If
// ZIP64 records are present they precede the end record, even when the values do fit.
func (d *directory) widen(r io.ReaderAt) error {
	if d.end < locatorSize {
		return nil
	}
	var locator [locatorSize]byte
	if err := readFull(r, locator[:], d.end-locatorSize); err != nil {
		return err
	}
	if string(locator[:4]) != locatorSignature {
		return nil // values that would need ZIP64 exceed the limits anyway
	}
	at := binary.LittleEndian.Uint64(locator[8:])
	var record [end64Size]byte
	if at > d.end-locatorSize {
		return errDirectory
	}
	if err := readFull(r, record[:], at); err != nil {
		return err
	}
	if string(record[:4]) != end64Signature {
		return errDirectory
	}
	d.end = at
	return d.merge(record[:])
}

// merge compares d with the ZIP64 end record: each value must either be equal or be the
// maximum with which the old record marks it as absent.
func (d *directory) merge(record []byte) error {
	le := binary.LittleEndian
	if le.Uint32(record[16:]) != 0 || le.Uint64(record[24:]) != le.Uint64(record[32:]) {
		return flaw("the container is one volume of several")
	}
	for _, f := range []struct {
		field  *uint64
		wide   uint64
		absent uint64
	}{
		{&d.records, le.Uint64(record[32:]), math.MaxUint16},
		{&d.size, le.Uint64(record[40:]), math.MaxUint32},
		{&d.offset, le.Uint64(record[48:]), math.MaxUint32},
	} {
		if *f.field != f.absent && *f.field != f.wide {
			return flaw("the two end records of the container contradict each other")
		}
		*f.field = f.wide
	}
	return nil
}

// check checks the claims of d against the limits and the file. The directory must end
// where the end records begin, because readers differ in which of the two positions they
// trust.
func (d directory) check(limits Limits) error {
	switch {
	case d.records > uint64(max(0, limits.Entries)):
		return refuse("", "holds more than %s entries", grouped(int64(limits.Entries)))
	case d.size > uint64(max(0, limits.DirectoryBytes)):
		return refuse("", "has a directory of more than %s", amount(limits.DirectoryBytes))
	case d.offset > d.end || d.size != d.end-d.offset || d.records > d.size/entrySize:
		return damagedZIP().because(errDirectory)
	}
	return nil
}
