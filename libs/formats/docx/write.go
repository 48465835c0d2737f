package docx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
)

const (
	// flagDescriptor marks entries whose sizes and checksum follow the data.
	flagDescriptor = 1 << 3
	// dosEpoch is 1980-01-01 in ZIP's date format, the date that Office writes.
	dosEpoch = 0x21
	// versionDeflate is the ZIP version needed to unpack the entries written here.
	versionDeflate = 20
	// packLevel trades a few per cent of size for half of the time.
	packLevel = 4
)

// textAddition returns an added part with the text.
func textAddition(name string, text []byte) addition {
	return addition{name, Body{Size: int64(len(text)), Open: func() io.Reader { return bytes.NewReader(text) }}}
}

// WriteTo writes the file. Entries that were not replaced are copied in compressed form,
// in their order and with everything that the directory says about them. Replaced entries
// keep their position, and added ones come last. WriteTo may be called only once.
//
// Each Body must yield exactly Size bytes. The error is that of w or of a Body. If a changed
// list cannot be read, the error is as for Part.Open.
func (e *Edit) WriteTo(w io.Writer) (int64, error) {
	if err := e.finish(); err != nil {
		return 0, err
	}
	count := &countingWriter{w: w}
	out := zip.NewWriter(count)
	for _, old := range e.p.entries {
		if err := e.writeEntry(out, old); err != nil {
			return count.n, err
		}
	}
	slices.SortStableFunc(e.added, func(a, b addition) int { return strings.Compare(a.name, b.name) })
	for _, a := range e.added {
		if err := writeAdded(out, a); err != nil {
			return count.n, fmt.Errorf("write the part %s: %w", a.name, err)
		}
	}
	return count.n, closeZIP(out, count)
}

// closeZIP writes the directory, and returns any earlier error recorded by count.
func closeZIP(out *zip.Writer, count *countingWriter) error {
	if err := out.Close(); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	return count.err
}

// writeEntry writes an entry of the original file.
func (e *Edit) writeEntry(out *zip.Writer, old *entry) error {
	header := old.fileHeader()
	if content, ok := e.replaced[e.p.byKey[old.key]]; ok && !old.folder {
		return writePacked(out, header, content)
	}
	if old.folder {
		_, err := out.CreateRaw(header)
		return err
	}
	body, err := out.CreateRaw(header)
	if err != nil {
		return fmt.Errorf("write the part %s: %w", old.name, err)
	}
	n, err := io.Copy(body, io.NewSectionReader(e.p.r, old.body, old.packed))
	if err == nil && n != old.packed {
		err = old.damaged(io.ErrUnexpectedEOF)
	}
	return err
}

// fileHeader returns the entry's data in the directory.
func (e *entry) fileHeader() *zip.FileHeader {
	le, b := binary.LittleEndian, e.record
	nameEnd := entrySize + len(e.raw)
	extraEnd := nameEnd + int(le.Uint16(b[30:]))
	header := &zip.FileHeader{
		Name: e.raw, Comment: string(b[extraEnd:]), Extra: withoutExtra(b[nameEnd:extraEnd], extraZIP64),
		CreatorVersion: le.Uint16(b[4:]), ReaderVersion: le.Uint16(b[6:]), ExternalAttrs: le.Uint32(b[38:]),
		Flags: e.flags, Method: e.method, CRC32: e.crc,
		CompressedSize64: uint64(e.packed), UncompressedSize64: uint64(e.size),
		ModifiedTime: le.Uint16(b[12:]), ModifiedDate: le.Uint16(b[14:]), //nolint:staticcheck // copied without interpretation
	}
	if e.folder {
		header.Method, header.Flags, header.CRC32, header.CompressedSize64 = methodStore, e.flags&^flagDescriptor, 0, 0
	}
	return header
}

// withoutExtra returns the extra fields except those with the identifier.
func withoutExtra(b []byte, id uint16) []byte {
	var kept []byte
	for len(b) >= 4 {
		n := 4 + int(binary.LittleEndian.Uint16(b[2:]))
		if n > len(b) {
			break
		}
		if binary.LittleEndian.Uint16(b) != id {
			kept = append(kept, b[:n]...)
		}
		b = b[n:]
	}
	return append(kept, b...)
}

// writePacked writes an entry with new content.
func writePacked(out *zip.Writer, header *zip.FileHeader, content []byte) error {
	var packed bytes.Buffer
	pack, err := flate.NewWriter(&packed, packLevel)
	if err != nil {
		return err
	}
	if _, err := pack.Write(content); err != nil {
		return err
	}
	if err := pack.Close(); err != nil {
		return err
	}
	header.Method, header.Flags, header.Extra = methodDeflate, header.Flags&^flagDescriptor, nil
	header.CRC32 = crc32.ChecksumIEEE(content)
	header.ReaderVersion = max(header.ReaderVersion, versionDeflate)
	header.CompressedSize64, header.UncompressedSize64 = uint64(packed.Len()), uint64(len(content))
	body, err := out.CreateRaw(header)
	if err != nil {
		return fmt.Errorf("write the part %s: %w", header.Name, err)
	}
	_, err = body.Write(packed.Bytes())
	return err
}

// writeAdded writes an added part without compression. Its checksum goes before its data,
// because not all readers look for it behind the data of stored entries.
func writeAdded(out *zip.Writer, a addition) error {
	sum := crc32.NewIEEE()
	if n, err := io.Copy(sum, a.body.Open()); err != nil || n != a.body.Size {
		return errors.Join(err, fmt.Errorf("the body has %d bytes instead of %d", n, a.body.Size))
	}
	body, err := out.CreateRaw(&zip.FileHeader{
		Name: a.name, Method: methodStore, CRC32: sum.Sum32(), ReaderVersion: versionDeflate,
		CompressedSize64: uint64(a.body.Size), UncompressedSize64: uint64(a.body.Size),
		ModifiedDate: dosEpoch, //nolint:staticcheck // a day without a zone
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(body, a.body.Open())
	return err
}

// countingWriter counts the bytes written to it.
type countingWriter struct {
	w   io.Writer
	n   int64
	err error
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}
