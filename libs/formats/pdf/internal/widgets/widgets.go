// Package widgets tells whether PDFium can be left alone with the widgets of a page, and
// presents a file with an update to it.
package widgets

import (
	"bytes"
	"errors"
	"io"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// Finder looks at the widgets of a page.
type Finder struct {
	PDFium pdfium.Pdfium
	Form   references.FPDF_FORMHANDLE
	// Limit is how many annotations it looks at.
	Limit int
	// Broken reports whether an error ended PDFium, which must not be called any more.
	Broken func(error) bool
}

// Find reports whether the page has widgets, and whether there is one that PDFium does not
// know as part of a form field. The error is one that ended PDFium.
func (f Finder) Find(page requests.Page) (found, unknown bool, err error) {
	n, err := f.PDFium.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil {
		return false, false, f.broken(err)
	}
	for i := range min(n.Count, f.Limit) {
		is, known, err := f.widget(page, i)
		if err != nil {
			return found, unknown, err
		}
		found, unknown = found || is, unknown || is && !known
	}
	return found, unknown, nil
}

// widget reports whether an annotation is a widget, and whether PDFium knows its field.
func (f Finder) widget(page requests.Page, index int) (is, known bool, err error) {
	a, err := f.PDFium.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: page, Index: index})
	if err != nil {
		return false, false, f.broken(err)
	}
	kind, err := f.PDFium.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: a.Annotation})
	if f.broken(err) != nil {
		return false, false, err
	}
	if is = err == nil && kind.Subtype == enums.FPDF_ANNOT_SUBTYPE_WIDGET; is {
		t, err := f.PDFium.FPDFAnnot_GetFormFieldType(&requests.FPDFAnnot_GetFormFieldType{FormHandle: f.Form, Annotation: a.Annotation})
		if f.broken(err) != nil {
			return is, false, err
		}
		known = err == nil && Known(t.FormFieldType)
	}
	_, err = f.PDFium.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: a.Annotation})
	return is, known, f.broken(err)
}

// Known reports whether PDFium knows the field of a widget for which it returns this type.
func Known(t enums.FPDF_FORMFIELD_TYPE) bool { return t > enums.FPDF_FORMFIELD_TYPE_UNKNOWN }

// broken returns err if it ended PDFium, and nil otherwise.
func (f Finder) broken(err error) error {
	if err != nil && f.Broken(err) {
		return err
	}
	return nil
}

// MayRedraw reports whether the form of a file may ask for new appearances of its fields
// although an appended revision has written some. It is false if the file has no appended
// revision, or keeps all its objects uncompressed and none of them mentions the flag.
func MayRedraw(file []byte) bool {
	if bytes.Count(file, []byte("startxref")) < 2 {
		return false
	}
	for _, name := range []string{"/NeedAppearances", "/ObjStm"} {
		if bytes.Contains(file, []byte(name)) {
			return true
		}
	}
	return false
}

// File is a file in two parts, so that an update needs no copy of the file. The position
// may be beyond the end, where there is nothing to read.
type File struct {
	Head, Tail []byte
	at         int64
}

// Size returns the number of bytes.
func (f *File) Size() int64 { return int64(len(f.Head)) + int64(len(f.Tail)) }

// Read implements io.Reader.
func (f *File) Read(b []byte) (int, error) {
	if f.at >= f.Size() {
		return 0, io.EOF
	}
	n := 0
	if f.at < int64(len(f.Head)) {
		n = copy(b, f.Head[f.at:])
	}
	if at := f.at + int64(n) - int64(len(f.Head)); at >= 0 {
		n += copy(b[n:], f.Tail[at:])
	}
	f.at += int64(n)
	return n, nil
}

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.Size()
	}
	if offset < 0 {
		return 0, errors.New("a negative position")
	}
	f.at = offset
	return offset, nil
}
