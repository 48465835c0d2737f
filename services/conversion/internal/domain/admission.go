package domain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/docx"
	"github.com/rectohq/recto/libs/formats/filetype"
	"github.com/rectohq/recto/libs/formats/pdf"
)

// refusal is the reason why a file is not converted. The reason completes a sentence
// that begins with "The file".
type refusal struct {
	reason string
	cause  error
	// flawed is set if the file was converted, but the PDF does not conform to the profile.
	flawed bool
	// retryable is set if converting the same file again may succeed.
	retryable bool
}

func (r *refusal) Error() string { return r.reason }
func (r *refusal) Unwrap() error { return r.cause }

// isEncrypted is the reason why an encrypted file is not converted.
const isEncrypted = "is encrypted; remove its password first"

// label is what the client says about a file.
type label struct {
	name string
	// charset is the one that its media type declares, or "" if none is known.
	charset string
}

// admit returns the type of a file that can be converted or that is a valid PDF
// already. The content determines the type, whatever the name says. Only text must have a
// name that fits: it has no signature, so text named as a document is more likely a
// download that failed. That includes HTML, CSV and SVG. The error is a *refusal if the file is at fault.
func (s *Service) admit(ctx context.Context, f *os.File, l label) (filetype.Type, error) {
	info, err := f.Stat()
	if err != nil {
		return filetype.Unknown, err
	}
	t, err := filetype.DetectNamed(f, info.Size(), l.name)
	if err == nil {
		t, err = checkText(f, info.Size(), l, t)
	}
	var damaged *filetype.Error
	switch {
	case errors.As(err, &damaged):
		return t, &refusal{reason: damaged.Reason, cause: err}
	case err != nil:
		return t, err
	case t == filetype.Empty:
		return t, &refusal{reason: "is empty"}
	case t == filetype.Encrypted:
		return t, &refusal{reason: isEncrypted}
	case (t == filetype.ZIP || t == filetype.OLE) && !t.Matches(l.name):
		return t, &refusal{reason: fmt.Sprintf("is a container (%s) without the document that its name implies; it may be damaged", t)}
	case t == filetype.PDF:
		return t, s.checkPDF(ctx, f, info.Size())
	case t.IsPicture():
		return t, nil
	case !slices.Contains(convertible, t):
		return t, &refusal{reason: fmt.Sprintf("is %s, which cannot be converted; send a document of Word, Excel, PowerPoint or OpenDocument, RTF, HTML, CSV, plain text, PDF, or a picture (PNG, JPEG, TIFF, SVG)", t)}
	}
	if t.IsWord() {
		if err := checkWord(ctx, f, info.Size()); err != nil {
			return t, err
		}
	}
	if missing := s.Engine.Missing(t); missing != "" {
		return t, &refusal{reason: fmt.Sprintf("is %s, which this server cannot convert, because %s is not installed", t, missing)}
	}
	return t, nil
}

// checkText checks the name and the encoding of a file of type t, if it is text or named as a
// text. It returns the type that the charset shows. The error is a *refusal or a
// *filetype.Error if the file is at fault.
func checkText(f *os.File, size int64, l label, t filetype.Type) (filetype.Type, error) {
	named := filetype.OfName(l.name)
	plain := named == filetype.Text || named == filetype.CSV
	switch {
	case t == filetype.Text && !t.Matches(l.name):
		return t, misnamed(f, size, named)
	case t == filetype.Unknown && plain: // each character may have several bytes
		if err := filetype.CheckText(f, l.charset); err != nil || l.charset == "" {
			return t, err
		}
		return named, nil
	case t == filetype.Text || t == filetype.CSV:
		return t, filetype.CheckText(f, l.charset)
	}
	return t, nil
}

// misnamed returns the refusal of text whose name indicates another type.
func misnamed(f *os.File, size int64, named filetype.Type) error {
	begins, err := filetype.Begins(f, size)
	if err != nil {
		return err
	}
	const mismatch = ", which does not match its name; "
	reason := "is plain text" + mismatch + "change the extension to .txt if it is plain text"
	switch begins {
	case filetype.HTML, filetype.SVG:
		reason = "is " + string(begins) + mismatch + "change the extension to ." + strings.ToLower(string(begins))
	case filetype.XML, filetype.MIME, filetype.PS:
		reason = "is " + string(begins) + mismatch + "open it with the program that made it, and save it as PDF"
	default:
		if named == filetype.XLSX || named == filetype.XLS || named == filetype.ODS {
			reason = "is plain text" + mismatch + "change the extension to .csv if it is a table"
		}
	}
	return &refusal{reason: reason}
}

// checkPDF checks that a PDF opens. A PDF is its own result, so it must be readable.
func (s *Service) checkPDF(ctx context.Context, f *os.File, size int64) error {
	_, err := s.PDF.CountPages(ctx, f, size)
	var damaged *pdf.Error
	if errors.As(err, &damaged) {
		return &refusal{reason: damaged.Reason, cause: err}
	}
	return err
}

// checkWord checks a word-processing package against the limits of libs/formats/docx.
// A package that libs/formats/docx does not open is not given to an engine. One that it
// repairs replaces the file of the same name.
func checkWord(ctx context.Context, f *os.File, size int64) error {
	p, err := docx.Open(f, size, docx.DefaultLimits())
	if err == nil {
		err = p.Check(ctx)
	}
	if err == nil {
		err = repair(ctx, p, f.Name())
	}
	var damaged *docx.Error
	if errors.As(err, &damaged) {
		return &refusal{reason: damaged.Reason, cause: err}
	}
	return err
}

// repair replaces the file at path, from which p was opened, if p can be repaired.
func repair(ctx context.Context, p *docx.Package, path string) error {
	edit, err := p.Repair(ctx)
	if edit == nil || err != nil {
		return err
	}
	out, err := os.Create(path + ".repaired")
	if err != nil {
		return err
	}
	_, err = edit.WriteTo(out)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}
