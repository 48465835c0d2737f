// Package filetype tells what a file is by its content. Names and declared
// MIME types are not believed: they are compared with what is found.
package filetype

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Type is what a file is.
type Type string

// The types that are told apart. Encrypted stands for every container whose
// content cannot be read without a password.
const (
	PDF       Type = "PDF"
	DOCX      Type = "DOCX"
	DOCM      Type = "DOCM"
	DOTX      Type = "DOTX"
	DOTM      Type = "DOTM"
	DOC       Type = "DOC"
	ODT       Type = "ODT"
	RTF       Type = "RTF"
	Text      Type = "plain text"
	XLSX      Type = "XLSX"
	PPTX      Type = "PPTX"
	ODF       Type = "OpenDocument, but not text"
	ZIP       Type = "ZIP"
	OLE       Type = "OLE"
	PNG       Type = "PNG"
	JPEG      Type = "JPEG"
	GIF       Type = "GIF"
	TIFF      Type = "TIFF"
	HTML      Type = "HTML"
	XML       Type = "XML"
	Empty     Type = "empty"
	Encrypted Type = "encrypted"
	Unknown   Type = "of an unknown type"
)

// extensions maps the extensions that name a type. What is not here says
// nothing about its file.
var extensions = map[string]Type{
	".pdf": PDF, ".docx": DOCX, ".docm": DOCM, ".dotx": DOTX, ".dotm": DOTM,
	".doc": DOC, ".dot": DOC, ".odt": ODT, ".ott": ODT, ".rtf": RTF,
	".txt": Text, ".text": Text, ".log": Text, ".md": Text,
	".xlsx": XLSX, ".xlsm": XLSX, ".pptx": PPTX, ".pptm": PPTX, ".ods": ODF, ".odp": ODF, ".odg": ODF,
	".zip": ZIP, ".xls": OLE, ".ppt": OLE, ".msg": OLE,
	".png": PNG, ".jpg": JPEG, ".jpeg": JPEG, ".gif": GIF, ".tif": TIFF, ".tiff": TIFF,
	".html": HTML, ".htm": HTML, ".xhtml": HTML, ".xml": XML, ".svg": XML,
}

// OfName returns what the extension of a name says its file is, Unknown if it
// says nothing.
func OfName(name string) Type {
	if t, ok := extensions[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return Unknown
}

// Matches reports whether a file of type t may have the name: its extension
// says t, or nothing. The four kinds of Word's XML are one: programs write one
// and name it as another, and all of them read them alike.
func (t Type) Matches(name string) bool {
	named := OfName(name)
	return named == Unknown || named == t || named.isWordXML() && t.isWordXML()
}

func (t Type) isWordXML() bool {
	return t == DOCX || t == DOCM || t == DOTX || t == DOTM
}

// Error says why a file cannot be read as what it begins like.
type Error struct {
	// Type is what the file begins like.
	Type Type
	// Reason completes "The file" to a sentence.
	Reason string
	// Err is the cause, for logs.
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("the file %s: %v", e.Reason, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Detect returns the type of the file that r holds the size bytes of. The error
// is an *Error if the file is damaged or exceeds the bounds of its type, and
// any other one if r fails.
func Detect(r io.ReaderAt, size int64) (Type, error) {
	if size == 0 {
		return Empty, nil
	}
	head := make([]byte, min(size, 1024))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return Unknown, fmt.Errorf("read the beginning of the file: %w", err)
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return detectZIP(r, size)
	case bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")):
		return detectOLE(r, size)
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return RTF, nil
	case bytes.Contains(head, []byte("%PDF-")): // readers look for it in the first 1024 bytes
		return PDF, nil
	}
	for _, m := range images {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.t, nil
		}
	}
	return detectText(io.NewSectionReader(r, 0, size))
}

var images = []struct {
	prefix string
	t      Type
}{
	{"\x89PNG\r\n\x1a\n", PNG}, {"\xFF\xD8\xFF", JPEG}, {"GIF8", GIF}, {"II*\x00", TIFF}, {"MM\x00*", TIFF},
}
