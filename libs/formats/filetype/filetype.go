// Package filetype detects the type of a file from its content. File names and declared
// MIME types are not trusted; they are compared with the result.
package filetype

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Type is the type of a file.
type Type string

// The types that are distinguished. Encrypted covers every container that cannot be read
// without a password.
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
	XLS       Type = "XLS"
	ODS       Type = "ODS"
	CSV       Type = "CSV"
	PPTX      Type = "PPTX"
	PPT       Type = "PPT"
	ODP       Type = "ODP"
	ODG       Type = "ODG"
	ODF       Type = "OpenDocument of another kind"
	ZIP       Type = "ZIP"
	OLE       Type = "OLE"
	PNG       Type = "PNG"
	JPEG      Type = "JPEG"
	GIF       Type = "GIF"
	TIFF      Type = "TIFF"
	SVG       Type = "SVG"
	HTML      Type = "HTML"
	XML       Type = "XML"
	MIME      Type = "an e-mail or a web archive (MIME)"
	PS        Type = "PostScript"
	Empty     Type = "empty"
	Encrypted Type = "encrypted"
	Unknown   Type = "of an unknown type"
)

// extensions maps known file name extensions to types. Other extensions say nothing about
// a file.
var extensions = map[string]Type{
	".pdf": PDF, ".docx": DOCX, ".docm": DOCM, ".dotx": DOTX, ".dotm": DOTM,
	".doc": DOC, ".dot": DOC, ".odt": ODT, ".ott": ODT, ".rtf": RTF,
	".txt": Text, ".text": Text, ".log": Text, ".md": Text,
	".xlsx": XLSX, ".xlsm": XLSX, ".xltx": XLSX, ".xls": XLS, ".xlt": XLS, ".ods": ODS, ".ots": ODS, ".csv": CSV, ".tsv": CSV,
	".pptx": PPTX, ".pptm": PPTX, ".potx": PPTX, ".ppsx": PPTX, ".ppt": PPT, ".pot": PPT, ".pps": PPT, ".odp": ODP, ".otp": ODP,
	".odg": ODG, ".otg": ODG, ".odf": ODF, ".zip": ZIP, ".msg": OLE,
	".png": PNG, ".jpg": JPEG, ".jpeg": JPEG, ".gif": GIF, ".tif": TIFF, ".tiff": TIFF,
	".html": HTML, ".htm": HTML, ".xhtml": HTML, ".xml": XML, ".svg": SVG,
}

// OfName returns the type that the extension of a name indicates, or Unknown if it
// indicates none.
func OfName(name string) Type {
	if t, ok := extensions[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return Unknown
}

// Matches reports whether a file of type t may have the name: its extension indicates t,
// or nothing. The four types of Word XML count as one, because programs write one and
// name it as another, and all programs read them alike.
func (t Type) Matches(name string) bool {
	named := OfName(name)
	return named == Unknown || named == t || named.isWordXML() && t.isWordXML()
}

func (t Type) isWordXML() bool {
	return t == DOCX || t == DOCM || t == DOTX || t == DOTM
}

// IsPicture reports whether t is a type of pictures that package pdf can show.
func (t Type) IsPicture() bool { return t == PNG || t == JPEG || t == TIFF }

// Error is the reason why a file cannot be read as the type that its first bytes
// indicate.
type Error struct {
	// Type is the type that the first bytes indicate.
	Type Type
	// Reason completes a sentence that begins with "The file".
	Reason string
	// Err is the cause, for logs.
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("the file %s: %v", e.Reason, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Detect returns the type of the file of size bytes in r. The error is an *Error if the
// file is damaged or exceeds the bounds of its type, and any other error if r fails.
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
	case bytes.Contains(head, []byte("%PDF-")): // PDF readers search the first 1024 bytes
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
