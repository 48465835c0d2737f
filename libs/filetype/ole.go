package filetype

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/richardlehane/mscfb"
)

// maxStreams bounds the directory of an OLE container.
const maxStreams = 10_000

// detectOLE looks at the streams of a compound file: Word before 2007 keeps its
// text in "WordDocument", and what Office encrypts, also a DOCX, is one that
// holds an "EncryptedPackage".
func detectOLE(r io.ReaderAt, size int64) (t Type, err error) {
	defer func() {
		if p := recover(); p != nil { // the reader of a foreign format is not trusted with hostile files
			t, err = OLE, &Error{Type: OLE, Reason: "is a damaged OLE container", Err: fmt.Errorf("panic: %v", p)}
		}
	}()
	doc, err := mscfb.New(io.NewSectionReader(r, 0, size))
	if err != nil {
		return OLE, &Error{Type: OLE, Reason: "is a damaged OLE container", Err: err}
	}
	for range maxStreams {
		entry, err := doc.Next()
		if errors.Is(err, io.EOF) {
			return OLE, nil
		}
		if err != nil {
			return OLE, &Error{Type: OLE, Reason: "is a damaged OLE container", Err: err}
		}
		switch entry.Name {
		case "EncryptedPackage", "EncryptionInfo", "EncryptedSummary":
			return Encrypted, nil
		case "WordDocument":
			return wordType(entry)
		}
	}
	return OLE, nil
}

// wordType reads the flags of the file information block ([MS-DOC] 2.5.2).
func wordType(stream io.Reader) (Type, error) {
	const magic, encrypted = 0xA5EC, 0x0100
	var fib [12]byte
	if _, err := io.ReadFull(stream, fib[:]); err != nil {
		return DOC, &Error{Type: DOC, Reason: "is a damaged Word document", Err: err}
	}
	if binary.LittleEndian.Uint16(fib[0:]) == magic && binary.LittleEndian.Uint16(fib[10:])&encrypted != 0 {
		return Encrypted, nil
	}
	return DOC, nil
}
